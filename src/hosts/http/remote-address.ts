import { isIP } from 'node:net';
import type { AddressBlocks } from '../../contract/index.js';

const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/**
 * The address a request comes from: the peer's, unless that is a trusted proxy; then the last address in `X-Forwarded-For`
 * that is not one. Whatever stands before that was written by the sender and is not believed. `undefined` when a trusted proxy
 * names something that is no address.
 */
export function readRemoteAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  trusted: AddressBlocks,
): string | undefined {
  let address = peer;
  const hops = forwardedFor?.split(',') ?? [];
  while (address !== undefined && hops.length > 0 && trusted.contains(address)) {
    address = parseHop(hops.pop() ?? '');
  }
  return address;
}

function parseHop(text: string): string | undefined {
  const hop = text.trim();
  const [, bracketed, plain] = WITH_PORT.exec(hop) ?? [];
  const address = bracketed ?? plain ?? hop;
  return isIP(address) > 0 ? address : undefined;
}
