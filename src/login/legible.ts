/** Characters shown of one value: enough for the longest id of a scale set's instance. */
const SHOWN = 512;

/**
 * Shows a value of a caller, a token or the cloud to an operator: bounded, on one line, and with nothing in it that a terminal obeys
 * or that reverses the reading direction.
 */
export function legible(text: string): string {
  const shown = text.slice(0, SHOWN).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escape);
  return text.length <= SHOWN ? shown : `${shown}... (${text.length - SHOWN} more characters)`;
}

function escape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}
