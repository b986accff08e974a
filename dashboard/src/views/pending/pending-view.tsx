import { useQuery } from '@tanstack/react-query';
import { useCluster } from '../../api/cluster.js';
import { useMoment } from '../../api/moment.js';
import { pendingOf } from '../../api/queries.js';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge, type BadgeKind } from '../../ui/badge.js';
import { count, counted } from '../../ui/format.js';
import { NodeLink } from '../../ui/node-link.js';
import { Workload, workloadText } from '../../ui/workload.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';

type Group = Schemas['QueueGroup'];

const OUTCOMES: Readonly<Record<Schemas['QueueOutcome'], readonly [BadgeKind, string]>> = {
  placed: ['good', 'finds a node'],
  unplaced: ['bad', 'finds none'],
  unknown: ['warn', 'not known'],
  gated: ['warn', 'gated'],
  error: ['bad', 'error'],
  notTried: ['warn', 'not tried'],
};

/** The pods that wait for a node: what keeps them, and what would free them. */
export default function PendingView() {
  const run = useQuery(pendingOf(useCluster(), useMoment()));
  return (
    <Answer of={run} what="the pods that wait" heading="Pending">
      {(found) => (
        <>
          <section className="panel">
            <h1>Pending</h1>
            <p role="status">{summaryOf(found)}</p>
            {found.queueReasons.length > 0 && (
              <table>
                <caption>What keeps them</caption>
                <thead>
                  <tr>
                    <th scope="col">Reason</th>
                    <th scope="col">Filter</th>
                    <th scope="col" className="number">
                      Pods
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {found.queueReasons.map(({ plugin, code, message, pods }) => (
                    <tr key={`${plugin} ${code} ${message}`}>
                      <th scope="row">
                        <bdi>{message}</bdi>
                      </th>
                      <td>{plugin}</td>
                      <td className="number">{count(pods)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </section>
          {found.unblocking !== null && found.waiting > 0 && <Unblocking of={found.unblocking} />}
          {found.groups.length > 0 && (
            <section className="panel">
              <h2>Pods with the same outcome</h2>
              <VirtualTable
                label="Pods with the same outcome"
                rows={found.groups}
                columns={COLUMNS}
                keyOf={(group) => String(found.groups.indexOf(group))}
              />
              {found.continue !== null && <p className="quiet">The first {count(found.groups.length)} groups.</p>}
            </section>
          )}
        </>
      )}
    </Answer>
  );
}

function summaryOf({ waiting, totals, ofOtherSchedulers, schedulerName }: Schemas['QueueRunResponse']): string {
  const others =
    ofOtherSchedulers === 0
      ? ''
      : ` ${counted(ofOtherSchedulers, 'pod')} of other schedulers ${ofOtherSchedulers === 1 ? 'is' : 'are'} not among them.`;
  if (waiting === 0) return `No pod waits for ${schedulerName}.${others}`;
  const { placed, unplaced, unknown, gated, error, notTried } = totals;
  const parts = [
    `${count(placed)} would find a node now`,
    `${count(unplaced)} would not`,
    ...(unknown > 0 ? [`${count(unknown)} not known`] : []),
    ...(gated > 0 ? [`${count(gated)} gated`] : []),
    ...(error > 0 ? [`${count(error)} with errors`] : []),
    ...(notTried > 0 ? [`${count(notTried)} not tried`] : []),
  ];
  return `${counted(waiting, 'pod')} ${waiting === 1 ? 'waits' : 'wait'} for ${schedulerName}: ${parts.join(', ')}.${others}`;
}

function Unblocking({ of: { tried, candidates, isPartial, changes } }: { readonly of: Schemas['Unblocking'] }) {
  return (
    <section className="panel">
      <h2>Single changes that would free the most</h2>
      {changes.length === 0 ? (
        <p>No single change that was tried frees a pod.</p>
      ) : (
        <table>
          <caption className="sr-only">Single changes</caption>
          <thead>
            <tr>
              <th scope="col">Change</th>
              <th scope="col" className="number">
                Frees
              </th>
              <th scope="col" className="number">
                Blocks
              </th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ kind, summary, unblocks, blocks }) => (
              <tr key={`${kind} ${summary}`}>
                <th scope="row">
                  <bdi>{summary}</bdi>
                </th>
                <td className="number">{counted(unblocks, 'pod')}</td>
                <td className="number">{counted(blocks, 'pod')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="quiet">
        {count(tried)} of {count(candidates)} changes of nodes and pods tried{isPartial && '; the time ran out'}.
      </p>
    </section>
  );
}

const MOST_NAMED = 3;

const COLUMNS: readonly Column<Group>[] = [
  {
    id: 'outcome',
    title: 'Outcome',
    width: '7rem',
    cell: ({ outcome }) => <Badge kind={OUTCOMES[outcome][0]}>{OUTCOMES[outcome][1]}</Badge>,
  },
  { id: 'count', title: 'Pods', width: '4rem', number: true, cell: (group) => count(group.count) },
  {
    id: 'workloads',
    title: 'Workloads',
    width: 'minmax(14rem, 2fr)',
    cell: ({ workloads }) => (
      <>
        {workloads.slice(0, MOST_NAMED).map(({ workload }) => (
          <div key={workloadText(workload)}>
            <Workload of={workload} />
          </div>
        ))}
        {workloads.length > MOST_NAMED && <div className="quiet">and {count(workloads.length - MOST_NAMED)} more</div>}
      </>
    ),
  },
  {
    id: 'message',
    title: 'What the scheduler says',
    width: 'minmax(20rem, 4fr)',
    cell: ({ message, node, preemption }) => (
      <>
        {message !== null && <bdi>{message}</bdi>}
        {node !== null && (
          <>
            goes to <NodeLink name={node} />
          </>
        )}
        {preemption !== null && message === null && <span className="quiet"> preemption: {preemption}</span>}
      </>
    ),
  },
];
