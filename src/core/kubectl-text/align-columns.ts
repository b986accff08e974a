/** Go's `text/tabwriter` as kubectl configures it: this many spaces between columns, and no minimum width. */
const PADDING = 2;

/**
 * Escapes characters that a terminal would interpret (k8s.io/cli-runtime v0.36.2, pkg/printers/terminal.go, `WriteEscaped`).
 */
const escapeTerminal = (text: string): string => text.replaceAll('\u001b', '^[').replaceAll('\r', '\\r');

/**
 * Aligns the cells of lines, as `kubectl describe` does. A tab ends a cell; the text after a line's last tab is in no column.
 * A column is a run of consecutive lines that have a cell at that position. A line without one ends the run, so each table has
 * its own widths, except for columns that it shares with the lines directly above it.
 *
 * @param atLeast the minimum width of the first column, padding included, because of lines above these
 * @returns the aligned lines as one text
 *
 * Source: Go's text/tabwriter with `Init(out, 0, 8, 2, ' ', 0)`, k8s.io/kubectl v0.36.2, pkg/describe/describe.go,
 * `tabbedString`.
 */
export function alignColumns(lines: readonly string[], { atLeast }: { readonly atLeast: number }): string {
  const rows = lines.map((line) => escapeTerminal(line).split('\t'));
  const padded = rows.map(() => '');
  alignFrom(rows, padded, { column: 0, from: 0, to: rows.length, atLeast });
  return rows.map((cells, row) => `${padded[row]!}${cells[cells.length - 1]!}\n`).join('');
}

interface Block {
  readonly column: number;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly atLeast: number;
}

/** Aligns one column of some lines, run by run, and then the columns after it within each run. */
function alignFrom(rows: readonly string[][], padded: string[], { column, from, to, atLeast }: Block): void {
  const hasCell = (row: number): boolean => row < to && column < rows[row]!.length - 1;
  for (let start = from; start < to; start++) {
    if (!hasCell(start)) continue;
    let end = start;
    let width = start === 0 ? atLeast : 0;
    for (; hasCell(end); end++) width = Math.max(width, widthOf(rows[end]![column]!) + PADDING);
    for (let row = start; row < end; row++) {
      const cell = rows[row]![column]!;
      padded[row]! += cell + ' '.repeat(width - widthOf(cell));
    }
    alignFrom(rows, padded, { column: column + 1, from: start, to: end, atLeast: 0 });
    start = end;
  }
}

/** The width in code points, as Go counts it. */
const widthOf = (text: string): number => Array.from(text).length;
