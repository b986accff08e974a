import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { TaintText } from '../../ui/taint.js';
import { scaleOf, TimeAxis, TimeLane, type Span } from '../../ui/time-chart.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';
import { historyOf, type Interval } from './queries.js';
import { knownOf, Proofs, whenText, Who } from './words.js';

const KIND: Readonly<Record<string, Span['kind']>> = {
  NoExecute: 'bad',
  NoSchedule: 'warn',
  PreferNoSchedule: 'quiet',
};

const spanOf = ({ taint, from, to }: Interval): Span => ({
  start: knownOf(from),
  end: to === null ? undefined : knownOf(to),
  kind: taint === null ? 'warn' : (KIND[taint.effect] ?? 'quiet'),
});

/** The taints and cordons of a node: from when to when, by whom, and what proves it. */
export function History({
  cluster,
  node,
  taintKey,
  effect,
  at,
}: {
  readonly cluster: string;
  readonly node: string;
  readonly taintKey: string | undefined;
  readonly effect: string | undefined;
  readonly at: string | undefined;
}) {
  const history = useQuery(
    historyOf(cluster, node, {
      ...(taintKey !== undefined && { key: taintKey }),
      ...(effect !== undefined && { effect }),
      ...(at !== undefined && { at }),
    }),
  );
  return (
    <section className="panel" aria-labelledby="history">
      <h2 id="history">
        {at === undefined ? 'Taints and cordons of' : 'What was on'} <bdi>{node}</bdi>
        {at !== undefined && ' at that moment'}
      </h2>
      <Answer of={history} what="the history">
        {(found) => <Intervals history={found} />}
      </Answer>
    </section>
  );
}

function Intervals({ history }: { readonly history: Schemas['NodeHistory'] }) {
  const { taints, cordons, unapplied, total, complete } = history;
  const rows = [...taints, ...cordons];
  const now = history.at === null ? undefined : Date.parse(history.at);
  const last = history.trail.lastAt === null ? [] : [Date.parse(history.trail.lastAt)];
  const scale = scaleOf(rows.map(spanOf), ...last, ...(now === undefined ? [] : [now]));
  const columns: readonly Column<Interval>[] = [
    {
      id: 'taint',
      title: 'Taint',
      width: 'minmax(10rem, 1.2fr)',
      cell: ({ taint, confirmed, present }) => (
        <>
          {taint === null ? 'cordoned' : <TaintText taint={taint} />}{' '}
          {!confirmed && <Badge kind="warn">not confirmed</Badge>}
          {present === 'maybe' && <Badge kind="warn">perhaps</Badge>}
        </>
      ),
    },
    {
      id: 'lane',
      title: <TimeAxis scale={scale} />,
      width: 'minmax(14rem, 2fr)',
      cell: (interval) => <TimeLane spans={[spanOf(interval)]} scale={scale} {...(now !== undefined && { now })} />,
    },
    {
      id: 'set',
      title: 'Set',
      width: 'minmax(11rem, 1.5fr)',
      cell: ({ from, setBy }) => <End when={from} by={setBy} />,
    },
    {
      id: 'removed',
      title: 'Removed',
      width: 'minmax(11rem, 1.5fr)',
      cell: ({ to, removedBy }) => (to === null ? <Badge>still there</Badge> : <End when={to} by={removedBy} />),
    },
  ];
  return (
    <>
      {rows.length === 0 ? (
        <p>It had neither a taint nor a cordon that the trail knows of.</p>
      ) : (
        <VirtualTable
          label="Taints and cordons as intervals"
          rows={rows}
          columns={columns}
          keyOf={({ taint, from, setBy, removedBy }) =>
            `${taint?.text ?? 'cordon'} ${from.to} ${setBy?.sequence ?? ''} ${removedBy?.sequence ?? ''}`
          }
          total={total}
        />
      )}
      {total > rows.length && <p className="quiet">{total - rows.length} earlier intervals are not listed.</p>}
      {!complete && <p className="quiet">The node has more records than are read; the earliest are left out.</p>}
      {unapplied.length > 0 && (
        <>
          <h3>Never reached the node</h3>
          <ul className="plain">
            {unapplied.map(({ attribution, difference, status }) => (
              <li key={attribution.sequence}>
                <Badge kind="bad">{status}</Badge> {difference.added.map((taint) => `+${taint.text}`).join(' ')}{' '}
                {difference.removed.map((taint) => `−${taint.text}`).join(' ')}, <Who {...attribution} />,{' '}
                {whenText(attribution.when)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function End({ when, by }: { readonly when: Schemas['When']; readonly by: Schemas['ChangeAttribution'] | null }) {
  if (by === null) return <span className="quiet">not known; {whenText(when)}</span>;
  return (
    <>
      <div>
        <Who {...by} />
      </div>
      <div className="quiet">{whenText(when)}</div>
      {by.reason !== null && (
        <div>
          <bdi>{by.reason}</bdi>
        </div>
      )}
      {by.carriedOutBy !== null && (
        <div className="quiet">
          carried out by <bdi>{by.carriedOutBy.by?.username ?? by.carriedOutBy.actor?.class ?? 'somebody'}</bdi>
        </div>
      )}
      <details>
        <summary>What proves it</summary>
        <Proofs proves={by.proves} doesNotProve={by.doesNotProve} />
      </details>
    </>
  );
}
