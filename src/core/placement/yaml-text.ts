/** Plain in every YAML reader: no quotes needed, and read as a text. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_./-]*$/;
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'yes', 'no', 'on', 'off', 'null', 'y', 'n']);

/**
 * JSON-like data as YAML text for a reader to paste: two spaces of indentation, strings quoted where they need it. Ends
 * with a newline.
 */
export function yamlText(value: unknown): string {
  return `${lines(value).join('\n')}\n`;
}

function lines(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    return value.length === 0
      ? ['[]']
      : value.flatMap((item) => lines(item).map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`)));
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as Readonly<Record<string, unknown>>);
    return entries.length === 0
      ? ['{}']
      : entries.flatMap(([key, item]) => {
          const below = lines(item);
          const nested = typeof item === 'object' && item !== null && Object.keys(item).length > 0;
          const indent = Array.isArray(item) ? '' : '  ';
          return nested
            ? [`${text(key)}:`, ...below.map((line) => indent + line)]
            : [`${text(key)}: ${below[0] ?? ''}`];
        });
  }
  return [typeof value === 'string' ? text(value) : String(value)];
}

const text = (value: string): string =>
  PLAIN.test(value) && !WORDS.has(value.toLowerCase()) ? value : JSON.stringify(value);
