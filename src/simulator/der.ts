/** Writes the few ASN.1 values (DER) that a certificate is made of. Each function returns a whole tag-length-value. */

/** One value of any tag; the content is the parts, one after another. */
export function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content]);
}

function lengthOf(content: Buffer): number[] {
  if (content.length < 0x80) return [content.length];
  const bytes = content.length < 0x100 ? [content.length] : [content.length >> 8, content.length & 0xff];
  return [0x80 | bytes.length, ...bytes];
}

/** Values in order. */
export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);
/** Values in no order; given one, as names in certificates have it, there is nothing to sort. */
export const set = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts);
/** Bytes. */
export const octetString = (content: Uint8Array): Buffer => tagged(0x04, content);
/** Text. */
export const utf8String = (text: string): Buffer => tagged(0x0c, Buffer.from(text));
/** The boolean true. */
export const yes = (): Buffer => tagged(0x01, Buffer.from([0xff]));

/** A non-negative integer given as big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes[0] ?? 0;
  return first & 0x80 ? tagged(0x02, Buffer.from([0]), bytes) : tagged(0x02, bytes);
}

/** Bits in whole bytes, or with that many unused bits at the end. */
export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.from([unusedBits]), content);
}

/** An object identifier in dotted notation. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift(0x80 | (left & 0x7f));
  return digits;
}

/** A time in whole seconds: UTCTime until 2049 and GeneralizedTime after, as RFC 5280 section 4.1.2.5 has it. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+Z$|[-:T]/g, '');
  return date.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : tagged(0x18, Buffer.from(`${digits}Z`));
}
