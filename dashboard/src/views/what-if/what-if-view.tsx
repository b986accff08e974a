import { useQuery } from '@tanstack/react-query';
import { useCluster } from '../../api/cluster.js';
import { useMoment } from '../../api/moment.js';
import { overviewOf } from '../../api/queries.js';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { amount, count, counted } from '../../ui/format.js';
import { VirtualTable } from '../../ui/virtual-table.js';
import { Builder } from './builder.js';
import { useScenario, whatIfOf, wordsOf } from './scenario.js';
import './what-if.css';

/** A scenario, put together by clicking, side by side with how things are. */
export default function WhatIfView() {
  const [cluster, moment] = [useCluster(), useMoment()];
  const { changes, isUnreadable, isFull, set } = useScenario();
  const now = useQuery(overviewOf(cluster, moment));
  const whatIf = useQuery(whatIfOf(cluster, moment, changes));
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
        <Answer of={whatIf} what="what the changes do">
          {({ overview, impacts, pods }) => (
            <>
              <section className="panel" aria-labelledby="sums">
                <h2 id="sums">Side by side</h2>
                <Answer of={now} what="the cluster">
                  {(before) => <SideBySide before={before} after={overview} />}
                </Answer>
                {overview.basis.scenario?.notes.map((note) => (
                  <p key={note} className="quiet">
                    <bdi>{note}</bdi>
                  </p>
                ))}
              </section>
              <Pods of={pods} />
              <Impacts of={impacts} />
            </>
          )}
        </Answer>
      )}
    </>
  );
}

type Overview = Schemas['ClusterOverview'];

function SideBySide({ before, after }: { readonly before: Overview; readonly after: Overview }) {
  const room = new Map(after.resources.map((one) => [one.resource, one]));
  const names = [...new Set([...before.resources, ...after.resources].map(({ resource }) => resource))];
  const stored = new Map(before.resources.map((one) => [one.resource, one]));
  const rows: readonly (readonly [string, number, number, (value: number) => string])[] = [
    ['Nodes', before.nodes.total, after.nodes.total, count],
    ['Nodes that are ready', before.nodes.ready, after.nodes.ready, count],
    ['Cordoned nodes', before.nodes.unschedulable, after.nodes.unschedulable, count],
    ['Tainted nodes', before.nodes.tainted, after.nodes.tainted, count],
    ['Pods', before.pods.total, after.pods.total, count],
    ['Pods without a node', before.pods.unscheduled, after.pods.unscheduled, count],
    ...names.flatMap((name) => {
      const [was, is] = [stored.get(name), room.get(name)];
      const say = (value: number): string => amount(name, value);
      return [
        [`${name} requested`, was?.requested ?? 0, is?.requested ?? 0, say],
        [`${name} free`, free(was), free(is), say],
      ] as const;
    }),
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

const free = (one: Schemas['OverviewResource'] | undefined): number =>
  one === undefined ? 0 : one.allocatable - one.requested;

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

function Pods({ of: { pods, counts, items, outcome } }: { readonly of: Schemas['ComparisonResponse'] }) {
  return (
    <section className="panel" aria-labelledby="waiting">
      <h2 id="waiting">Pods that wait for a node</h2>
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
    </section>
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

function Impacts({ of: { counts, items } }: { readonly of: Schemas['ScenarioImpactList'] }) {
  const total = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return (
    <section className="panel" aria-labelledby="worse">
      <h2 id="worse">What gets worse</h2>
      {total === 0 ? (
        <p role="status">No pod on a node, no node and no quota is worse off.</p>
      ) : (
        <VirtualTable
          label="What gets worse"
          rows={items}
          total={total}
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
      )}
    </section>
  );
}
