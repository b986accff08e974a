/** With the u flag a pair is one character, and no surrogate. */
const UNFIT = /[\0\p{Surrogate}]/gu;

/**
 * A text that can be stored and hashed: what a foreign document may write but no UTF-8 and no Postgres can hold (lone
 * surrogates, NUL) becomes U+FFFD, as Go's decoder does with lone surrogates.
 */
export function cleanText(text: string): string {
  return text.replace(UNFIT, '\ufffd');
}

/** The same value with clean texts in it, keys included. @param value plain JSON */
export function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanText(key), cleanValue(member)]));
}
