import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import './virtual-table.css';

export interface TableColumn<Row> {
  readonly id: string;
  readonly title: ReactNode;
  /** A track of a CSS grid, such as `6rem` or `minmax(10rem, 2fr)`. */
  readonly width: string;
  readonly numeric?: boolean;
  /** Names the row for screen readers. */
  readonly isHeader?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

/**
 * A table of any length, of which only the rows in sight are in the page. Its rows have one height; it scrolls by itself, also with the
 * keyboard.
 */
export function VirtualTable<Row>({
  label,
  rows,
  columns,
  keyOf,
  rowHeight = 36,
  minWidth = '40rem',
  total = rows.length,
  onEnd,
  isSelected,
}: {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly rowHeight?: number;
  readonly minWidth?: string;
  /** Number of rows, if not all of them are loaded. */
  readonly total?: number;
  /** The last loaded row is in sight. */
  readonly onEnd?: (() => void) | undefined;
  readonly isSelected?: (row: Row) => boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => keyOf(rows[index]!),
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= rows.length - 1 && rows.length < total) onEnd?.();
  }, [last, rows.length, total, onEnd]);
  const gridTemplateColumns = columns.map(({ width }) => width).join(' ');
  return (
    <div className="virtual-table" ref={box} tabIndex={0} role="region" aria-label={label}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={total + 1}
        aria-colcount={columns.length}
        style={{ minWidth }}
      >
        <div role="rowgroup" className="virtual-head">
          <div role="row" aria-rowindex={1} className="virtual-row" style={{ gridTemplateColumns }}>
            {columns.map(({ id, title, numeric }) => (
              <div key={id} role="columnheader" className={numeric === true ? 'number' : undefined}>
                {title}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="virtual-body" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, key, start }) => {
            const row = rows[index]!;
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={isSelected?.(row)}
                className="virtual-row"
                style={{ gridTemplateColumns, height: rowHeight, transform: `translateY(${start}px)` }}
              >
                {columns.map(({ id, cell, numeric, isHeader }) => (
                  <div
                    key={id}
                    role={isHeader === true ? 'rowheader' : 'cell'}
                    className={numeric === true ? 'number' : undefined}
                  >
                    {cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
