import type { Filtered, Matrix } from './matrix-model.js';
import { VERDICTS, type Verdict } from './verdicts.js';

/** A row on the canvas: a group, or one node of an open group. */
export interface ShownRow {
  /** Index in the filtered rows. */
  readonly row: number;
  /** The node; undefined for the whole group. */
  readonly node: string | undefined;
  readonly label: string;
}

export interface Colors {
  readonly panel: string;
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly accent: string;
  readonly fills: Readonly<Record<Verdict, string>>;
  readonly glyphs: Readonly<Record<Verdict, string>>;
}

/** Where one looks: the left upper corner in pixels, and the side of a cell. */
export interface Camera {
  x: number;
  y: number;
  side: number;
}

export interface Place {
  readonly row: number;
  readonly column: number;
}

const FONT = '12px system-ui, sans-serif';
/** From this side on, cells have glyphs, and rows and columns have names. */
const GLYPH_SIDE = 11;
const MAX_LEFT = 300;
export const TOP = 216;
const BAR = 26;

export function colorsOf(element: Element): Colors {
  // The value of a custom property is not computed; that of a property that uses it is.
  const probe = element.ownerDocument.createElement('span');
  element.after(probe);
  const of = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colors: Colors = {
    panel: of('--panel'),
    text: of('--text'),
    quiet: of('--quiet'),
    line: of('--line'),
    accent: of('--accent'),
    fills: {
      allowed: of('--good-bg'),
      discouraged: of('--quiet-bg'),
      refused: of('--warn-bg'),
      evicted: of('--bad-bg'),
    },
    glyphs: { allowed: of('--good'), discouraged: of('--quiet'), refused: of('--warn'), evicted: of('--bad') },
  };
  probe.remove();
  return colors;
}

