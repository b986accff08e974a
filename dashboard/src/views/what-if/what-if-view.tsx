import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCluster } from '../../api/cluster.js';
import { useMoment, type Moment } from '../../api/moment.js';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { amount, count, counted } from '../../ui/format.js';
import { VirtualTable } from '../../ui/virtual-table.js';
import { EvictionSchedule } from '../evictions/schedule.js';
import { Builder } from './builder.js';
import { impactsOf, outcomeOf, useScenario, waitingOf, wordsOf, type Change } from './scenario.js';
import './what-if.css';

/** A scenario, put together by clicking, side by side with how things are. */
export default function WhatIfView() {
  const [cluster, moment] = [useCluster(), useMoment()];
  const { changes, isUnreadable, isFull, set } = useScenario();
  const outcome = useQuery(outcomeOf(cluster, moment, changes));
  return (
    <>
      <section className="panel" aria-labelledby="what-if">
        <h1 id="what-if">What if</h1>
        {isUnreadable && (
          <p className="failure" role="alert">
            The address holds no list of changes after `scenario`.
          </p>
        )}
        <Builder add={(...more) => set([...changes, ...more])} isFull={isFull} />
        {changes.length > 0 && (
          <ol className="what-if-changes">
            {changes.map((change, at) => (
              <li key={at}>
                <bdi>{wordsOf(change)}</bdi>{' '}
                <button
                  type="button"
                  aria-label={`Take back: ${wordsOf(change)}`}
                  onClick={() => set(changes.filter((_, index) => index !== at))}
                >
                  Take back
                </button>
              </li>
            ))}
          </ol>
        )}
        {changes.length > 1 && (
          <button type="button" onClick={() => set([])}>
            Start over
          </button>
        )}
        {changes.length === 0 && (
          <p className="quiet">Add a change to see what it does. Nothing is stored, or sent to the cluster.</p>
        )}
      </section>
      {changes.length > 0 && (
        <Answer of={outcome} what="what the changes do">
          {(sums) => {
            const asked = { cluster, moment: { revision: sums.basis.revision }, changes };
            return (
              <>
                <section className="panel" aria-labelledby="sums">
                  <h2 id="sums">Side by side</h2>
                  <SideBySide of={sums} />
                  <Findings of={sums.findings} />
                  {sums.basis.scenario?.notes.map((note) => (
                    <p key={note} className="quiet">
                      <bdi>{note}</bdi>
                    </p>
                  ))}
                </section>
                {(sums.after.evictions.now > 0 || sums.after.evictions.at > 0 || sums.after.evictions.marked > 0) && (
                  <EvictionSchedule
                    cluster={cluster}
                    moment={asked.moment}
                    body={{ scenario: { changes: [...changes] }, asOf: sums.asOf, landing: true }}
                  />
                )}
                <Pods asked={asked} />
                <Impacts asked={asked} />
              </>
            );
          }}
        </Answer>
      )}
    </>
  );
}

type Outcome = Schemas['ScenarioOutcome'];
type Row = readonly [name: string, was: number, is: number, say: (value: number) => string];

