import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useWhyNot } from '../../api/access.js';
import { isPast, useMoment, type Moment } from '../../api/moment.js';
import { overviewOf } from '../../api/queries.js';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Assumptions } from '../../ui/assumptions.js';
import { Badge } from '../../ui/badge.js';
import { GuardedButton } from '../../ui/guarded-button.js';
import { NodeLink } from '../../ui/node-link.js';
import { exactTime } from '../../ui/time.js';
import { scaleOf, sinceText, TimeAxis, TimeLane, type Known, type Scale, type Span } from '../../ui/time-chart.js';
import { Workload, workloadText } from '../../ui/workload.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';
import { EditFields } from '../changes/compose.js';
import { editOf, EMPTY, fitsAddress, lacksOf, readDraft, shortDraft, type Draft } from '../changes/draft.js';
import { Plan } from '../changes/effects.js';
import { nodeMatrixOf, nodeSets } from '../changes/queries.js';
import { namesInSet, TargetsField } from '../changes/targets.js';
import { EVENTS, happeningsOf, readEvents, type AssumedEvent } from './assumed.js';
import { scheduleOf, type ScheduledPod } from './queries.js';

interface ScheduleSearch {
  readonly draft?: unknown;
  readonly assumed?: unknown;
  readonly start?: unknown;
  readonly landing?: unknown;
}

/** When pods are evicted, with what is assumed to happen. */
export function Schedule({ cluster }: { readonly cluster: string }) {
  const given: ScheduleSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const moment = useMoment();
  const whyNot = useWhyNot(cluster)('evaluate');
  const shownDraft = useMemo(() => readDraft(given.draft), [given.draft]);
  const shownEvents = useMemo(() => readEvents(given.assumed), [given.assumed]);
  const [draft, setDraft] = useState<Draft>(shownDraft ?? EMPTY);
  const [events, setEvents] = useState(shownEvents);
  const [withLanding, setWithLanding] = useState(given.landing === true);
  const captured = useQuery({ ...overviewOf(cluster, moment), enabled: isPast(moment) }).data?.basis.capturedAt;
  const isPlanned = lacksOf(draft).length === 0;
  const show = (): void => {
    const start = isPast(moment) ? captured : new Date().toISOString();
    void navigate({
      to: '.',
      search: (search) => ({
        ...search,
        draft: isPlanned ? shortDraft(draft) : undefined,
        assumed: events.length > 0 ? events : undefined,
        start: events.length > 0 ? start : undefined,
        landing: withLanding || undefined,
      }),
    });
  };
  return (
    <>
      <section className="panel no-print" aria-labelledby="assumed">
        <h2 id="assumed">What is assumed</h2>
        <p className="quiet">Nothing, for what is due as things are; or a planned change, and what happens after it.</p>
        <details open={shownDraft !== undefined}>
          <summary>A planned change</summary>
          <div className="compose">
            <TargetsField cluster={cluster} draft={draft} change={(more) => setDraft((now) => ({ ...now, ...more }))} />
            <EditFields draft={draft} change={(more) => setDraft((now) => ({ ...now, ...more }))} />
          </div>
        </details>
        <details open={shownEvents.length > 0}>
          <summary>Events and outages ({events.length})</summary>
          <Events events={events} setEvents={setEvents} />
        </details>
        <div className="actions">
          <GuardedButton
            primary
            whyNot={[
              ...whyNot,
              ...(fitsAddress(draft) ? [] : ['So many names do not fit the address: choose the nodes otherwise.']),
            ]}
            onClick={show}
          >
            Compute
          </GuardedButton>
          <label className="check">
            <input type="checkbox" checked={withLanding} onChange={({ target }) => setWithLanding(target.checked)} />
            and where the pods go
          </label>
        </div>
      </section>
      {whyNot.length === 0 && (
        <Computed
          cluster={cluster}
          draft={shownDraft !== undefined && lacksOf(shownDraft).length === 0 ? shownDraft : undefined}
          events={shownEvents}
          start={typeof given.start === 'string' ? given.start : undefined}
          landing={given.landing === true}
        />
      )}
    </>
  );
}

