import './time-chart.css';

/** A time as exactly as it is known: between two moments (ms); `-Infinity` if nothing is known of its beginning. */
export interface Known {
  readonly earliest: number;
  readonly latest: number;
}

/** What lasts from one time to another; without an end, it lasts. */
export interface Span {
  readonly start: Known;
  readonly end: Known | undefined;
  readonly kind: 'good' | 'warn' | 'bad' | 'quiet';
}

export interface Scale {
  readonly from: number;
  readonly to: number;
}

const WIDTH = 1000;
const HEIGHT = 18;
/** A moment is still seen. */
const LEAST = 3;

/** A scale on which all of these are seen. */
export function scaleOf(spans: readonly Span[], ...also: readonly number[]): Scale {
  let from = Infinity;
  let to = -Infinity;
  const see = (time: number): void => {
    if (!Number.isFinite(time)) return;
    from = Math.min(from, time);
    to = Math.max(to, time);
  };
  for (const { start, end } of spans) {
    for (const time of [start.earliest, start.latest, end?.earliest, end?.latest]) if (time !== undefined) see(time);
  }
  also.forEach(see);
  if (from > to) return { from: 0, to: 1 };
  const room = Math.max(1000, (to - from) * 0.03);
  return { from: from - room, to: to + room };
}

/** Spans of one row. What is uncertain is thin and pale. A picture of what the row's other cells say. */
export function TimeLane({
  spans,
  scale,
  now,
}: {
  readonly spans: readonly Span[];
  readonly scale: Scale;
  readonly now?: number;
}) {
  const x = (time: number): number =>
    Math.min(WIDTH, Math.max(0, ((time - scale.from) / (scale.to - scale.from)) * WIDTH));
  const bar = (from: number, to: number, name: string, kind: string) => (
    <rect
      className={name}
      data-kind={kind}
      x={x(from)}
      width={Math.max(LEAST, x(to) - x(from))}
      y={name === 'lane-unsure' ? 6 : 3}
      height={name === 'lane-unsure' ? 6 : 12}
    />
  );
  return (
    <svg className="lane" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <line className="lane-base" x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      {now !== undefined && <line className="lane-now" x1={x(now)} x2={x(now)} y1={0} y2={HEIGHT} />}
      {spans.map(({ start, end, kind }, at) => {
        const ends = end ?? { earliest: scale.to, latest: scale.to };
        const sureFrom = start.latest;
        const sureTo = Math.max(ends.earliest, sureFrom);
        return (
          <g key={at}>
            {start.earliest < sureFrom && bar(start.earliest, sureFrom, 'lane-unsure', kind)}
            {ends.earliest < ends.latest && bar(sureTo, ends.latest, 'lane-unsure', kind)}
            {(sureTo > sureFrom || start.earliest === sureFrom) && bar(sureFrom, sureTo, 'lane-sure', kind)}
          </g>
        );
      })}
    </svg>
  );
}

/** The ends of a scale. */
export function TimeAxis({ scale, start }: { readonly scale: Scale; readonly start?: number }) {
  const text = (time: number): string =>
    start === undefined ? shortText(time, scale) : sinceText((time - start) / 1000);
  const middle = (scale.from + scale.to) / 2;
  return (
    <span className="lane-axis">
      <span>{text(scale.from)}</span>
      <span className="lane-middle">{text(middle)}</span>
      <span>{text(scale.to)}</span>
    </span>
  );
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const second = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DAYS_MS = 4 * 86_400_000;
const MINUTES_MS = 10 * 60_000;

/** As exactly as the length of the scale asks for. */
const shortText = (time: number, { from, to }: Scale): string =>
  (to - from > DAYS_MS ? day : to - from > MINUTES_MS ? minute : second).format(time);

/** "+5 min" */
export function sinceText(seconds: number): string {
  const sign = seconds < 0 ? '−' : '+';
  const size = Math.round(Math.abs(seconds));
  if (size === 0) return 'start';
  if (size < 120) return `${sign}${size} s`;
  if (size < 7200) return `${sign}${Math.round(size / 60)} min`;
  if (size < 172_800) return `${sign}${(size / 3600).toFixed(1)} h`;
  return `${sign}${Math.round(size / 86_400)} days`;
}
