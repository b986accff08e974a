/** With the u flag a pair is one character, and no surrogate. */
const UNFIT = /[\0\p{Surrogate}]/gu;

/**
 * A text that can be stored and hashed: what a foreign document may write but no UTF-8 and no Postgres can hold (lone
 * surrogates, NUL) becomes U+FFFD, as Go's decoder does with lone surrogates.
 */
export function cleanText(text: string): string {
  return text.replace(UNFIT, '\ufffd');
}