const NEW: AssumedEvent = { after: 60, do: 'setTaints', on: '', what: '' };

const HINTS: Readonly<Record<AssumedEvent['do'], readonly [string, string]>> = {
  setTaints: ['node', 'all its taints from then on'],
  deleteNode: ['node', ''],
  setTolerations: ['namespace/name', 'tolerations as JSON'],
  deletePod: ['namespace/name', ''],
  stopController: ['', ''],
  startController: ['', ''],
  outage: ['nodes or a selector; empty for all', 'seconds that it lasts; empty for ever'],
};

function Events({
  events,
  setEvents,
}: {
  readonly events: readonly AssumedEvent[];
  readonly setEvents: (events: readonly AssumedEvent[]) => void;
}) {
  const change = (index: number, more: Partial<AssumedEvent>): void =>
    setEvents(events.map((event, at) => (at === index ? { ...event, ...more } : event)));
  return (
    <>
      {events.map((event, at) => {
        const [on, what] = HINTS[event.do];
        const number = `Event ${at + 1}`;
        return (
          <div key={at} className="event-row">
            <input
              type="number"
              aria-label={`${number}: seconds after the start`}
              min={0}
              value={event.after}
              onChange={({ target }) => change(at, { after: Number(target.value) })}
            />
            <select
              aria-label={`${number}: what happens`}
              value={event.do}
              onChange={({ target }) => change(at, { do: target.value as AssumedEvent['do'] })}
            >
              {[...EVENTS, 'outage'].map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
            <input
              aria-label={`${number}: where`}
              placeholder={on}
              disabled={on === ''}
              value={event.on}
              onChange={({ target }) => change(at, { on: target.value })}
            />
            <input
              aria-label={`${number}: details`}
              placeholder={what}
              disabled={what === ''}
              value={event.what}
              onChange={({ target }) => change(at, { what: target.value })}
            />
            <button
              type="button"
              aria-label={`Remove event ${at + 1}`}
              onClick={() => setEvents(events.filter((_, index) => index !== at))}
            >
              Remove
            </button>
          </div>
        );
      })}
      <button type="button" disabled={events.length >= 100} onClick={() => setEvents([...events, NEW])}>
        Add an event
      </button>
    </>
  );
}

function Computed({
  cluster,
  draft,
  events,
  start,
  landing,
}: {
  readonly cluster: string;
  readonly draft: Draft | undefined;
  readonly events: readonly AssumedEvent[];
  readonly start: string | undefined;
  readonly landing: boolean;
}) {
  const moment = useMoment();
  const matrix = useQuery({ ...nodeMatrixOf(cluster), enabled: draft?.by === 'set' });
  const body = useMemo((): Schemas['EvictionScheduleRequest'] | undefined => {
    if (draft?.by === 'set' && matrix.data === undefined) return undefined;
    const inSet = matrix.data === undefined || draft === undefined ? [] : namesInSet(nodeSets(matrix.data), draft.set);
    const from = Date.parse(start ?? '');
    return {
      ...(draft !== undefined && { scenario: { changes: [{ editNodes: editOf(draft, inSet) }] } }),
      ...(events.length > 0 && !Number.isNaN(from) && { asOf: start!, ...happeningsOf(events, from) }),
      ...(landing && { landing }),
    };
  }, [draft, matrix.data, events, start, landing]);
  return <EvictionSchedule cluster={cluster} moment={moment} body={body} />;
}

/** Which pods are evicted and when, with what is assumed; waits while there is nothing to ask. */
export function EvictionSchedule({
  cluster,
  moment,
  body,
}: {
  readonly cluster: string;
  readonly moment: Moment;
  readonly body: Schemas['EvictionScheduleRequest'] | undefined;
}) {
  const schedule = useInfiniteQuery(scheduleOf(cluster, moment, body));
  const more = (): void => {
    if (schedule.hasNextPage && !schedule.isFetchingNextPage) void schedule.fetchNextPage();
  };
  return (
    <section className="panel" aria-labelledby="schedule" aria-live="polite">
      <h2 id="schedule">When pods are evicted</h2>
      <Answer of={schedule} what="when pods are evicted">
        {({ pages }) => {
          const head = pages[0]!;
          const pods = pages.flatMap(({ items }) => items);
          return (
            <>
              <Counts head={head} />
              {pods.length > 0 && <Gantt head={head} pods={pods} onEnd={more} />}
              {schedule.hasNextPage && (
                <button type="button" disabled={schedule.isFetchingNextPage} onClick={more}>
                  More pods
                </button>
              )}
              <Suffering head={head} />
              {head.landing !== null && (
                <>
                  <h3>Where the pods go</h3>
                  <Plan plan={head.landing} />
                </>
              )}
              {head.notLoaded.length > 0 && (
                <p>More pods may be evicted: no {head.notLoaded.join(', ')} was ever loaded.</p>
              )}
              <Assumptions of={head.assumptions} />
            </>
          );
        }}
      </Answer>
    </section>
  );
}

type Head = Schemas['EvictionSchedule'];

function Counts({ head: { counts, asOf, outage } }: { readonly head: Head }) {
  return (
    <>
      <p>
        Of {counts.pods} pods, {counts.marked} are being deleted, {counts.now} leave now, {counts.at} later, and{' '}
        {counts.never} stay despite a NoExecute taint. From {exactTime(asOf)}.
      </p>
      {outage !== null && (
        <p>
          The outage evicts pods: <Badge kind={outage.evicts === 'no' ? 'good' : 'bad'}>{outage.evicts}</Badge>
          {outage.firstEvictionAfterSeconds !== null &&
            `; the first ${outage.firstEvictionAfterSeconds} s after it begins`}
          {outage.waiting > 0 && `; ${outage.waiting} nodes still wait for their taint at the end`}.
        </p>
      )}
    </>
  );
}

const known = ({ earliest, latest }: Schemas['Moment']): Known => ({
  earliest: earliest === null ? -Infinity : Date.parse(earliest),
  latest: Date.parse(latest),
});

/** The timer runs, then the pod ends. */
function spansOf({ base, at, departure }: ScheduledPod): readonly Span[] {
  if (at === null) return [];
  const leaves = known(at);
  const begins = base === null ? leaves : known(base);
  const timer: Span = { start: begins, end: leaves, kind: 'warn' };
  if (departure === null) return [timer];
  return [
    timer,
    { start: known(departure.marked), end: departure.gone === null ? undefined : known(departure.gone), kind: 'bad' },
  ];
}

function momentText(moment: Schemas['Moment'] | null, start: number): string {
  if (moment === null) return 'never';
  const since = (time: string): string => sinceText((Date.parse(time) - start) / 1000);
  if (moment.earliest === moment.latest) return since(moment.latest);
  return moment.earliest === null
    ? `by ${since(moment.latest)}`
    : `between ${since(moment.earliest)} and ${since(moment.latest)}`;
}

const ACTION = { marked: 'bad', now: 'bad', at: 'warn', never: 'good' } as const;

function Gantt({
  head,
  pods,
  onEnd,
}: {
  readonly head: Head;
  readonly pods: readonly ScheduledPod[];
  readonly onEnd: () => void;
}) {
  const start = Date.parse(head.asOf);
  const scale = scaleOf(pods.flatMap(spansOf), start);
  return (
    <>
      <p className="legend" aria-hidden="true">
        <span data-kind="warn" /> timer runs <span data-kind="bad" /> being deleted{' '}
        <span data-kind="warn" data-unsure="true" /> not exactly known
      </p>
      <VirtualTable
        label="Pods by when they are evicted"
        rows={pods}
        columns={columnsOf(start, scale)}
        keyOf={({ namespace, name, node }) => `${namespace}/${name} ${node}`}
        total={pods.length + (head.remainingItemCount ?? 0)}
        onEnd={onEnd}
      />
    </>
  );
}

const columnsOf = (start: number, scale: Scale): readonly Column<ScheduledPod>[] => [
  {
    id: 'pod',
    title: 'Pod',
    width: 'minmax(10rem, 1.3fr)',
    cell: ({ namespace, name, workload, overdue }) => (
      <>
        <bdi>{`${namespace}/${name}`}</bdi> {overdue && <Badge kind="bad">overdue</Badge>}
        <div className="quiet">
          <Workload of={workload} />
        </div>
      </>
    ),
  },
  { id: 'node', title: 'Node', width: 'minmax(6rem, 0.8fr)', cell: ({ node }) => <NodeLink name={node} /> },
  {
    id: 'when',
    title: 'Evicted',
    width: 'minmax(8rem, 0.9fr)',
    cell: ({ action, at, departure }) => (
      <>
        <Badge kind={ACTION[action]}>{action === 'at' ? 'later' : action}</Badge> {at !== null && momentText(at, start)}
        {departure !== null && (
          <div className="quiet">
            {departure.gone === null ? 'nothing removes it' : `gone ${momentText(departure.gone, start)}`}
          </div>
        )}
      </>
    ),
  },
  {
    id: 'lane',
    title: <TimeAxis scale={scale} start={start} />,
    width: 'minmax(14rem, 2fr)',
    cell: (pod) => <TimeLane spans={spansOf(pod)} scale={scale} now={start} />,
  },
  {
    id: 'because',
    title: 'Because',
    width: 'minmax(14rem, 2fr)',
    cell: ({ because, base, keptWithout, notes, budgets, cancelled }) => (
      <details>
        <summary>
          <bdi>{because}</bdi>
        </summary>
        {base !== null && (
          <p>
            The seconds count from {momentText({ earliest: base.earliest, latest: base.latest }, start)}:{' '}
            <bdi>{base.text}</bdi>
          </p>
        )}
        {cancelled !== null && (
          <p>
            <bdi>{cancelled.why}</bdi>
          </p>
        )}
        {keptWithout !== null && (
          <p>
            It stays without{' '}
            <bdi>{keptWithout.anyOf.length > 0 ? keptWithout.anyOf.join(' or ') : keptWithout.allOf.join(' and ')}</bdi>
          </p>
        )}
        {budgets.length > 0 && (
          <p>
            Budgets, which do not protect it: <bdi>{budgets.join(', ')}</bdi>
          </p>
        )}
        {notes.map((note) => (
          <p key={note}>
            <bdi>{note}</bdi>
          </p>
        ))}
      </details>
    ),
  },
];

function Suffering({ head: { budgets, workloads, asOf } }: { readonly head: Head }) {
  const start = Date.parse(asOf);
  return (
    <>
      {workloads.total > 0 && (
        <>
          <h3>Workloads</h3>
          <table>
            <caption className="sr-only">Workloads that lose pods</caption>
            <thead>
              <tr>
                <th scope="col">Workload</th>
                <th scope="col" className="number">
                  Pods
                </th>
                <th scope="col" className="number">
                  leave now
                </th>
                <th scope="col" className="number">
                  later
                </th>
                <th scope="col">First</th>
                <th scope="col">Last one</th>
              </tr>
            </thead>
            <tbody>
              {workloads.items.map((one) => (
                <tr key={workloadText(one.workload)}>
                  <th scope="row">
                    <Workload of={one.workload} />
                  </th>
                  <td className="number">{one.replicas}</td>
                  <td className="number">{one.now}</td>
                  <td className="number">{one.at}</td>
                  <td>{momentText(one.firstLoss, start)}</td>
                  <td>
                    {one.lastReplica === null ? (
                      <span className="quiet">some stay</span>
                    ) : (
                      <Badge kind="bad">{momentText(one.lastReplica, start)}</Badge>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {workloads.total > workloads.items.length && (
            <p className="quiet">and {workloads.total - workloads.items.length} more</p>
          )}
        </>
      )}
      {budgets.total > 0 && (
        <>
          <h3>Budgets, which evictions by taints do not ask</h3>
          <ul className="plain">
            {budgets.items.map(({ namespace, name, leaving, brokenAt, text }) => (
              <li key={`${namespace}/${name}`}>
                {brokenAt === null ? (
                  <Badge>kept, or not known</Badge>
                ) : (
                  <Badge kind="bad">{`broken ${momentText(brokenAt, start)}`}</Badge>
                )}{' '}
                <bdi>{`${namespace}/${name}`}</bdi>: {leaving} healthy pods leave; <bdi>{text}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
