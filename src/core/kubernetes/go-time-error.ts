import { quoteGo } from './go-text.js';

const LAYOUT = '2006-01-02T15:04:05Z07:00';

/** The parts of the layout: the name in errors, the pattern, and the permitted range of a number. */
const PIECES: readonly (readonly [name: string, pattern: RegExp, range?: readonly [string, number, number]])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/, ['month', 1, 12]],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d?/, ['hour', 0, 23]],
  [':', /^:/],
  ['04', /^\d\d/, ['minute', 0, 59]],
  [':', /^:/],
  ['05', /^\d\d(?:[.,]\d+)?/, ['second', 0, 59]],
  ['Z07:00', /^(?:Z|[+-]\d\d:\d\d)/],
];

/**
 * The error of Go's `time.Parse(time.RFC3339, text)` for an invalid time: `parsing time "yesterday" as
 * "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"`.
 *
 * Source: Go, time/format.go.
 */
export function goTimeError(text: string): string {
  const parsing = `parsing time ${quoteGo(text)}`;
  let rest = text;
  for (const [name, pattern, range] of PIECES) {
    const taken = pattern.exec(rest)?.[0];
    if (taken === undefined)
      return `${parsing} as ${quoteGo(LAYOUT)}: cannot parse ${quoteGo(rest)} as ${quoteGo(name)}`;
    rest = rest.slice(taken.length);
    if (range === undefined) continue;
    const [what, least, most] = range;
    const number = Number.parseInt(taken, 10);
    if (number < least || number > most) return `${parsing}: ${what} out of range`;
  }
  return rest === '' ? `${parsing}: day out of range` : `${parsing}: extra text: ${quoteGo(rest)}`;
}
