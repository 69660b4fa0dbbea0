/** Longest piece of an encoded segment in one file name. With its letter well below the 255 bytes of common file systems. */
const PIECE = 200;

/**
 * How storage keys become file names that are the same on every file system: lower-case letters, digits, `_`, `-` and `%`
 * only, so that neither case, nor Unicode normalisation, nor reserved names matter, and nothing climbs.
 *
 * Each segment is escaped and starts with a letter that says what it is: `v` a value, `d` a folder. So `role/Dev` is
 * `drole/v%44ev`. A segment too long for a file name begins with continuation folders, letter `c`.
 */
export function valuePath(key: string): string {
  const segments = key.split('/');
  return segments.map((segment, index) => entryPath(index === segments.length - 1 ? 'v' : 'd', segment)).join('/');
}

/** Path of the folder that holds what {@link Storage.list} gives for a prefix; empty for the top. */
export function folderPath(prefix: string): string {
  const segments = prefix.split('/').slice(0, -1);
  return segments.map((segment) => entryPath('d', segment)).join('/');
}

/**
 * The segment that a path below its folder stands for.
 *
 * @param path - names as found on disk, continuation folders included
 * @returns undefined for a file that is not ours: every segment has one path only
 */
export function segmentOf(path: string): string | undefined {
  const names = path.split('/');
  const segment = unescape(names.map((name) => name.slice(1)).join(''));
  const letter = names.at(-1)?.startsWith('v') === true ? 'v' : 'd';
  return segment !== '' && entryPath(letter, segment) === path ? segment : undefined;
}

function entryPath(letter: 'v' | 'd', segment: string): string {
  const text = escape(segment);
  const continued: string[] = [];
  let start = 0;
  for (; start + PIECE < text.length; start += PIECE) continued.push(`c${text.slice(start, start + PIECE)}`);
  return [...continued, letter + text.slice(start)].join('/');
}

/** By code unit, so that lone surrogates, which no encoding to bytes tells apart, stay apart. */
function escape(segment: string): string {
  return segment.replace(/[^a-z0-9_-]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16);
    return code.length <= 2 ? `%${code.padStart(2, '0')}` : `%u${code.padStart(4, '0')}`;
  });
}

function unescape(text: string): string {
  return text.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/g, (_, long: string | undefined, short: string) =>
    String.fromCharCode(parseInt(long ?? short, 16)),
  );
}
