import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { colorsOf, MatrixPainter, TOP, type Camera, type Place, type ShownRow } from './matrix-painter.js';
import { outcomeOf, type Filtered, type Matrix } from './matrix-model.js';
import { VERDICT_WORDS } from './verdicts.js';

const SIDES = [1, 2, 3, 4, 6, 8, 11, 14, 18, 24, 32] as const;
const FIRST_SIDE = 18;
const LEAST_HEIGHT = 240;
const MOST_HEIGHT = 560;
/** A pointer that moves less has clicked. */
const CLICK_PX = 4;

/** The matrix as a picture: drag or scroll to move, Ctrl and the wheel (or + and -) to zoom, a click to ask why. */
export function MatrixCanvas({
  matrix,
  filtered,
  rows,
  selected,
  onSelect,
  onToggle,
}: {
  readonly matrix: Matrix;
  readonly filtered: Filtered;
  readonly rows: readonly ShownRow[];
  readonly selected: Place | undefined;
  readonly onSelect: (place: Place) => void;
  readonly onToggle: (row: number) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const camera = useRef<Camera>({ x: 0, y: 0, side: FIRST_SIDE });
  const painter = useRef<MatrixPainter>(undefined);
  const hovered = useRef<Place>(undefined);
  const frame = useRef(0);
  const drag = useRef<{ x: number; y: number; moved: boolean }>(undefined);
  const [width, setWidth] = useState(0);
  const [side, setSide] = useState<number>(FIRST_SIDE);
  const [tip, setTip] = useState<Place>();
  const theme = useThemeChange();
  const height = Math.max(LEAST_HEIGHT, Math.min(MOST_HEIGHT, TOP + rows.length * side + 12));

  const draw = useRef(() => {});
  useLayoutEffect(() => {
    draw.current = () => {
      frame.current ||= requestAnimationFrame(() => {
        frame.current = 0;
        painter.current?.clamp(camera.current);
        painter.current?.paint(camera.current, hovered.current, selected);
      });
    };
    draw.current();
  });
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  useLayoutEffect(() => {
    const element = canvas.current!;
    const watching = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    watching.observe(element.parentElement!);
    return () => watching.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = canvas.current!;
    if (width === 0) return;
    const ratio = window.devicePixelRatio;
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    const context = element.getContext('2d', { alpha: false })!;
    painter.current = new MatrixPainter(context, matrix, filtered, rows, colorsOf(element), width, height, ratio);
    draw.current();
  }, [matrix, filtered, rows, width, height, theme]);

  const zoomTo = (next: number, at?: { readonly x: number; readonly y: number }): void => {
    const { left, top } = painter.current!;
    const focus = { x: (at?.x ?? left) - left, y: (at?.y ?? top) - top };
    const now = camera.current;
    const grown = next / now.side;
    camera.current = {
      side: next,
      x: Math.round((now.x + focus.x) * grown - focus.x),
      y: Math.round((now.y + focus.y) * grown - focus.y),
    };
    setSide(next);
    draw.current();
  };
  const zoomBy = (steps: number, at?: { readonly x: number; readonly y: number }): void => {
    const now = SIDES.findIndex((one) => one >= camera.current.side);
    zoomTo(SIDES[Math.max(0, Math.min(SIDES.length - 1, now + steps))]!, at);
  };
  const zoom = useRef(zoomBy);
  useLayoutEffect(() => {
    zoom.current = zoomBy;
  });

  useEffect(() => {
    const element = canvas.current!;
    // React listens passively, and the page would scroll too.
    const onWheel = (event: WheelEvent): void => {
      const now = camera.current;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoom.current(event.deltaY < 0 ? 1 : -1, { x: event.offsetX, y: event.offsetY });
        return;
      }
      const before = { ...now };
      now.x += event.shiftKey ? event.deltaY : event.deltaX;
      now.y += event.shiftKey ? 0 : event.deltaY;
      painter.current?.clamp(now);
      if (now.x === before.x && now.y === before.y) return;
      event.preventDefault();
      draw.current();
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, []);

  const placeOf = ({ nativeEvent }: PointerEvent): Place | undefined =>
    painter.current?.placeAt(camera.current, nativeEvent.offsetX, nativeEvent.offsetY);

  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>): void => {
    const from = drag.current;
    if (from !== undefined) {
      const dx = event.clientX - from.x;
      const dy = event.clientY - from.y;
      if (!from.moved && Math.hypot(dx, dy) < CLICK_PX) return;
      drag.current = { x: event.clientX, y: event.clientY, moved: true };
      camera.current.x -= dx;
      camera.current.y -= dy;
    } else {
      const place = placeOf(event);
      if (place?.row === hovered.current?.row && place?.column === hovered.current?.column) return;
      hovered.current = place;
      setTip(place);
    }
    draw.current();
  };

  const onPointerUp = (event: PointerEvent<HTMLCanvasElement>): void => {
    const moved = drag.current?.moved === true;
    drag.current = undefined;
    if (moved) return;
    const place = placeOf(event);
    if (place === undefined) return;
    if (place.column < 0) onToggle(place.row);
    else onSelect(place);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const { row, column } = selected ?? { row: 0, column: 0 };
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-20, 0],
      PageDown: [20, 0],
      Home: [0, -filtered.columns.length],
      End: [0, filtered.columns.length],
    };
    const move = moves[event.key];
    if (move !== undefined) {
      const next = {
        row: Math.max(0, Math.min(rows.length - 1, selected === undefined ? 0 : row + move[0])),
        column: Math.max(0, Math.min(filtered.columns.length - 1, selected === undefined ? 0 : column + move[1])),
      };
      show(camera.current, painter.current!, next);
      onSelect(next);
    } else if (event.key === '+' || event.key === '=') zoomBy(1);
    else if (event.key === '-') zoomBy(-1);
    else if (event.key === 'Enter') onToggle(row);
    else return;
    event.preventDefault();
  };

  const name = `The matrix: ${rows.length} rows of nodes, ${filtered.columns.length} columns of pods. Arrow keys choose a cell, plus and minus zoom, Enter opens a group of nodes. The table below says the same.`;
  return (
    <div className="matrix-canvas">
      <div className="matrix-tools">
        <button type="button" aria-label="Zoom out" disabled={side === SIDES[0]} onClick={() => zoomBy(-1)}>
          −
        </button>
        <button type="button" aria-label="Zoom in" disabled={side === SIDES.at(-1)} onClick={() => zoomBy(1)}>
          +
        </button>
        <button type="button" onClick={() => zoomTo(FIRST_SIDE)}>
          100 %
        </button>
        <button
          type="button"
          onClick={() => {
            const { left, top } = painter.current!;
            const most = Math.min((width - left) / filtered.columns.length, (MOST_HEIGHT - top) / rows.length);
            camera.current = { x: 0, y: 0, side: camera.current.side };
            zoomTo(SIDES.findLast((one) => one <= most) ?? SIDES[0]);
          }}
        >
          See all
        </button>
        <span className="matrix-tip quiet">
          {tip !== undefined && <Tip {...{ matrix, filtered, rows, place: tip }} />}
        </span>
      </div>
      <canvas
        ref={canvas}
        role="application"
        aria-roledescription="matrix"
        aria-label={name}
        tabIndex={0}
        style={{ width: '100%', height }}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, y: event.clientY, moved: false };
        }}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          drag.current = undefined;
        }}
        onPointerLeave={() => {
          hovered.current = undefined;
          setTip(undefined);
          draw.current();
        }}
      />
    </div>
  );
}

