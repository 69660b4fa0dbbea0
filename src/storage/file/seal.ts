import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const FORMAT = 'cloud-identity-auth file storage 1';
const VERSION = 1;
const SALT = 16;
const NONCE = 12;
const TAG = 16;
const HEADER = 1 + SALT + NONCE;

/** Bytes of a sealed file beyond those of its value. */
export const SEAL_OVERHEAD = HEADER + TAG;

/**
 * Encrypts and authenticates the files of one storage directory with AES-256-GCM.
 *
 * Every file is version, salt, nonce, ciphertext and tag. Its key is derived (HKDF-SHA-256) from the storage's key, the
 * directory's salt and the file's salt of 16 random bytes; the nonce is 12 random bytes. Both are drawn anew at each write,
 * so the 2^32 messages that random nonces allow under one GCM key are no bound on writes: even after 2^60 of them, two share
 * salt and nonce with a chance below 2^-100.
 *
 * The file's name and the format are associated data: a file that was swapped, renamed, or taken from another directory
 * under the same key does not open. An older file of the same name does; only a host that keeps state elsewhere could tell.
 */
export class Seal {
  readonly #key: ArrayBuffer;

  /**
   * @param key - 32 secret bytes
   * @param salt - the directory's
   */
  constructor(key: Uint8Array, salt: Uint8Array) {
    this.#key = hkdfSync('sha256', key, salt, FORMAT, 32);
  }

  /** Gives the content of the file of that name. */
  close(name: string, value: Uint8Array): Buffer {
    const salt = randomBytes(SALT);
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv('aes-256-gcm', this.#fileKey(salt), nonce).setAAD(associated(name));
    const parts = [Buffer.of(VERSION), salt, nonce, cipher.update(value), cipher.final()];
    return Buffer.concat([...parts, cipher.getAuthTag()]);
  }

  /**
   * Gives back the value of the file of that name.
   *
   * @throws Error when the content is not exactly what {@link close} gave for that name
   */
  open(name: string, content: Buffer): Buffer {
    if (content.length < SEAL_OVERHEAD || content[0] !== VERSION) throw new Error('not a sealed file');
    const salt = content.subarray(1, 1 + SALT);
    const nonce = content.subarray(1 + SALT, HEADER);
    const decipher = createDecipheriv('aes-256-gcm', this.#fileKey(salt), nonce, { authTagLength: TAG });
    decipher.setAAD(associated(name)).setAuthTag(content.subarray(-TAG));
    return Buffer.concat([decipher.update(content.subarray(HEADER, -TAG)), decipher.final()]);
  }

  #fileKey(salt: Uint8Array): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', new Uint8Array(this.#key), salt, 'file', 32));
  }
}

function associated(name: string): Buffer {
  return Buffer.from(`${FORMAT}\0${name}`);
}
