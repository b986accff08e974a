import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCluster } from '../../api/cluster.js';
import { isPast, useMoment, type Moment } from '../../api/moment.js';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { amount, count, counted } from '../../ui/format.js';
import { Room } from '../../ui/room.js';
import { TaintText } from '../../ui/taint.js';
import { Time } from '../../ui/time.js';
import { useAddress } from '../../ui/use-address.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';
import { History } from '../trail/history.js';
import { historyOf } from '../trail/queries.js';
import { whenText, Who } from '../trail/words.js';
import { nodeSummaryOf } from './queries.js';
import '../../ui/parts.css';
import './node.css';

type Summary = Schemas['NodeSummary'];
type Outcome = Summary['outcomes'][number];
type NodePod = Summary['pods'][number];

/** One node: what is on it, what may come, and what happened to it. */
export default function NodeView() {
  const cluster = useCluster();
  const moment = useMoment();
  const [{ node }] = useAddress('node');
  const summary = useQuery(nodeSummaryOf(cluster, node, moment));
  const capturedAt = summary.data?.basis.capturedAt;
  if (node === '') return <NoNode cluster={cluster} moment={moment} />;
  return (
    <>
      <section className="panel">
        <p className="node-way">
          <Link to="/clusters/$cluster/$view" params={{ cluster, view: 'overview' }} search={{ ...moment }}>
            All nodes of <bdi>{cluster}</bdi>
          </Link>
        </p>
        <h1>
          Node <bdi>{node}</bdi>
        </h1>
        <Answer of={summary} what="the node">
          {(found) => <Head of={found} {...{ cluster, moment }} />}
        </Answer>
      </section>
      {summary.data !== undefined && (
        <>
          <TaintsOf summary={summary.data} {...{ cluster, node, moment }} />
          <section className="panel" aria-labelledby="pods">
            <h2 id="pods">Pods</h2>
            <Pods of={summary.data} {...{ cluster, moment }} />
          </section>
          <Conditions of={summary.data.node} />
        </>
      )}
      {(!isPast(moment) || capturedAt !== undefined) && (
        <History
          {...{ cluster, node }}
          taintKey={undefined}
          effect={undefined}
          at={isPast(moment) ? (moment.at ?? capturedAt) : undefined}
        />
      )}
    </>
  );
}

function NoNode({ cluster, moment }: { readonly cluster: string; readonly moment: Moment }) {
  return (
    <section className="panel">
      <h1>No node is named</h1>
      <p>
        <Link to="/clusters/$cluster/$view" params={{ cluster, view: 'overview' }} search={{ ...moment }}>
          Go to the nodes of <bdi>{cluster}</bdi>
        </Link>
      </p>
    </section>
  );
}

