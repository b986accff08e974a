import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import './virtual-table.css';

export interface Column<Row> {
  readonly id: string;
  readonly title: ReactNode;
  /** A track of a CSS grid. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  readonly number?: boolean;
}

/** Up to so many rows are all in the page: they are found by the browser's search, and printed. */
const ALL_SHOWN = 100;
const ROW_HEIGHT = 34;
const FROM_END = 20;

/** The least width of a track with its gap, so that all rows are equally wide. */
const leastOf = (width: string): number => Number(/([\d.]+)rem/.exec(width)?.[1] ?? 0) + 0.75;

/** A table of any length, of which the page holds what is to be seen. */
export function VirtualTable<Row>({
  label,
  rows,
  columns,
  keyOf,
  total,
  onEnd,
  isCurrent,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** The number of rows, if not all are here yet. */
  readonly total?: number | undefined;
  /** Called when the last rows are in sight. */
  readonly onEnd?: (() => void) | undefined;
  readonly isCurrent?: ((row: Row) => boolean) | undefined;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const isVirtual = rows.length > ALL_SHOWN;
  // eslint-disable-next-line react-hooks/incompatible-library -- it is about the React Compiler, which does not run here
  const virtual = useVirtualizer({
    count: rows.length,
    enabled: isVirtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (at) => keyOf(rows[at]!),
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const nearsEnd = isVirtual && last >= rows.length - FROM_END;
  useEffect(() => {
    if (nearsEnd) onEnd?.();
  }, [nearsEnd, onEnd]);
  const template = {
    gridTemplateColumns: columns.map(({ width }) => width).join(' '),
    minWidth: `${columns.reduce((sum, { width }) => sum + leastOf(width), 0)}rem`,
  };
  const cellsOf = (row: Row): ReactNode =>
    columns.map(({ id, cell, number }) => (
      <div key={id} role="cell" className={number === true ? 'number' : undefined}>
        {cell(row)}
      </div>
    ));
  return (
    <div
      ref={scroller}
      className="vtable"
      role="table"
      aria-label={label}
      aria-rowcount={(total ?? rows.length) + 1}
      data-virtual={isVirtual}
      tabIndex={0}
    >
      <div role="rowgroup" className="vtable-head">
        <div role="row" aria-rowindex={1} style={template}>
          {columns.map(({ id, title, number }) => (
            <div key={id} role="columnheader" className={number === true ? 'number' : undefined}>
              {title}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="vtable-body" style={isVirtual ? { height: virtual.getTotalSize() } : {}}>
        {isVirtual
          ? items.map(({ index, key, start }) => (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                role="row"
                aria-rowindex={index + 2}
                aria-current={isCurrent?.(rows[index]!) === true || undefined}
                style={{ ...template, transform: `translateY(${start}px)` }}
              >
                {cellsOf(rows[index]!)}
              </div>
            ))
          : rows.map((row, at) => (
              <div
                key={keyOf(row)}
                role="row"
                aria-rowindex={at + 2}
                aria-current={isCurrent?.(row) === true || undefined}
                style={template}
              >
                {cellsOf(row)}
              </div>
            ))}
      </div>
    </div>
  );
}
