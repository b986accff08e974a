import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { NodeLink, NodeLinks } from '../../ui/node-link.js';
import { Workload, Workloads, workloadText } from '../../ui/workload.js';
import { EvictionAxis, secondsText } from './eviction-axis.js';
import { landingOf } from './queries.js';

const MOST_GROUPS = 50;

/** What a change does to pods, workloads and budgets. */
export function Effects({ effects }: { readonly effects: Schemas['TaintEffects'] }) {
  const { evictions, workloads, warnings, notConsidered } = effects;
  return (
    <>
      <h3>Evictions</h3>
      <EvictionAxis evictions={evictions} />
      <EvictedGroups groups={evictions.groups.filter(({ when }) => when !== 'never')} />
      <h3>Workloads whose nodes change</h3>
      <ChangedWorkloads workloads={workloads} />
      {warnings.total > 0 && (
        <>
          <h3>To know before</h3>
          <ul className="plain">
            {warnings.items.map(({ code, message, nodes }, at) => (
              <li key={at}>
                <Badge kind="warn">{code}</Badge> <bdi>{message}</bdi>
                {nodes !== null && nodes.total > 0 && (
                  <span className="quiet">
                    {' '}
                    (<NodeLinks names={nodes.items} most={3} />
                    {nodes.total > 3 && ` and ${nodes.total - Math.min(3, nodes.items.length)} more`})
                  </span>
                )}
              </li>
            ))}
            {warnings.total > warnings.items.length && (
              <li className="quiet">and {warnings.total - warnings.items.length} more warnings</li>
            )}
          </ul>
        </>
      )}
      {notConsidered.length > 0 && (
        <ul className="plain quiet">
          {[...byReason(notConsidered)].map(([why, kinds]) => (
            <li key={why}>
              Never loaded: {kinds.join(', ')}; {why}.
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function byReason(notConsidered: readonly Schemas['NotConsidered'][]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { kind, why } of notConsidered) found.set(why, [...(found.get(why) ?? []), kind]);
  return found;
}

function EvictedGroups({ groups }: { readonly groups: readonly Schemas['PodEvictionGroup'][] }) {
  if (groups.length === 0) return null;
  return (
    <details>
      <summary>Which pods, and why</summary>
      <table>
        <caption className="sr-only">Evicted pods by cause</caption>
        <thead>
          <tr>
            <th scope="col" className="number">
              Pods
            </th>
            <th scope="col">Evicted</th>
            <th scope="col">Because of</th>
            <th scope="col">Toleration</th>
            <th scope="col">Workloads</th>
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, MOST_GROUPS).map(({ count, when, seconds, because, workloads, note }, at) => (
            <tr key={at}>
              <td className="number">{count}</td>
              <td>
                {when === 'after' ? (seconds === null ? 'after different times' : secondsText(seconds)) : when}
                {note !== null && <span className="quiet"> {note}</span>}
              </td>
              <td className="taint">
                <bdi>{because?.taint ?? ''}</bdi>
              </td>
              <td className="mono">{because === null ? '' : (because.toleration ?? 'none matches')}</td>
              <td>
                <Workloads of={workloads} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {groups.length > MOST_GROUPS && <p className="quiet">and {groups.length - MOST_GROUPS} more groups</p>}
    </details>
  );
}

function ChangedWorkloads({ workloads }: { readonly workloads: Schemas['FeasibilityEffects'] }) {
  const { counts, groups } = workloads;
  if (counts.lost + counts.gained === 0) return <p>No workload loses or gains a node.</p>;
  return (
    <>
      <p>
        {counts.lost} lose nodes, {counts.gained} gain some.{' '}
        {counts.becameInfeasible > 0 && <Badge kind="bad">{`${counts.becameInfeasible} lose their last node`}</Badge>}{' '}
        {counts.becameFeasible > 0 && <Badge kind="good">{`${counts.becameFeasible} get their first node`}</Badge>}
      </p>
      <table>
        <caption className="sr-only">Workloads by the nodes that they lose and gain</caption>
        <thead>
          <tr>
            <th scope="col">Workloads</th>
            <th scope="col" className="number">
              Pods
            </th>
            <th scope="col" className="number">
              Nodes before
            </th>
            <th scope="col" className="number">
              after
            </th>
            <th scope="col">Lost</th>
            <th scope="col">Gained</th>
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, MOST_GROUPS).map((group, at) => (
            <tr key={at}>
              <th scope="row">
                <Workloads of={group.workloads.map(({ workload }) => ({ workload }))} />
              </th>
              <td className="number">{group.podCount}</td>
              <td className="number">{group.feasibleBefore ?? 'differ'}</td>
              <td className="number">
                {group.feasibleAfter ?? 'differ'} {group.becameInfeasible && <Badge kind="bad">none left</Badge>}
              </td>
              <td>
                <SomeNodes nodes={group.lost} />
              </td>
              <td>
                <SomeNodes nodes={group.gained} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {groups.length > MOST_GROUPS && <p className="quiet">and {groups.length - MOST_GROUPS} more groups</p>}
    </>
  );
}

function SomeNodes({ nodes: { total, items } }: { readonly nodes: Schemas['SomeNodes'] }) {
  if (total === 0) return <span className="quiet">none</span>;
  return (
    <>
      {total}: <NodeLinks names={items} most={3} />
      {total > 3 && ' …'}
    </>
  );
}

/** Where the replacements of evicted pods are scheduled. */
export function Landing({ cluster, edit }: { readonly cluster: string; readonly edit: Schemas['EditNodesRequest'] }) {
  const landing = useQuery(landingOf(cluster, edit));
  return (
    <>
      <h3>Where the pods go</h3>
      <Answer of={landing} what="where the pods go">
        {({ landing: plan }) => (plan === null ? <p>Not planned.</p> : <Plan plan={plan} />)}
      </Answer>
    </>
  );
}

export function Plan({ plan }: { readonly plan: Schemas['Landings'] }) {
  const { totals, workloads, pods } = plan;
  const never = totals.never.reduce((sum, { pods: count }) => sum + count, 0);
  return (
    <>
      <p>
        Of {totals.evicted} evicted pods, {totals.replaced} are replaced, and {totals.landed} of these find a node
        {totals.landedLater > 0 && ` (${totals.landedLater} only later)`}.{' '}
        {totals.withoutNode > 0 && <Badge kind="bad">{`${totals.withoutNode} find no node`}</Badge>}{' '}
        {totals.unknown > 0 && <Badge kind="warn">{`${totals.unknown} are not known`}</Badge>}{' '}
        {never > 0 && (
          <Badge kind="warn">
            {`${never} are not replaced: ${totals.never.map(({ why, pods: count }) => `${why} ${count}`).join(', ')}`}
          </Badge>
        )}
      </p>
      {workloads.total > 0 && (
        <ul className="plain">
          {workloads.items.map(({ workload, withoutNode, refusal }) => (
            <li key={workloadText(workload)}>
              <Workload of={workload} />: {withoutNode} without a node
              {refusal?.message !== null && refusal?.message !== undefined && (
                <>
                  , <bdi>{refusal.message}</bdi>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {pods.items.length > 0 && (
        <details>
          <summary>Pod by pod</summary>
          <table>
            <caption className="sr-only">Where each pod goes</caption>
            <thead>
              <tr>
                <th scope="col">Pod</th>
                <th scope="col">From</th>
                <th scope="col">To</th>
              </tr>
            </thead>
            <tbody>
              {pods.items.map(({ namespace, name, from, chosen, verdict, never: why, refusal }) => (
                <tr key={`${namespace}/${name}`}>
                  <th scope="row">
                    <bdi>{`${namespace}/${name}`}</bdi>
                  </th>
                  <td>{from !== null && <NodeLink name={from} />}</td>
                  <td>
                    {chosen === null ? (
                      <bdi>{why ?? refusal?.message ?? verdict ?? ''}</bdi>
                    ) : (
                      <NodeLink name={chosen} />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {pods.total > pods.items.length && <p className="quiet">and {pods.total - pods.items.length} more pods</p>}
        </details>
      )}
    </>
  );
}