function Tip({
  matrix,
  filtered,
  rows,
  place,
}: {
  readonly matrix: Matrix;
  readonly filtered: Filtered;
  readonly rows: readonly ShownRow[];
  readonly place: Place;
}) {
  const shown = rows[place.row];
  if (shown === undefined) return null;
  const { group } = filtered.rows[shown.row]!;
  const column = filtered.columns[place.column];
  if (column === undefined) return <bdi>{shown.label}</bdi>;
  return (
    <>
      <bdi>{column.label}</bdi>: {VERDICT_WORDS[outcomeOf(matrix, group, column.group).verdict]} ·{' '}
      <bdi>{shown.node ?? group.label}</bdi>
    </>
  );
}

/** Moves the camera so that a cell is in sight. */
function show(camera: Camera, { left, top, width, height }: MatrixPainter, { row, column }: Place): void {
  const { side } = camera;
  camera.x = Math.min(Math.max(camera.x, (column + 1) * side - (width - left)), column * side);
  camera.y = Math.min(Math.max(camera.y, (row + 1) * side - (height - top)), row * side);
}

/** Changes when the colours do. */
function useThemeChange(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = (): void => setChanges((now) => now + 1);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', changed);
    const chosen = new MutationObserver(changed);
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      dark.removeEventListener('change', changed);
      chosen.disconnect();
    };
  }, []);
  return changes;
}