/** Draws the part of the matrix that is in sight. Nothing here depends on how much there is besides. */
export class MatrixPainter {
  private tiles: { readonly side: number; readonly of: readonly CanvasPattern[] } | undefined;
  private overview: HTMLCanvasElement | undefined;
  private readonly verdictOfOutcome: readonly number[];
  private readonly greatest: number;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly matrix: Matrix,
    private readonly filtered: Filtered,
    private readonly rows: readonly ShownRow[],
    private readonly colors: Colors,
    readonly width: number,
    readonly height: number,
    private readonly ratio: number,
  ) {
    this.verdictOfOutcome = matrix.outcomes.map(({ verdict }) => VERDICTS.indexOf(verdict));
    this.greatest = Math.log1p(Math.max(1, ...filtered.columns.map(({ pods }) => pods)));
  }

  get left(): number {
    return Math.min(MAX_LEFT, Math.round(this.width * 0.36));
  }

  readonly top = TOP;

  /** Keeps the camera on the matrix. */
  clamp(camera: Camera): void {
    const { columns } = this.filtered;
    camera.x = Math.max(0, Math.min(camera.x, columns.length * camera.side - (this.width - this.left)));
    camera.y = Math.max(0, Math.min(camera.y, this.rows.length * camera.side - (this.height - this.top)));
  }

  /** What is at a point of the canvas; a column of -1 is the name of a row. */
  placeAt(camera: Camera, x: number, y: number): Place | undefined {
    if (y < this.top) return undefined;
    const row = Math.floor((y - this.top + camera.y) / camera.side);
    if (row >= this.rows.length) return undefined;
    if (x < this.left) return { row, column: -1 };
    const column = Math.floor((x - this.left + camera.x) / camera.side);
    return column < this.filtered.columns.length ? { row, column } : undefined;
  }

  paint(camera: Camera, hovered: Place | undefined, selected: Place | undefined): void {
    const { context, width, height, left, top, colors } = this;
    const { side } = camera;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colors.panel;
    context.fillRect(0, 0, width, height);
    const rows = span(camera.y, height - top, side, this.rows.length);
    const columns = span(camera.x, width - left, side, this.filtered.columns.length);
    context.save();
    context.beginPath();
    context.rect(left, top, width - left, height - top);
    context.clip();
    if (side >= GLYPH_SIDE) this.paintTiles(camera, rows, columns);
    else this.paintOverview(camera, rows, columns);
    for (const [place, color] of [
      [hovered, colors.quiet],
      [selected, colors.accent],
    ] as const) {
      if (place === undefined || place.column < 0) continue;
      context.strokeStyle = color;
      context.lineWidth = 2;
      const x = left + place.column * side - camera.x;
      const y = top + place.row * side - camera.y;
      context.strokeRect(x, y, side, side);
      context.globalAlpha = 0.35;
      context.strokeRect(left - 4, y, width, side);
      context.strokeRect(x, top - 4, side, height);
      context.globalAlpha = 1;
    }
    context.restore();
    this.paintRowNames(camera, rows, selected);
    this.paintColumnNames(camera, columns, selected);
  }

  /** Cells with glyphs: neighbours that are equal are filled at once. */
  private paintTiles({ x, y, side }: Camera, rows: Span, columns: Span): void {
    const { context, left, top, filtered, verdictOfOutcome } = this;
    const tiles = this.tilesOf(side);
    for (const pattern of tiles)
      pattern.setTransform(new DOMMatrix([1 / this.ratio, 0, 0, 1 / this.ratio, left - x, top - y]));
    for (let shown = rows.from; shown < rows.to; shown++) {
      const group = filtered.rows[this.rows[shown]!.row]!.group.index;
      const upper = top + shown * side - y;
      let from = columns.from;
      let verdict = -1;
      for (let column = columns.from; column <= columns.to; column++) {
        const next = column === columns.to ? -2 : verdictOfOutcome[filtered.columns[column]!.group.cells[group]!]!;
        if (next === verdict) continue;
        if (verdict >= 0) {
          context.fillStyle = tiles[verdict]!;
          context.fillRect(left + from * side - x, upper, (column - from) * side, side);
        }
        from = column;
        verdict = next;
      }
    }
  }

  /** Small cells: a picture with a point for each, enlarged. */
  private paintOverview({ x, y, side }: Camera, rows: Span, columns: Span): void {
    const { context, left, top } = this;
    const picture = this.overviewPicture();
    context.imageSmoothingEnabled = false;
    const count = columns.to - columns.from;
    if (count <= 0) return;
    let shown = rows.from;
    while (shown < rows.to) {
      const { row } = this.rows[shown]!;
      let end = shown + 1;
      while (end < rows.to && this.rows[end]!.row === row) end++;
      context.drawImage(
        picture,
        ...[columns.from, row, count, 1],
        ...([left + columns.from * side - x, top + shown * side - y, count * side, (end - shown) * side] as const),
      );
      shown = end;
    }
  }

  private paintRowNames({ y, side }: Camera, rows: Span, selected: Place | undefined): void {
    const { context, left, top, colors, height } = this;
    context.fillStyle = colors.panel;
    context.fillRect(0, top, left, height - top);
    if (side < GLYPH_SIDE) {
      this.axis(
        `${this.rows.length.toLocaleString('en')} rows of nodes: zoom in for their names`,
        8,
        top + 18,
        left - 16,
      );
      return;
    }
    context.save();
    context.beginPath();
    context.rect(0, top, left - 6, height - top);
    context.clip();
    context.font = FONT;
    context.textBaseline = 'middle';
    for (let shown = rows.from; shown < rows.to; shown++) {
      const { label, node } = this.rows[shown]!;
      context.fillStyle = selected?.row === shown ? colors.accent : node === undefined ? colors.text : colors.quiet;
      context.fillText(label, node === undefined ? 8 : 28, top + (shown + 0.5) * side - y);
    }
    context.restore();
  }

  private paintColumnNames({ x, side }: Camera, columns: Span, selected: Place | undefined): void {
    const { context, left, top, colors, width, filtered } = this;
    context.fillStyle = colors.panel;
    context.fillRect(0, 0, width, top);
    context.save();
    context.beginPath();
    context.rect(left, 0, width - left, top);
    context.clip();
    context.fillStyle = colors.line;
    context.beginPath();
    for (let column = columns.from; column < columns.to; column++) {
      const high = Math.max(1, (Math.log1p(filtered.columns[column]!.pods) / this.greatest) * (BAR - 4));
      const gap = side > 3 ? 1 : 0;
      context.rect(left + column * side - x, top - 2 - high, side - gap, high);
    }
    context.fill();
    if (side >= GLYPH_SIDE) {
      context.font = FONT;
      context.textBaseline = 'middle';
      const quarter = this.ratio;
      for (let column = columns.from; column < columns.to; column++) {
        const { label } = filtered.columns[column]!;
        context.fillStyle = selected?.column === column ? colors.accent : colors.text;
        context.setTransform(
          0,
          -quarter,
          quarter,
          0,
          quarter * (left + (column + 0.5) * side - x),
          quarter * (top - BAR),
        );
        context.fillText(shortened(label), 0, 0);
      }
      context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    }
    context.restore();
    if (side < GLYPH_SIDE) {
      const many = filtered.columns.length.toLocaleString('en');
      this.axis(`${many} columns of pods: zoom in for their names`, left, top - BAR - 12, width - left);
    }
    this.axis('nodes by taints ↓   pods by tolerations →', 8, top - 12, left - 16);
  }

  private axis(text: string, x: number, y: number, room: number): void {
    this.context.font = FONT;
    this.context.textBaseline = 'middle';
    this.context.fillStyle = this.colors.quiet;
    this.context.fillText(text, x, y, room);
  }

  /** A cell of each verdict, with its glyph. */
  private tilesOf(side: number): readonly CanvasPattern[] {
    if (this.tiles?.side === side) return this.tiles.of;
    const pixels = Math.round(side * this.ratio);
    const of = VERDICTS.map((verdict) => {
      const tile = document.createElement('canvas');
      tile.width = tile.height = pixels;
      const drawn = tile.getContext('2d')!;
      drawn.fillStyle = this.colors.fills[verdict];
      drawn.fillRect(0, 0, pixels - 1, pixels - 1);
      drawn.fillStyle = this.colors.panel;
      drawn.fillRect(pixels - 1, 0, 1, pixels);
      drawn.fillRect(0, pixels - 1, pixels, 1);
      drawGlyph(drawn, verdict, pixels - 1, this.colors.glyphs[verdict]);
      return this.context.createPattern(tile, 'repeat')!;
    });
    this.tiles = { side, of };
    return of;
  }

  private overviewPicture(): HTMLCanvasElement {
    if (this.overview !== undefined) return this.overview;
    const { rows, columns } = this.filtered;
    const picture = document.createElement('canvas');
    picture.width = Math.max(1, columns.length);
    picture.height = Math.max(1, rows.length);
    const drawn = picture.getContext('2d')!;
    const points = drawn.createImageData(picture.width, picture.height);
    // Strong colours: a small cell has no glyph. Their lightness differs, so that they are told apart without hue too.
    const colors = VERDICTS.map((verdict) => {
      drawn.fillStyle = verdict === 'allowed' ? this.colors.fills.allowed : this.colors.glyphs[verdict];
      if (verdict === 'discouraged') drawn.fillStyle = this.colors.line;
      drawn.fillRect(0, 0, 1, 1);
      return drawn.getImageData(0, 0, 1, 1).data;
    });
    for (const [row, { group }] of rows.entries()) {
      for (const [column, { group: pods }] of columns.entries()) {
        points.data.set(colors[this.verdictOfOutcome[pods.cells[group.index]!]!]!, (row * picture.width + column) * 4);
      }
    }
    drawn.putImageData(points, 0, 0);
    return (this.overview = picture);
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const span = (offset: number, room: number, side: number, count: number): Span => ({
  from: Math.max(0, Math.floor(offset / side)),
  to: Math.min(count, Math.ceil((offset + room) / side)),
});

const LONGEST = 28;
const shortened = (text: string): string => {
  const last = text.slice(text.indexOf(' ') + 1);
  return last.length > LONGEST ? `${last.slice(0, LONGEST - 1)}…` : last;
};

function drawGlyph(context: CanvasRenderingContext2D, verdict: Verdict, side: number, color: string): void {
  const middle = side / 2;
  const radius = side * 0.26;
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = Math.max(1.2, side / 11);
  context.beginPath();
  switch (verdict) {
    case 'allowed':
      context.arc(middle, middle, radius * 0.45, 0, 2 * Math.PI);
      context.fill();
      return;
    case 'discouraged':
      context.moveTo(middle, middle - radius);
      context.lineTo(middle + radius, middle);
      context.lineTo(middle, middle + radius);
      context.lineTo(middle - radius, middle);
      context.closePath();
      break;
    case 'refused':
      context.arc(middle, middle, radius, 0, 2 * Math.PI);
      context.moveTo(middle - radius * 0.7, middle + radius * 0.7);
      context.lineTo(middle + radius * 0.7, middle - radius * 0.7);
      break;
    case 'evicted':
      context.moveTo(middle - radius, middle - radius);
      context.lineTo(middle + radius, middle + radius);
      context.moveTo(middle + radius, middle - radius);
      context.lineTo(middle - radius, middle + radius);
  }
  context.stroke();
}
