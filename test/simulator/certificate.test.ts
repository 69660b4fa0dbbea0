import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { startSimulator } from '../../src/simulator/index.js';
import type { Simulator } from '../../src/simulator/index.js';

const PROVIDER_NAMES = ['login.microsoftonline.com', 'management.azure.com', 'graph.microsoft.com', 'sts.windows.net'];
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

let simulator: Simulator;
let certificate: X509Certificate;

beforeAll(async () => {
  simulator = await startSimulator();
  const socket = await handshake('localhost', simulator.caPem);
  certificate = socket.getPeerX509Certificate()!;
  socket.destroy();
});

afterAll(() => simulator.close());

function handshake(servername: string, ca: string): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(simulator.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), servername, ca }, () => resolve(socket));
    socket.on('error', reject);
  });
}

describe("the simulator's certificate", () => {
  test.each(['localhost', ...PROVIDER_NAMES, 'login.chinacloudapi.cn', 'management.usgovcloudapi.net'])(
    'is accepted for %s',
    async (name) => {
      const socket = await handshake(name, simulator.caPem);
      expect(socket.authorized).toBe(true);
      socket.destroy();
    },
  );

  test('is refused for other names', async () => {
    await expect(handshake('example.com', simulator.caPem)).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  test("is refused under another simulator's authority", async () => {
    const other = await startSimulator();
    await other.close();
    await expect(handshake('localhost', other.caPem)).rejects.toMatchObject({
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
  });

  test('names the loopback addresses', () => {
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.checkIP('127.0.0.2')).toBeUndefined();
  });

  test('cannot sign others, and its authority can', () => {
    const authority = new X509Certificate(simulator.caPem);
    expect(certificate.ca).toBe(false);
    expect(authority.ca).toBe(true);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkIssued(authority)).toBe(true);
  });

  test('passes the strict checks of openssl', () => {
    if (!hasOpenssl) return;
    const directory = mkdtempSync(join(tmpdir(), 'simulator-'));
    try {
      writeFileSync(join(directory, 'ca.pem'), simulator.caPem);
      writeFileSync(join(directory, 'leaf.pem'), certificate.toString());
      const strict = ['verify', '-x509_strict', '-check_ss_sig', '-purpose', 'sslserver'];
      const names = ['-verify_hostname', 'management.azure.com', '-CAfile', 'ca.pem', 'leaf.pem'];
      expect(execFileSync('openssl', [...strict, ...names], { cwd: directory }).toString()).toBe('leaf.pem: OK\n');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
