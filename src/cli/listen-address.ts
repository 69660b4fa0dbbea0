import { isIP } from 'node:net';
import { CommandFailure } from './command-failure.js';

/** Where a server listens. */
export interface ListenAddress {
  /** An IP address or `localhost`. */
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
}

/** Parses `127.0.0.1:8200`, `[::1]:8200` or `localhost:0`. */
export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(portText ?? 'none');
  const isAddress = bracketed === undefined ? isIP(host) === 4 || host === 'localhost' : isIP(host) === 6;
  if (!isAddress || !(port <= 65_535)) {
    throw new CommandFailure(
      `cannot listen on ${JSON.stringify(text)}: takes an address and a port such as 127.0.0.1:8200 or [::1]:8200`,
    );
  }
  return { host, port };
}

/** Turns the failure to bind an address into a sentence. */
export function listenFailure(error: unknown, { host, port }: ListenAddress): unknown {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the port is in use',
    EACCES: 'the port needs more rights',
    EADDRNOTAVAIL: 'this machine does not have the address',
  };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasons[code];
  return reason === undefined ? error : new CommandFailure(`cannot listen on ${host}:${port}: ${reason}`);
}
