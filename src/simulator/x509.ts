import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  time,
  utf8String,
  yes,
} from './der.js';

/** A server certificate, its key, and the authority that signed it. All PEM. */
export interface ServerCertificate {
  readonly ca: string;
  readonly certificate: string;
  readonly privateKey: string;
}

const DAY = 86_400_000;
const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

const KEY_USAGE = { digitalSignature: bitString(Buffer.from([0x80]), 7), signing: bitString(Buffer.from([0x06]), 1) };
const SERVER_AUTH = objectIdentifier('1.3.6.1.5.5.7.3.1');

/**
 * Makes a certificate authority and a certificate for these host names and IP addresses, both P-256 and valid for a year from
 * yesterday. The authority's key is dropped: it signs this one certificate and never another.
 */
export function createServerCertificate(names: readonly string[]): ServerCertificate {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authorityName = commonName('Cloud simulator CA');
  const authorityKeyId = keyIdentifier(authority.publicKey);

  const ca = signedCertificate(authorityName, authority.privateKey, authorityName, authority.publicKey, [
    extension('2.5.29.19', sequence(yes()), true),
    extension('2.5.29.15', KEY_USAGE.signing, true),
    extension('2.5.29.14', octetString(authorityKeyId)),
  ]);
  const certificate = signedCertificate(
    authorityName,
    authority.privateKey,
    commonName('Cloud simulator'),
    server.publicKey,
    [
      extension('2.5.29.19', sequence(), true),
      extension('2.5.29.15', KEY_USAGE.digitalSignature, true),
      extension('2.5.29.37', sequence(SERVER_AUTH)),
      extension('2.5.29.17', sequence(...names.map(alternativeName))),
      extension('2.5.29.14', octetString(keyIdentifier(server.publicKey))),
      extension('2.5.29.35', sequence(tagged(0x80, authorityKeyId))),
    ],
  );
  const privateKey = server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { ca, certificate, privateKey };
}

function signedCertificate(
  issuer: Buffer,
  issuerKey: KeyObject,
  subject: Buffer,
  subjectKey: KeyObject,
  extensions: readonly Buffer[],
): string {
  const now = Date.now();
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    // A first byte of 1 keeps the number positive and free of leading zeros.
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(time(new Date(now - DAY)), time(new Date(now + 364 * DAY))),
    subject,
    subjectKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', toBeSigned, issuerKey);
  return toPem(sequence(toBeSigned, ECDSA_WITH_SHA256, bitString(signature)));
}

function toPem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function commonName(name: string): Buffer {
  return sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String(name))));
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(objectIdentifier(id), ...(critical ? [yes()] : []), octetString(value));
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return tagged(0x82, Buffer.from(name));
  return tagged(0x87, isIP(name) === 4 ? Buffer.from(name.split('.').map(Number)) : ipv6Bytes(name));
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const before = groups(head);
  const after = groups(tail);
  const between = new Array<number>(8 - before.length - after.length).fill(0);
  return Buffer.from([...before, ...between, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}
