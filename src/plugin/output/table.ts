import type { Style } from './style.js';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null;
  /** Only with `-o wide`. */
  readonly isWide?: boolean;
}

/** Columns are not made narrower than this. */
const NARROWEST = 12;
const GAP = '   ';

/** A table as kubectl prints it. On a terminal, the widest columns are cut so that each row has one line; `-o wide` cuts nothing. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], style: Style): readonly string[] {
  const shown = columns.filter(({ isWide = false }) => style.isWide || !isWide);
  const cells = [shown.map(({ title }) => title), ...rows.map((row) => shown.map(({ value }) => textOf(value(row))))];
  const widths = shown.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  if (!style.isWide) narrow(widths, style.width - GAP.length * (shown.length - 1));
  return cells.map((row) =>
    row
      .map((cell, column) => cut(cell, widths[column]!).padEnd(widths[column]!))
      .join(GAP)
      .trimEnd(),
  );
}

function textOf(value: string | number | null): string {
  if (value === null || value === '') return '<none>';
  return String(value).replace(/\s*\n\s*/g, ' ');
}

/** Takes from the widest column until all fit, or none can give more. */
function narrow(widths: number[], available: number): void {
  let sum = widths.reduce((total, width) => total + width, 0);
  while (sum > available) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) return;
    widths[widths.indexOf(widest)]! -= 1;
    sum -= 1;
  }
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
