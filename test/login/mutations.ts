import fc from 'fast-check';

/** Characters that some way of folding case or of normalising turns into the key. */
const LOOKALIKES: Readonly<Record<string, readonly string[]>> = {
  a: ['а', 'ａ', 'ª', 'á'],
  b: ['Ь', 'ｂ'],
  e: ['е', 'ｅ', 'é'],
  g: ['ｇ', 'ɡ'],
  i: ['ı', 'İ', 'ｉ', 'і'],
  k: ['\u212a', 'ｋ'],
  o: ['о', 'º', 'ｏ'],
  r: ['ｒ', 'г'],
  s: ['ſ', 'ѕ', 'ｓ'],
  w: ['ｗ', 'ʷ'],
  0: ['０', '⁰', '٠', 'O'],
  1: ['１', '¹', 'l'],
};
const INVISIBLE = ['\0', '\t', '\n', ' ', '\u00a0', '\u00ad', '\u0301', '\u200b', '\u202e', '\ufeff'];
const ADDED = ['x', '-2', '_x1', '_x1_y2', '.', '..', '%20', '%2f', '\\', '?', '#', ';', ':', '*', '+', ...INVISIBLE];

type Change = (segment: string, position: number) => string;

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...ADDED).map(
    (added): Change =>
      (segment) =>
        segment + added,
  ),
  fc.constantFrom(...ADDED).map(
    (added): Change =>
      (segment) =>
        added + segment,
  ),
  fc.constantFrom(...ADDED).map(
    (added): Change =>
      (segment, at) =>
        segment.slice(0, at) + added + segment.slice(at),
  ),
  fc.constantFrom<Change>(
    (segment) => segment.slice(1),
    (segment) => segment.slice(0, -1),
    (segment) => segment.repeat(2),
    (segment) => Array.from(segment).reverse().join(''),
    (segment, at) => segment.slice(0, at) + segment.slice(at + 1),
    (segment, at) => segment.slice(0, at) + (segment.charAt(at) === 'b' ? 'c' : 'b') + segment.slice(at + 1),
    (segment, at) => segment.slice(0, at) + percent(segment.charAt(at)) + segment.slice(at + 1),
    (segment) => Array.from(segment, percent).join(''),
    () => '',
    () => '.',
    () => '..',
    () => '*',
  ),
  fc.nat({ max: 3 }).map((choice): Change => (segment, at) => {
    const options = LOOKALIKES[segment.charAt(at).toLowerCase()] ?? ['\u0301'];
    return segment.slice(0, at) + options[choice % options.length]! + segment.slice(at + 1);
  }),
);

function percent(character: string): string {
  return encodeURIComponent(character).length > 1
    ? encodeURIComponent(character)
    : `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** A name with one change that is more than case. */
export function changedName(name: string): fc.Arbitrary<string> {
  return fc.tuple(changes, fc.nat({ max: name.length - 1 })).map(([change, at]) => change(name, at));
}

/** An id in which one segment was changed, or two were swapped, or segments came or went. */
export function changedId(id: string): fc.Arbitrary<string> {
  const segments = id.split('/');
  const index = fc.integer({ min: 1, max: segments.length - 1 });
  const oneChanged = index.chain((at) => changedName(segments[at]!).map((segment) => segments.with(at, segment)));
  const twoSwapped = fc
    .tuple(index, index)
    .map(([left, right]) => segments.with(left, segments[right]!).with(right, segments[left]!));
  const extra = fc.constantFrom('', '.', '..', 'x', 'virtualMachines/0', 'extensions/x', 'slots/web', '%2e%2e');
  const oneMore = fc.tuple(index, extra).map(([at, more]) => segments.toSpliced(at, 0, more));
  const oneLess = index.map((at) => segments.toSpliced(at, 1));
  const pairLess = index.map((at) => segments.toSpliced(at, 2));
  const pairMore = fc
    .tuple(index, index)
    .map(([at, from]) => segments.toSpliced(at, 0, ...segments.slice(from, from + 2)));
  const ending = fc.constantFrom(
    '/',
    '//',
    '/extensions/x',
    '/providers/Microsoft.Web/sites/web',
    '?x',
    '#x',
    ' ',
    '\0',
  );
  return fc.oneof(
    { weight: 4, arbitrary: oneChanged.map((changed) => changed.join('/')) },
    fc.oneof(twoSwapped, oneMore, oneLess, pairLess, pairMore).map((changed) => changed.join('/')),
    ending.map((more) => id + more),
  );
}
