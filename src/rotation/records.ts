import { createHash } from 'node:crypto';
import type { RootCredential } from '../contract/index.js';
import { Fields } from './fields.js';

const VERSION = 1;

/** Beginning of the display name of every credential that root rotation makes; a UUID follows. */
export const ATTEMPT_PREFIX = 'cloud-identity-auth-';

/** How to find the superseded credential in the directory. */
export interface Superseded {
  /** Known when a rotation made it; else once it was found by its hint. */
  readonly keyId?: string;
  /** The first characters of its secret, when somebody else made it. */
  readonly hint?: string;
}

interface Attempt {
  /** Display name of the new credential. */
  readonly attempt: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** When the new secret expires, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  /** What the configuration held when the attempt began. */
  readonly credential: RootCredential;
  readonly superseded: Superseded;
}

/** The directory may have a credential whose secret nobody has. */
export interface AddingRotation extends Attempt {
  readonly state: 'adding';
}

/** The new secret is known: not in use yet, or in use while the superseded one goes. */
export interface AddedRotation extends Attempt {
  readonly state: 'pending' | 'promoting';
  readonly secret: string;
  readonly keyId: string;
}

/** A rotation that has begun and not ended. */
export type OpenRotation = AddingRotation | AddedRotation;

/** The record `rotation`: the secret in use, as far as it came from a rotation, and the rotation that is open. */
export interface RotationRecord {
  /** Milliseconds since the Unix epoch. */
  readonly lastRotation?: number;
  /** Display name of the last completed attempt. */
  readonly attempt?: string;
  readonly keyId?: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt?: number;
  /** The secret that key id and expiry are those of, by {@link digestOf}: an operator may have replaced it since. */
  readonly secretDigest?: string;
  readonly open?: OpenRotation;
  /** Fields that this version does not know. */
  readonly other?: Readonly<Record<string, unknown>>;
}

/** A credential that must go from the directory: a record below `wal/`. */
export interface CleanUp {
  /** Any of them may still be good for asking the directory. */
  readonly credentials: readonly RootCredential[];
  /** By its display name while its key id is not known. */
  readonly target: { readonly keyId: string } | { readonly attempt: string };
  /** {@link digestOf} its secret, where that is known. */
  readonly secretDigest?: string;
  /** Since when it must go, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** When it expires by itself, in milliseconds since the Unix epoch. */
  readonly until: number;
}

/** Tells secrets apart without holding them. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Id of the clean-up record of an attempt. */
export function cleanUpId({ attempt }: { readonly attempt: string }): string {
  return attempt.slice(ATTEMPT_PREFIX.length);
}

/** Whether two credentials are the same in every part. */
export function isSameCredential(one: RootCredential | undefined, other: RootCredential): boolean {
  return one !== undefined && isSameApplication(one, other) && one.clientSecret === other.clientSecret;
}

/** Whether two credentials are for the same application. */
export function isSameApplication(one: RootCredential, other: RootCredential): boolean {
  return one.tenantId === other.tenantId && one.environment === other.environment && one.clientId === other.clientId;
}

/** The credential that the configuration has once the new secret is in use. */
export function newCredential(open: AddedRotation): RootCredential {
  return { ...open.credential, clientSecret: open.secret };
}

export function formatRotation(record: RotationRecord): string {
  const { other, lastRotation, attempt, keyId, expiresAt, secretDigest, open } = record;
  return JSON.stringify({
    ...other,
    version: VERSION,
    last_rotation: lastRotation,
    attempt,
    key_id: keyId,
    expires_at: expiresAt,
    secret_digest: secretDigest,
    open: open && {
      state: open.state,
      attempt: open.attempt,
      started_at: open.startedAt,
      expires_at: open.expiresAt,
      credential: formatCredential(open.credential),
      superseded: { key_id: open.superseded.keyId, hint: open.superseded.hint },
      ...(open.state !== 'adding' && { secret: open.secret, key_id: open.keyId }),
    },
  });
}

/** Throws `storage_failed` when the text is no such record. */
export function parseRotation(key: string, text: string): RotationRecord {
  const fields = Fields.parse(key, text);
  const { last_rotation, attempt, key_id, expires_at, secret_digest, open, ...other } = fields.values;
  return {
    ...(last_rotation !== undefined && { lastRotation: fields.number('last_rotation') }),
    ...(attempt !== undefined && { attempt: fields.text('attempt') }),
    ...(key_id !== undefined && { keyId: fields.text('key_id') }),
    ...(expires_at !== undefined && { expiresAt: fields.number('expires_at') }),
    ...(secret_digest !== undefined && { secretDigest: fields.text('secret_digest') }),
    ...(open !== undefined && { open: parseOpen(fields.record('open')) }),
    other,
  };
}

function parseOpen(fields: Fields): OpenRotation {
  const attempt = {
    attempt: fields.text('attempt', /^cloud-identity-auth-[0-9a-f-]{36}$/),
    startedAt: fields.number('started_at'),
    expiresAt: fields.number('expires_at'),
    credential: parseCredential(fields.record('credential')),
    superseded: parseSuperseded(fields.record('superseded')),
  };
  const state = fields.text('state', /^(adding|pending|promoting)$/) as OpenRotation['state'];
  return state === 'adding'
    ? { state, ...attempt }
    : { state, ...attempt, secret: fields.text('secret'), keyId: fields.text('key_id') };
}

function parseSuperseded(fields: Fields): Superseded {
  const { key_id, hint } = fields.values;
  return {
    ...(key_id !== undefined && { keyId: fields.text('key_id') }),
    ...(hint !== undefined && { hint: fields.text('hint') }),
  };
}

export function formatCleanUp({ credentials, target, secretDigest, since, until }: CleanUp): string {
  return JSON.stringify({
    version: VERSION,
    credentials: credentials.map(formatCredential),
    ...('keyId' in target ? { key_id: target.keyId } : { attempt: target.attempt }),
    secret_digest: secretDigest,
    since,
    until,
  });
}

/** Throws `storage_failed` when the text is no such record. */
export function parseCleanUp(key: string, text: string): CleanUp {
  const fields = Fields.parse(key, text);
  const { key_id, secret_digest } = fields.values;
  return {
    credentials: fields.records('credentials').map(parseCredential),
    target: key_id === undefined ? { attempt: fields.text('attempt') } : { keyId: fields.text('key_id') },
    ...(secret_digest !== undefined && { secretDigest: fields.text('secret_digest') }),
    since: fields.number('since'),
    until: fields.number('until'),
  };
}

function formatCredential({ tenantId, environment, clientId, clientSecret }: RootCredential): object {
  return { tenant_id: tenantId, environment, client_id: clientId, client_secret: clientSecret };
}

function parseCredential(fields: Fields): RootCredential {
  return {
    tenantId: fields.text('tenant_id'),
    environment: fields.text('environment'),
    clientId: fields.text('client_id'),
    clientSecret: fields.text('client_secret'),
  };
}
