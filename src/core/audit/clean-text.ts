const UNFIT = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * A text that can be stored and hashed: what a foreign document may write but no UTF-8 and no Postgres can hold (lone
 * surrogates, NUL) becomes U+FFFD, as Go's decoder does with lone surrogates.
 */
export function cleanText(text: string): string {
  return text.replace(UNFIT, '\ufffd');
}
