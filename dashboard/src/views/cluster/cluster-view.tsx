import { useQuery } from '@tanstack/react-query';
import { useCluster } from '../../api/cluster.js';
import { useMoment } from '../../api/moment.js';
import { differenceOf, findingsOf, overviewOf, revisionsOf } from '../../api/queries.js';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { count, counted } from '../../ui/format.js';
import { NodeLink, NodeLinks } from '../../ui/node-link.js';
import { Room } from '../../ui/room.js';
import { exactTime } from '../../ui/time.js';
import { Workload, workloadText } from '../../ui/workload.js';
import { NodeGroups } from './node-groups.js';

/** One cluster: its nodes by taints, its room, what is odd, and what changed. */
export default function ClusterView() {
  const cluster = useCluster();
  const moment = useMoment();
  const overview = useQuery(overviewOf(cluster, moment));
  const findings = useQuery(findingsOf(cluster, moment));
  const basis = overview.data?.basis;
  return (
    <>
      <section className="panel">
        <h1>
          <bdi>{cluster}</bdi>
        </h1>
        <Answer of={overview} what="the overview">
          {({ nodes, pods, resources, unconfirmedNodes }) => (
            <>
              <p>
                {nodes.ready} of {nodes.total} nodes are ready, {nodes.unschedulable} cordoned; {pods.unscheduled} of{' '}
                {pods.total} pods wait for a node.
                {unconfirmedNodes > 0 && (
                  <>
                    {' '}
                    <Badge kind="warn">{counted(unconfirmedNodes, 'node')} with unconfirmed changes</Badge>
                  </>
                )}
              </p>
              <Room of={resources} />
            </>
          )}
        </Answer>
      </section>
      <NodeGroups {...{ cluster, moment }} />
      <section className="panel">
        <h2>What is odd</h2>
        <Answer of={findings} what="the findings">
          {({ groups, counts }) =>
            groups.length === 0 ? (
              <p>Nothing was found.</p>
            ) : (
              <>
                <p className="quiet">
                  {counted(counts.error, 'error')}, {counted(counts.warning, 'warning')}, {count(counts.info)} worth
                  knowing.
                </p>
                <table>
                  <caption className="sr-only">Findings</caption>
                  <thead>
                    <tr>
                      <th scope="col">Severity</th>
                      <th scope="col">Finding</th>
                      <th scope="col" className="number">
                        Objects
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {groups.map((group, at) => (
                      <Finding key={at} group={group} />
                    ))}
                  </tbody>
                </table>
              </>
            )
          }
        </Answer>
      </section>
      {basis !== undefined && <Yesterday cluster={cluster} revision={basis.revision} capturedAt={basis.capturedAt} />}
    </>
  );
}

const SEVERITIES = { error: 'bad', warning: 'warn', info: 'quiet' } as const;

function Finding({ group }: { readonly group: Schemas['FindingGroup'] }) {
  const { severity, message, suggestions, subjects, objectCount } = group;
  return (
    <tr>
      <td>
        <Badge kind={SEVERITIES[severity]}>{severity}</Badge>
      </td>
      <th scope="row">
        <bdi>{message}</bdi>
        {suggestions.map(({ text }) => (
          <div key={text} className="quiet">
            <bdi>{text}</bdi>
          </div>
        ))}
        <details>
          <summary>Where</summary>
          <ul>
            {subjects.map(({ kind, namespace, names }) => (
              <li key={`${kind} ${namespace ?? ''}`}>
                {kind}{' '}
                {kind === 'Node' ? (
                  <NodeLinks names={names} most={names.length} />
                ) : (
                  <bdi>{namespace === null ? names.join(', ') : `${namespace}: ${names.join(', ')}`}</bdi>
                )}
              </li>
            ))}
          </ul>
        </details>
      </th>
      <td className="number">{count(objectCount)}</td>
    </tr>
  );
}

const DAY_MS = 86_400_000;

/** What differs from a day before the state that is shown. */
function Yesterday({
  cluster,
  revision,
  capturedAt,
}: {
  readonly cluster: string;
  readonly revision: number;
  readonly capturedAt: string;
}) {
  const revisions = useQuery(revisionsOf(cluster));
  const before = Date.parse(capturedAt) - DAY_MS;
  return (
    <section className="panel">
      <h2>Since the day before</h2>
      <Answer of={revisions} what="the revisions">
        {({ items, total }) => {
          const since = new Date(before).toISOString();
          const listed = items.findLast((item) => item.revision < revision && Date.parse(item.capturedAt) <= before);
          // An earlier one may be stored, which the list does not have.
          const from = listed?.revision ?? (total > items.length ? since : undefined);
          return from === undefined ? (
            <p>No state from before {exactTime(since)} is stored.</p>
          ) : (
            <Difference cluster={cluster} from={from} to={revision} />
          );
        }}
      </Answer>
    </section>
  );
}

function Difference({
  cluster,
  from,
  to,
}: {
  readonly cluster: string;
  readonly from: number | string;
  readonly to: number;
}) {
  const difference = useQuery(differenceOf(cluster, from, to));
  return (
    <Answer of={difference} what="the differences">
      {(found) => <Changes of={found} />}
    </Answer>
  );
}

function Changes({ of: { from, summary, nodes, workloads } }: { readonly of: Schemas['Difference'] }) {
  const { pods } = summary;
  return (
    <>
      <p>
        Against revision {from.revision}, captured {exactTime(from.capturedAt)}: {counted(summary.nodes.added, 'node')}{' '}
        added, {count(summary.nodes.removed)} removed, {count(summary.nodes.changed)} changed;{' '}
        {counted(pods.added, 'pod')} added, {count(pods.removed)} removed, {count(pods.moved)} moved,{' '}
        {count(pods.scheduled)} scheduled.
      </p>
      <ul>
        {nodes.map(({ node, change, taintsAdded, taintsRemoved, cordoned, ready }) => (
          <li key={node}>
            {change === 'removed' ? <bdi>{node}</bdi> : <NodeLink name={node} />} {change}
            {taintsAdded.map((taint) => (
              <div key={`+${taint}`} className="mono">
                + <bdi>{taint}</bdi>
              </div>
            ))}
            {taintsRemoved.map((taint) => (
              <div key={`-${taint}`} className="mono">
                − <bdi>{taint}</bdi>
              </div>
            ))}
            {cordoned !== null && <div>{cordoned.after === true ? 'cordoned' : 'uncordoned'}</div>}
            {ready !== null && (
              <div>
                Ready: {ready.before ?? 'none'} → {ready.after ?? 'none'}
              </div>
            )}
          </li>
        ))}
        {workloads.map(({ before, after, ...workload }) => (
          <li key={workloadText(workload)}>
            <Workload of={workload} />: {before} → {counted(after, 'pod')}
          </li>
        ))}
      </ul>
    </>
  );
}