function SideBySide({ of: { before, after } }: { readonly of: Outcome }) {
  const both = (name: string, read: (side: Outcome['after']) => number): Row => [
    name,
    read(before),
    read(after),
    count,
  ];
  const names = [...new Set([...before.resources, ...after.resources].map(({ resource }) => resource))];
  const rows: readonly Row[] = [
    both('Nodes', ({ nodes }) => nodes.total),
    both('Nodes that are ready', ({ nodes }) => nodes.ready),
    both('Cordoned nodes', ({ nodes }) => nodes.unschedulable),
    both('Tainted nodes', ({ nodes }) => nodes.tainted),
    both('Pods', ({ pods }) => pods.total),
    both('Pods without a node', ({ pods }) => pods.unscheduled),
    both('Pods that a taint evicts now', ({ evictions }) => evictions.now),
    both('Pods that a taint evicts later', ({ evictions }) => evictions.at),
    ...names.flatMap((name): readonly Row[] => {
      const say = (value: number): string => amount(name, value);
      return [
        [`${name} requested`, roomOf(before, name).requested, roomOf(after, name).requested, say],
        [`${name} free`, freeOf(before, name), freeOf(after, name), say],
      ];
    }),
    ...overheadsIn(before, after).map((name): Row => [
      `${name} as Pod Overhead`,
      overheadOf(before, name),
      overheadOf(after, name),
      (value) => amount(name, value),
    ]),
    both('Quotas that are exceeded', ({ quotas }) => quotas.over),
    both('Quotas that are used up', ({ quotas }) => quotas.full),
    both('Findings, errors', ({ findings }) => findings.error),
    both('Findings, warnings', ({ findings }) => findings.warning),
  ];
  return (
    <table className="what-if-sums">
      <thead>
        <tr>
          <th scope="col">Sum</th>
          <th scope="col" className="number">
            Now
          </th>
          <th scope="col" className="number">
            What if
          </th>
          <th scope="col" className="number">
            Difference
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, was, is, say]) => (
          <tr key={name} data-differs={was !== is}>
            <th scope="row">
              <bdi>{name}</bdi>
            </th>
            <td className="number">{say(was)}</td>
            <td className="number">{say(is)}</td>
            <td className="number">{was === is ? '=' : `${is > was ? '+' : '−'}${say(Math.abs(is - was))}`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const NO_ROOM = { allocatable: 0, requested: 0 };
const roomOf = ({ resources }: Outcome['after'], name: string): typeof NO_ROOM =>
  resources.find(({ resource }) => resource === name) ?? NO_ROOM;
const freeOf = (side: Outcome['after'], name: string): number =>
  roomOf(side, name).allocatable - roomOf(side, name).requested;

const overheadAmounts = ({
  overhead: { scheduled, waiting },
}: Outcome['after']): readonly Schemas['OverheadAmount'][] => [...scheduled.amounts, ...waiting.amounts];
const overheadsIn = (...sides: readonly Outcome['after'][]): readonly string[] => [
  ...new Set(sides.flatMap(overheadAmounts).map(({ resource }) => resource)),
];
const overheadOf = (side: Outcome['after'], name: string): number =>
  overheadAmounts(side).reduce((sum, { resource, amount: one }) => sum + (resource === name ? one : 0), 0);

function Findings({ of: rows }: { readonly of: Outcome['findings'] }) {
  if (rows.length === 0) return <p className="quiet">The same findings on both sides.</p>;
  return (
    <table>
      <caption>Findings that come and go</caption>
      <thead>
        <tr>
          <th scope="col">Finding</th>
          <th scope="col" className="number">
            Now
          </th>
          <th scope="col" className="number">
            What if
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ code, severity, before, after }) => (
          <tr key={`${severity} ${code}`}>
            <th scope="row">
              <Badge kind={severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'quiet'}>{severity}</Badge>{' '}
              {code}
            </th>
            <td className="number">{count(before)}</td>
            <td className="number">{count(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const DIFFERENCES: Readonly<Record<Schemas['RunDifference'], readonly ['good' | 'bad' | 'warn' | 'quiet', string]>> = {
  stays: ['quiet', 'stays'],
  moves: ['warn', 'moves'],
  fitsNoMore: ['bad', 'fits no more'],
  fitsNow: ['good', 'fits now'],
  neither: ['quiet', 'fits on neither side'],
  unclear: ['warn', 'unclear'],
};

/** Pods that the changes displace wait only with the changes. */
function differenceOf({
  difference,
  before,
  after,
}: Schemas['ComparedPod']): readonly ['good' | 'bad' | 'warn' | 'quiet', string] {
  if (before.outcome !== 'absent') return DIFFERENCES[difference];
  if (after.outcome === 'placed') return ['warn', 'displaced, finds a node'];
  return after.outcome === 'unplaced' ? ['bad', 'displaced, finds none'] : ['warn', 'displaced, unclear'];
}

interface Asked {
  readonly cluster: string;
  readonly moment: Moment;
  readonly changes: readonly Change[];
}

function Pods({ asked }: { readonly asked: Asked }) {
  const waiting = useInfiniteQuery(waitingOf(asked));
  return (
    <section className="panel" aria-labelledby="waiting">
      <h2 id="waiting">Pods that wait for a node</h2>
      <Answer of={waiting} what="the pods that wait">
        {({ pages }) => <Waiting pages={pages} more={moreOf(waiting)} />}
      </Answer>
    </section>
  );
}

/** Reads the next page, unless it is being read. */
const moreOf =
  (of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  }) =>
  (): void => {
    if (of.hasNextPage && !of.isFetchingNextPage) void of.fetchNextPage();
  };

function Waiting({
  pages,
  more,
}: {
  readonly pages: readonly Schemas['ComparisonResponse'][];
  readonly more: () => void;
}) {
  const { pods, counts, outcome } = pages[0]!;
  const items = pages.flatMap((page) => page.items);
  return (
    <>
      <p role="status">
        {pods === 0
          ? 'No pod waits, now or with the changes.'
          : `${counted(pods, 'pod')}: ${count(counts.fitsNow)} fit now, ${count(counts.fitsNoMore)} fit no more, ${count(counts.moves)} go elsewhere, ${count(counts.stays)} stay, ${count(counts.neither)} fit on neither side, ${count(counts.unclear)} wait on one side only, or are unclear.`}
        {outcome !== 'complete' && ' Not every pod was tried in time.'}
      </p>
      {items.length > 0 && (
        <VirtualTable
          label="Pods that wait, on both sides"
          rows={items}
          total={items.length + (pages.at(-1)?.remainingItemCount ?? 0)}
          onEnd={more}
          keyOf={({ namespace, name }) => `${namespace}/${name}`}
          columns={[
            {
              id: 'pod',
              title: 'Pod',
              width: 'minmax(10rem, 2fr)',
              cell: ({ namespace, name }) => <bdi>{`${namespace}/${name}`}</bdi>,
            },
            {
              id: 'difference',
              title: 'With the changes',
              width: '14rem',
              cell: (one) => <Badge kind={differenceOf(one)[0]}>{differenceOf(one)[1]}</Badge>,
            },
            { id: 'now', title: 'Now', width: 'minmax(9rem, 2fr)', cell: ({ before }) => <Side of={before} /> },
            { id: 'if', title: 'What if', width: 'minmax(9rem, 3fr)', cell: ({ after }) => <Side of={after} /> },
          ]}
        />
      )}
    </>
  );
}

function Side({ of: { node, message, outcome } }: { readonly of: Schemas['ComparedSide'] }) {
  return <bdi>{node ?? message ?? (outcome === 'absent' ? 'does not wait' : outcome)}</bdi>;
}

const IMPACTS: Readonly<Record<Schemas['ScenarioImpactKind'], string>> = {
  podRefused: 'refused by admission',
  podDoesNotFit: 'does not fit its node',
  nodeOvercommitted: 'node overcommitted',
  quotaOverflows: 'quota exceeded',
};

function Impacts({ asked }: { readonly asked: Asked }) {
  const impacts = useInfiniteQuery(impactsOf(asked));
  return (
    <section className="panel" aria-labelledby="worse">
      <h2 id="worse">What gets worse</h2>
      <Answer of={impacts} what="what gets worse">
        {({ pages }) => <Worse pages={pages} more={moreOf(impacts)} />}
      </Answer>
    </section>
  );
}

function Worse({
  pages,
  more,
}: {
  readonly pages: readonly Schemas['ScenarioImpactList'][];
  readonly more: () => void;
}) {
  const total = Object.values(pages[0]!.counts).reduce((sum, one) => sum + one, 0);
  if (total === 0) return <p role="status">No pod on a node, no node and no quota is worse off.</p>;
  return (
    <VirtualTable
      label="What gets worse"
      rows={pages.flatMap(({ items }) => items)}
      total={total}
      onEnd={more}
      keyOf={({ kind, namespace, name, node, by }) => `${kind} ${namespace ?? ''} ${name} ${node ?? ''} ${by}`}
      columns={[
        {
          id: 'what',
          title: 'What',
          width: 'minmax(10rem, 2fr)',
          cell: ({ namespace, name }) => <bdi>{namespace === null ? name : `${namespace}/${name}`}</bdi>,
        },
        { id: 'kind', title: 'How', width: '12rem', cell: ({ kind }) => IMPACTS[kind] },
        { id: 'message', title: 'Why', width: 'minmax(12rem, 4fr)', cell: ({ message }) => <bdi>{message}</bdi> },
      ]}
    />
  );
}
