const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** What Go does not print as it is: quote, backslash, and all but letters, marks, numbers, punctuation, symbols and space. */
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** A string as Go's `%q` and `strconv.Quote` write it: `"a\x00\u200b"`. Letters of every script stay as they are. */
export function quoteGo(text: string): string {
  const escaped = text.replace(ESCAPED, (character) => {
    const short = SHORT_ESCAPES.get(character);
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    const hex = (digits: number): string => code.toString(16).padStart(digits, '0');
    return code < 0x80 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
  });
  return `"${escaped}"`;
}

/** A string, or a list of them, as Go's `json.Marshal` writes it: the characters that HTML minds are escaped as well. */
export function jsonGo(value: string | readonly string[]): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