function Head({
  of: { node, room },
  cluster,
  moment,
}: {
  readonly of: Summary;
  readonly cluster: string;
  readonly moment: Moment;
}) {
  const { name, createdAt, kubeletVersion, operatingSystem, architecture, unschedulable, conditions, labels } = node;
  const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const to = (view: string, title: string, search: Readonly<Record<string, unknown>>) => (
    <li key={title}>
      <Link to="/clusters/$cluster/$view" params={{ cluster, view }} search={{ ...moment, ...search }}>
        {title}
      </Link>
    </li>
  );
  return (
    <>
      <p>
        <Badge kind={ready ? 'good' : 'bad'}>{ready ? 'Ready' : 'not ready'}</Badge>
        {unschedulable && <Badge kind="warn">cordoned</Badge>}{' '}
        <span className="quiet">
          {createdAt !== null && (
            <>
              created <Time at={createdAt} />
            </>
          )}
          {[kubeletVersion, operatingSystem, architecture].map(
            (fact) =>
              fact !== null && (
                <span key={fact}>
                  {' '}
                  · <bdi>{fact}</bdi>
                </span>
              ),
          )}
        </span>
      </p>
      <nav aria-label="What to do with the node">
        <ul className="node-links no-print">
          {to('changes', 'Change its taints', { draft: { by: 'list', nodes: name } })}
          {to('evictions', 'When its pods are evicted', { draft: { by: 'list', nodes: name } })}
          {to('evictions', 'Drain it', { tab: 'drains', drain: { nodes: name } })}
          {to('matrix', 'Which pods it repels', { nodes: name })}
          {to('trail', 'Its trail', { node: name })}
        </ul>
      </nav>
      <Room of={room} />
      <details>
        <summary>{counted(Object.keys(labels).length, 'label')}</summary>
        <ul className="plain node-labels">
          {Object.entries(labels).map(([key, value]) => (
            <li key={key} className="mono">
              <bdi>
                {key}={value}
              </bdi>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

const VERDICTS: Readonly<
  Record<Outcome['verdict'], { readonly text: string; readonly kind: 'good' | 'warn' | 'bad' | 'quiet' }>
> = {
  allowed: { text: '● may stay, and come', kind: 'good' },
  discouraged: { text: '◇ would rather be elsewhere', kind: 'quiet' },
  refused: { text: '⊘ may stay, but not come again', kind: 'warn' },
  evicted: { text: '✕ evicted', kind: 'bad' },
};

function Verdict({ of: { verdict, tolerationSeconds } }: { readonly of: Outcome }) {
  const after =
    verdict !== 'evicted' ? '' : tolerationSeconds === 0 ? ' at once' : ` after ${tolerationSeconds ?? 0} s`;
  return (
    <Badge kind={VERDICTS[verdict].kind}>
      {VERDICTS[verdict].text}
      {after}
    </Badge>
  );
}

/** The taints with who set them and since when, and what they mean for the pods. */
function TaintsOf({
  summary: { taints, outcomes, pods, basis },
  cluster,
  node,
  moment,
}: {
  readonly summary: Summary;
  readonly cluster: string;
  readonly node: string;
  readonly moment: Moment;
}) {
  const at = isPast(moment) ? { at: moment.at ?? basis.capturedAt } : {};
  const history = useQuery(historyOf(cluster, node, at));
  const intervalOf = ({ key, value, effect }: Summary['taints'][number]) =>
    history.data?.taints.find(
      ({ taint, to, present }) =>
        (isPast(moment) ? present !== null : to === null) &&
        taint?.key === key &&
        taint.value === value &&
        taint.effect === effect,
    );
  const cordon = history.data?.cordons.find(({ to, present }) => (isPast(moment) ? present !== null : to === null));
  return (
    <section className="panel" aria-labelledby="taints">
      <h2 id="taints">Taints</h2>
      {taints.length === 0 ? (
        <p>It has no taint: taints keep no pod off.</p>
      ) : (
        <table>
          <caption className="sr-only">Taints of the node</caption>
          <thead>
            <tr>
              <th scope="col">Taint</th>
              <th scope="col">Set by</th>
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {taints.map((taint) => {
              const interval =
                intervalOf(taint) ?? (taint.key === 'node.kubernetes.io/unschedulable' ? cordon : undefined);
              const { setBy = null, from } = interval ?? {};
              return (
                <tr key={taint.text}>
                  <th scope="row">
                    <TaintText taint={taint} />
                    {taint.wellKnown !== null && <div className="quiet">{taint.wellKnown.summary}</div>}
                  </th>
                  <td>{setBy === null ? <span className="quiet">not known</span> : <Who {...setBy} />}</td>
                  <td>
                    {from === undefined ? (
                      <span className="quiet">{history.isPending ? 'Reading the trail…' : 'not known'}</span>
                    ) : (
                      whenText(from)
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {outcomes.length > 0 && taints.length > 0 && (
        <>
          <h3>What they mean for its pods</h3>
          <ul className="plain">
            {outcomes.map((outcome, index) => (
              <li key={index}>
                <strong>{counted(pods.filter((pod) => pod.outcome === index).length, 'pod')}</strong>{' '}
                <Verdict of={outcome} />
                {outcome.taints.map((place) => (
                  <span key={place}>
                    {' '}
                    <TaintText taint={taints[place]!} />
                  </span>
                ))}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Pods({
  of: { pods, podTotal, outcomes },
  cluster,
  moment,
}: {
  readonly of: Summary;
  readonly cluster: string;
  readonly moment: Moment;
}) {
  if (pods.length === 0) return <p>No pod is on it.</p>;
  const columns: readonly Column<NodePod>[] = [
    {
      id: 'pod',
      title: 'Pod',
      width: 'minmax(13rem, 3fr)',
      cell: ({ namespace, name }) => (
        <Link
          to="/clusters/$cluster/$view"
          params={{ cluster, view: 'explorer' }}
          search={{ ...moment, stored: `Pod ${namespace}/${name}` }}
        >
          <bdi>
            {namespace}/{name}
          </bdi>
        </Link>
      ),
    },
    {
      id: 'workload',
      title: 'Workload',
      width: 'minmax(9rem, 2fr)',
      cell: ({ workload: { kind, name } }) =>
        kind === 'Pod' ? (
          <span className="quiet">none</span>
        ) : (
          <>
            {kind} <bdi>{name}</bdi>
          </>
        ),
    },
    { id: 'phase', title: 'Phase', width: '6rem', cell: ({ phase }) => phase ?? <span className="quiet">none</span> },
    {
      id: 'outcome',
      title: 'By the taints',
      width: 'minmax(12rem, 2fr)',
      cell: ({ outcome }) =>
        outcome === null ? <span className="quiet">has ended</span> : <Verdict of={outcomes[outcome]!} />,
    },
    { id: 'cpu', title: 'CPU', width: '4rem', number: true, cell: ({ cpu }) => amount('cpu', cpu) },
    { id: 'memory', title: 'Memory', width: '5rem', number: true, cell: ({ memory }) => amount('memory', memory) },
  ];
  return (
    <>
      <VirtualTable
        label="Pods of the node"
        rows={pods}
        columns={columns}
        keyOf={({ namespace, name }) => `${namespace}/${name}`}
      />
      {podTotal > pods.length && <p className="quiet">{count(podTotal - pods.length)} more are not listed.</p>}
    </>
  );
}

/** Conditions that are as they should be stay in the background. */
const isAsWished = ({ type, status }: { readonly type: string; readonly status: string }): boolean =>
  status === (type === 'Ready' ? 'True' : 'False');

function Conditions({ of: { conditions } }: { readonly of: Summary['node'] }) {
  return (
    <section className="panel" aria-labelledby="conditions">
      <h2 id="conditions">Conditions</h2>
      {conditions.length === 0 ? (
        <p>It reports none.</p>
      ) : (
        <table>
          <caption className="sr-only">Conditions of the node</caption>
          <thead>
            <tr>
              <th scope="col">Condition</th>
              <th scope="col">Status</th>
              <th scope="col">Reason</th>
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {conditions.map((condition) => (
              <tr key={condition.type}>
                <th scope="row">
                  <bdi>{condition.type}</bdi>
                </th>
                <td>
                  <Badge kind={isAsWished(condition) ? 'quiet' : 'bad'}>{condition.status}</Badge>
                </td>
                <td>
                  <bdi>{condition.reason}</bdi>
                  {condition.message !== null && (
                    <div className="quiet">
                      <bdi>{condition.message}</bdi>
                    </div>
                  )}
                </td>
                <td>{condition.lastTransitionTime !== null && <Time at={condition.lastTransitionTime} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
