/** With the u flag a surrogate pair is one character, not two surrogates. */
const UNFIT = /[\0\p{Surrogate}]/gu;

/**
 * A text that can be stored and hashed: characters that UTF-8 or Postgres cannot represent (lone surrogates, NUL) are
 * replaced by U+FFFD, as in Go's decoder.
 */
export function cleanText(text: string): string {
  return text.replace(UNFIT, '\ufffd');
}

/** The value with cleaned texts, including keys. @param value plain JSON */
export function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanText(key), cleanValue(member)]));
}
