/** What versions before a minor one say, where newer ones say something else. */
export interface EarlierWords {
  readonly before: number;
  readonly text: string;
}

/**
 * Since this minor version messages show values that are neither strings nor numbers as JSON; before, as Go does (`%#v`, or `String()` of
 * types that have it, such as names of resources).
 *
 * Source: k8s.io/apimachinery, pkg/util/validation/field/errors.go, `ErrorBody`.
 */
export const JSON_VALUES_SINCE = 34;

interface Rewording {
  readonly before: number;
  /** Today's words. */
  readonly words: RegExp;
  /** Those of earlier versions, as a replacement. */
  readonly earlier: string;
}

/**
 * Details of validation errors that have been reworded, the latest first.
 *
 * Source: k8s.io/apimachinery, pkg/api/validate/content and pkg/util/validation (1.35), pkg/util/validation/field/errors.go (1.32);
 * k8s.io/kubernetes, pkg/apis/core/validation/validation.go (1.34, 1.36).
 */
const REWORDINGS: readonly Rewording[] = [
  {
    before: 36,
    words: /^must be 'NotRequired' when pod `restartPolicy` is 'Never'$/,
    earlier: "must be 'NotRequired' when `restartPolicy` is 'Never'",
  },
  {
    before: 35,
    words: /\bmust be no more than (\d+) bytes(?=;|$)/g,
    earlier: 'must be no more than $1 characters',
  },
  { before: 35, words: /^a valid label key (?=must consist of)/, earlier: 'a qualified name ' },
  {
    before: 32,
    words: /^may not be more than (\d+) bytes$/,
    earlier: 'must have at most $1 bytes',
  },
  {
    before: 34,
    words: /^claims may not be set for Resources at pod-level$/,
    earlier: 'claims cannot be set for Resources at pod-level',
  },
  { before: 34, words: /^when `hostUsers` is false$/, earlier: 'when `pod.Spec.HostUsers` is false' },
];

/** What earlier versions say in the place of a detail, the earliest first; empty where nothing has changed. */
export function earlierWords(detail: string): readonly EarlierWords[] {
  let text = detail;
  const found: EarlierWords[] = [];
  for (const { before, words, earlier } of REWORDINGS) {
    const reworded = text.replace(words, earlier);
    if (reworded === text) continue;
    text = reworded;
    found.unshift({ before, text });
  }
  return found;
}

/** A text as a version says it. */
export const inWordsOf = (minor: number, text: string, earlier: readonly EarlierWords[]): string =>
  earlier.find(({ before }) => minor < before)?.text ?? text;
