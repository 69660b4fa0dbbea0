/**
 * Folds the case of a name, so that names, ids and locations compare as the cloud compares them.
 *
 * A character is folded only if its lower case folds back to it: the Kelvin sign must not become a plain `k`, or a resource
 * group named with it would pass for another one.
 */
export function fold(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) {
    const lower = character.toLowerCase();
    folded += lower.toUpperCase() === character ? lower : character;
  }
  return folded;
}

/** Whether two names are the same but for case. */
export function sameName(left: string, right: string): boolean {
  return left === right || fold(left) === fold(right);
}

/** Folds a location, where blanks do not count either: `East US` is `eastus`. */
export function foldLocation(location: string): string {
  return fold(location.replace(/ /g, ''));
}
