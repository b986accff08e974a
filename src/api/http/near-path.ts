/** Maximum edit distance between a path segment and the one that was meant. */
const MAX_EDITS = 2;
const API = ['api', 'v1'];

/**
 * The served path that was probably meant: handles a missing prefix (`/clusters`), a misspelled or differently cased
 * segment, an extra slash, and a missing suffix (`/openapi`).
 * @param urls as Fastify has them: `/api/v1/clusters/:cluster`
 */
export function nearPath(path: string, urls: Iterable<string>): string | undefined {
  const asked = segmentsOf(path);
  if (asked.length > 20) return undefined;
  const inApi = [...API, ...withoutApi(asked)];
  let best: { readonly path: string; readonly edits: number } | undefined;
  for (const url of urls) {
    if (url.includes('*')) continue;
    const wanted = segmentsOf(url);
    for (const segments of [asked, inApi]) {
      const edits = editsBetween(segments, wanted);
      if (edits === undefined || (best !== undefined && best.edits <= edits)) continue;
      best = { path: `/${wanted.map((name, at) => (name.startsWith(':') ? segments[at]! : name)).join('/')}`, edits };
    }
  }
  return best?.path;
}

const segmentsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

/** Treats `/api/clusters`, `/v1/clusters`, `/apis/v1beta1/clusters` and `/clusters` as the same mistake. */
function withoutApi([first = '', second = '', ...rest]: readonly string[]): string[] {
  const isVersion = (text: string): boolean => /^v\d\w*$/.test(text);
  if (isVersion(first)) return [second, ...rest].filter((part) => part !== '');
  if (!/^apis?$/.test(first)) return [first, second, ...rest].filter((part) => part !== '');
  return (isVersion(second) ? rest : [second, ...rest]).filter((part) => part !== '');
}

/** @returns undefined if the paths are too different */
function editsBetween(asked: readonly string[], wanted: readonly string[]): number | undefined {
  if (asked.length !== wanted.length) return undefined;
  let sum = 0;
  for (const [at, name] of wanted.entries()) {
    if (name.startsWith(':')) continue;
    const edits = editsOf(asked[at]!.toLowerCase(), name);
    if (edits > Math.min(MAX_EDITS, Math.floor(name.length / 3))) return undefined;
    sum += edits;
  }
  return sum;
}

/** Edit distance (Levenshtein); a missing suffix counts as one edit. */
function editsOf(text: string, wanted: string): number {
  if (text === wanted) return 0;
  if (wanted.startsWith(`${text}.`)) return 1;
  if (Math.abs(text.length - wanted.length) > MAX_EDITS) return Infinity;
  let row = Array.from({ length: wanted.length + 1 }, (_, index) => index);
  for (let at = 0; at < text.length; at++) {
    const next = [at + 1];
    for (let index = 1; index <= wanted.length; index++) {
      const replaced = row[index - 1]! + (wanted[index - 1] === text[at] ? 0 : 1);
      next.push(Math.min(replaced, row[index]! + 1, next[index - 1]! + 1));
    }
    row = next;
  }
  return row[wanted.length]!;
}
