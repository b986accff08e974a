import type { Schemas } from '../../api/service.js';

/** Pods that leave after so many seconds; `undefined` for never. */
interface Stop {
  readonly seconds: number | undefined;
  readonly pods: number;
}

/** The pods by when they leave, from the groups of a preview. */
function stopsOf({ groups, counts }: Schemas['EvictionEffects']): readonly Stop[] {
  const bySeconds = new Map<number, number>();
  const add = (seconds: number, pods: number): void => {
    bySeconds.set(seconds, (bySeconds.get(seconds) ?? 0) + pods);
  };
  if (counts.now > 0) add(0, counts.now);
  for (const { when, count, seconds, columns } of groups) {
    if (when !== 'after') continue;
    if (seconds !== null) add(seconds, count);
    else {
      const values: unknown = columns.find(({ name }) => name === 'seconds')?.values;
      for (const value of Array.isArray(values) ? (values as unknown[]) : [])
        if (typeof value === 'number') add(value, 1);
    }
  }
  const stops: Stop[] = [...bySeconds]
    .sort(([one], [other]) => one - other)
    .map(([seconds, pods]) => ({ seconds, pods }));
  return counts.never > 0 ? [...stops, { seconds: undefined, pods: counts.never }] : stops;
}

export function secondsText(seconds: number | undefined): string {
  if (seconds === undefined) return 'never';
  if (seconds === 0) return 'now';
  if (seconds < 120) return `after ${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  const exact = `${seconds} s`;
  return seconds < 7200
    ? `after ${exact} (${minutes} min${rest === 0 ? '' : ` ${rest} s`})`
    : `after ${exact} (${(seconds / 3600).toFixed(1)} h)`;
}

const WIDTH = 720;
const HEIGHT = 92;
const LEFT = 24;
const NEVER = 96;
const LINE = 66;

/** When pods leave: a time axis from the moment of the change on, and an equal table. */
export function EvictionAxis({ evictions }: { readonly evictions: Schemas['EvictionEffects'] }) {
  const stops = stopsOf(evictions);
  const { counts } = evictions;
  if (stops.length === 0) {
    return (
      <p>
        No pod is evicted{counts.cancelled > 0 && `; ${counts.cancelled} evictions that were due are cancelled`}
        {counts.pending > 0 && `; ${counts.pending} pods leave as they would without the change`}.
      </p>
    );
  }
  const last = Math.max(1, ...stops.map(({ seconds }) => seconds ?? 0));
  const most = Math.max(...stops.map(({ pods }) => pods));
  const end = WIDTH - NEVER;
  // Square roots: what happens soon is told apart, whatever happens hours later.
  const x = (seconds: number | undefined): number =>
    seconds === undefined ? WIDTH - NEVER / 2 : LEFT + Math.sqrt(seconds / last) * (end - LEFT - 20);
  const radius = (pods: number): number => 5 + 15 * Math.sqrt(pods / most);
  return (
    <>
      <svg className="axis" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <line x1={LEFT} x2={end} y1={LINE} y2={LINE} className="axis-line" />
        <line x1={end} x2={WIDTH - 12} y1={LINE} y2={LINE} className="axis-line" strokeDasharray="3 5" />
        {stops.map(({ seconds, pods }) => (
          <g key={seconds ?? 'never'}>
            <line x1={x(seconds)} x2={x(seconds)} y1={LINE - 4} y2={LINE + 4} className="axis-line" />
            <circle
              cx={x(seconds)}
              cy={LINE - 28}
              r={radius(pods)}
              data-when={seconds === undefined ? 'never' : seconds === 0 ? 'now' : 'after'}
            />
            <text x={x(seconds)} y={LINE - 24} textAnchor="middle" className="axis-count">
              {pods}
            </text>
            <text
              x={x(seconds)}
              y={LINE + 19}
              textAnchor={seconds === 0 ? 'start' : 'middle'}
              dx={seconds === 0 ? -12 : 0}
            >
              {seconds === undefined ? 'never' : seconds === 0 ? 'now' : `${seconds} s`}
            </text>
          </g>
        ))}
      </svg>
      <table className="compact">
        <caption className="sr-only">Pods by when they are evicted</caption>
        <thead>
          <tr>
            <th scope="col">Evicted</th>
            <th scope="col" className="number">
              Pods
            </th>
          </tr>
        </thead>
        <tbody>
          {stops.map(({ seconds, pods }) => (
            <tr key={seconds ?? 'never'}>
              <th scope="row">{secondsText(seconds)}</th>
              <td className="number">{pods}</td>
            </tr>
          ))}
          {counts.cancelled > 0 && (
            <tr>
              <th scope="row">no longer: a running timer is cancelled</th>
              <td className="number">{counts.cancelled}</td>
            </tr>
          )}
          {counts.pending > 0 && (
            <tr>
              <th scope="row">as without the change: a timer runs already</th>
              <td className="number">{counts.pending}</td>
            </tr>
          )}
        </tbody>
      </table>
    </>
  );
}
