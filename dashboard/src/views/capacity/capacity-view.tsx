import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCluster } from '../../api/cluster.js';
import { useMoment, type Moment } from '../../api/moment.js';
import { clusterKey, nodeGroupsOf, overviewOf } from '../../api/queries.js';
import { service, type Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { NodeLink } from '../../ui/node-link.js';
import { useAddress } from '../../ui/use-address.js';
import { amount, count, counted, quantity } from '../../ui/format.js';
import { VirtualTable } from '../../ui/virtual-table.js';
import './capacity.css';

interface Profile {
  readonly cpu: string;
  readonly memory: string;
}

const PROFILES = [
  { name: 'small', cpu: '250m', memory: '256Mi' },
  { name: 'medium', cpu: '1', memory: '2Gi' },
  { name: 'large', cpu: '4', memory: '16Gi' },
] as const;

const ZONE = 'topology.kubernetes.io/zone';

/** "Deployment default/web" */
const WORKLOAD = /^([A-Za-z]+) ([^/\s]+)\/([^/\s]+)$/;

type Question = Pick<Schemas['CapacityRequest'], 'pod' | 'workloadRef'>;

function questionOf({ cpu, memory }: Profile, workload: string): Question {
  const [, kind, namespace = '', name = ''] = WORKLOAD.exec(workload) ?? [];
  if (kind !== undefined) return { workloadRef: { kind: kind as Schemas['WorkloadKind'], namespace, name } };
  const containers = [{ name: 'replica', image: 'replica', resources: { requests: { cpu, memory } } }];
  return { pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'replica' }, spec: { containers } } };
}

/** @param groupBy labels; undefined while they are not known */
const capacityOf = (cluster: string, moment: Moment, question: Question, groupBy: string[] | undefined) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'capacity', moment, question, groupBy],
    enabled: groupBy !== undefined,
    queryFn: ({ signal }) =>
      service.post('/api/v1/clusters/{cluster}/capacities', {
        path: { cluster },
        query: { ...moment, limit: 1 },
        body: {
          ...question,
          taints: true,
          groupBy: groupBy!,
        },
        signal,
      }),
  });

const quotaCapacityOf = (cluster: string, moment: Moment) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'quota-capacity', moment],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/quota-capacity', {
        path: { cluster },
        query: { ...moment, limit: 1000 },
        signal,
      }),
  });

const GROUPINGS = ['runtimeClass', 'namespace', 'node'] as const;
type Grouping = (typeof GROUPINGS)[number];

const overheadOf = (cluster: string, moment: Moment, by: Grouping) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'overhead', moment, by],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/overhead-costs', {
        path: { cluster },
        query: { ...moment, by, limit: 1000 },
        signal,
      }),
  });

/** How much more fits, and what keeps more from it. */
export default function CapacityView() {
  return (
    <>
      <h1 className="sr-only">Capacity and quota</h1>
      <Headroom />
      <Quotas />
      <Overhead />
    </>
  );
}

/** The zone, and the labels that name the pools of nodes, as the service finds them. */
function useGroupLabels(cluster: string, moment: Moment): string[] | undefined {
  const { data, error, isPlaceholderData } = useQuery(nodeGroupsOf(cluster, moment, 'pool'));
  // Without them, the answer is still one by declared pools, taints and zone.
  if (error !== null && data === undefined) return [ZONE];
  if (data === undefined || isPlaceholderData) return undefined;
  return [...new Set([ZONE, ...data.groups.flatMap(({ label }) => label ?? [])])];
}

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

function Headroom() {
  const [address, setAddress] = useAddress('cpu', 'memory', 'workload');
  const { workload } = address;
  const profile = { cpu: address.cpu || '250m', memory: address.memory || '256Mi' };
  const [cluster, moment] = [useCluster(), useMoment()];
  const groupBy = useGroupLabels(cluster, moment);
  const capacity = useQuery(capacityOf(cluster, moment, questionOf(profile, workload), groupBy));
  const [typed, setTyped] = useState({ ...profile, workload });
  const choose = (next: Profile, of = ''): void => {
    setTyped({ ...next, workload: of });
    setAddress({ cpu: next.cpu, memory: next.memory, workload: of }, false);
  };
  return (
    <section className="panel" aria-labelledby="headroom">
      <h2 id="headroom">Headroom</h2>
      <form
        className="capacity-profile"
        onSubmit={(event) => {
          event.preventDefault();
          choose({ cpu: typed.cpu, memory: typed.memory }, typed.workload);
        }}
      >
        {PROFILES.map(({ name, ...one }) => (
          <button
            key={name}
            type="button"
            aria-pressed={workload === '' && one.cpu === profile.cpu && one.memory === profile.memory}
            onClick={() => choose(one)}
          >
            {name}
          </button>
        ))}
        <label>
          CPU <input value={typed.cpu} onChange={({ target }) => setTyped({ ...typed, cpu: target.value.trim() })} />
        </label>
        <label>
          Memory{' '}
          <input value={typed.memory} onChange={({ target }) => setTyped({ ...typed, memory: target.value.trim() })} />
        </label>
        <label>
          or workload{' '}
          <input
            className="capacity-workload"
            value={typed.workload}
            placeholder="Deployment default/web"
            pattern="[A-Za-z]+ \S+/\S+"
            title="Kind namespace/name"
            spellCheck={false}
            onChange={({ target }) => setTyped({ ...typed, workload: target.value })}
          />
        </label>
        <button type="submit">Count replicas</button>
      </form>
      <Answer of={capacity} what="the capacity">
        {({ pod, replicas, isComplete, next, breakdown, taints }) => (
          <>
            <p>
              <strong className="capacity-figure">{count(replicas)}</strong> {isComplete ? '' : 'or more '}
              {replicas === 1 ? 'replica' : 'replicas'} of{' '}
              {pod.workload === null ? (
                'a pod without tolerations'
              ) : (
                <bdi>{`${pod.workload.kind} ${pod.workload.namespace}/${pod.workload.name}`}</bdi>
              )}{' '}
              {replicas === 1 ? 'fits' : 'fit, each'} with{' '}
              {Object.entries(pod.requests)
                .map(([resource, value]) => `${resource} ${value}`)
                .join(', ') || 'no requests'}
              .{' '}
              {next !== null && (
                <span className="quiet">
                  Then: <bdi>{next.message ?? next.error}</bdi>
                </span>
              )}
            </p>
            <div className="capacity-tables">
              <Breakdown groups={breakdown} />
              {taints !== null && <Taints {...taints} />}
            </div>
          </>
        )}
      </Answer>
    </section>
  );
}

type Group = Schemas['CapacityGroup'];

/** Without labels that no node has. */
const told = (groups: readonly Group[]): readonly Group[] =>
  groups.filter(
    ({ kind, name }) =>
      kind !== 'label' ||
      !name.startsWith('no ') ||
      groups.some((other) => other.kind === 'label' && other.name.startsWith(`${name.slice(3)}=`)),
  );

function Breakdown({ groups: all }: { readonly groups: readonly Group[] }) {
  const groups = told(all);
  const most = Math.max(1, ...groups.map(({ replicas }) => replicas));
  return (
    <VirtualTable
      label="Replicas by pool, taints and zone"
      rows={groups}
      keyOf={({ kind, name }) => `${kind} ${name}`}
      columns={[
        {
          id: 'group',
          title: 'Nodes by pool, taints, zone',
          width: 'minmax(10rem, 3fr)',
          cell: ({ kind, name }) => (
            <>
              <span className="quiet">{kind}</span> <bdi>{name}</bdi>
            </>
          ),
        },
        {
          id: 'open',
          title: 'Open',
          width: '6rem',
          number: true,
          cell: ({ open, nodes }) => `${count(open)} of ${count(nodes)}`,
        },
        { id: 'replicas', title: 'Replicas', width: '5rem', number: true, cell: ({ replicas }) => count(replicas) },
        {
          id: 'bar',
          title: '',
          width: 'minmax(4rem, 1fr)',
          cell: ({ replicas }) => <meter min={0} max={most} value={replicas} aria-label={`${replicas} replicas`} />,
        },
        {
          id: 'stops',
          title: 'What stops the next',
          width: 'minmax(9rem, 3fr)',
          cell: ({ stops }) => stops.map(({ message, nodes }) => `${message} (${count(nodes)})`).join(', '),
        },
      ]}
    />
  );
}

function Taints({ costs, candidates }: Schemas['TaintCosts']) {
  if (costs.length === 0) return <p>No taint keeps these replicas off a node.</p>;
  return (
    <div>
      <VirtualTable
        label="What each taint costs"
        rows={costs}
        keyOf={({ taint }) => taint}
        columns={[
          {
            id: 'taint',
            title: 'What a taint costs',
            width: 'minmax(10rem, 3fr)',
            cell: ({ taint }) => <bdi className="mono">{taint}</bdi>,
          },
          { id: 'nodes', title: 'Nodes', width: '4rem', number: true, cell: ({ nodes }) => count(nodes) },
          {
            id: 'frees',
            title: 'Replicas if tolerated',
            width: '6rem',
            number: true,
            cell: ({ frees, isCertain }) => `${isCertain ? '' : '≥ '}+${count(frees)}`,
          },
          {
            id: 'pending',
            title: 'Pending helped',
            width: '5rem',
            number: true,
            cell: ({ pendingHelped }) => count(pendingHelped),
          },
          {
            id: 'room',
            title: 'Free there',
            width: 'minmax(9rem, 3fr)',
            cell: ({ resources }) =>
              resources.map(({ resource, free, allocatable }) => (
                <div key={resource}>
                  <bdi>{resource}</bdi> {quantity(resource, free)} of {quantity(resource, allocatable)}
                </div>
              )),
          },
        ]}
      />
      {candidates > costs.length && (
        <p className="quiet">
          The {costs.length} of {count(candidates)} taints that cost most.
        </p>
      )}
    </div>
  );
}

/** What a namespace's quota promises, next to what its nodes have. */
function Quotas() {
  const quotas = useQuery(quotaCapacityOf(useCluster(), useMoment()));
  return (
    <section className="panel" aria-labelledby="quotas">
      <h2 id="quotas">Namespaces against what their nodes can hold</h2>
      <Answer of={quotas} what="the quotas">
        {({ items }) => {
          const rows = items.flatMap(({ namespace, nodes, resources }) =>
            resources.map((resource) => ({ namespace, nodes, ...resource })),
          );
          if (rows.length === 0) return <p>No namespace has a quota on what nodes limit.</p>;
          return (
            <VirtualTable
              label="Quotas and nodes"
              rows={rows}
              keyOf={({ namespace, quota, resource }) => `${namespace} ${quota} ${resource}`}
              columns={[
                {
                  id: 'namespace',
                  title: 'Namespace',
                  width: 'minmax(7rem, 1fr)',
                  cell: ({ namespace }) => <bdi>{namespace}</bdi>,
                },
                {
                  id: 'resource',
                  title: 'Quota',
                  width: 'minmax(9rem, 2fr)',
                  cell: ({ quota, resource }) => <bdi>{`${quota} ${resource}`}</bdi>,
                },
                {
                  id: 'used',
                  title: 'Used of limit',
                  width: '8rem',
                  number: true,
                  cell: ({ used, hard }) => `${used ?? '?'} of ${hard}`,
                },
                {
                  id: 'free',
                  title: 'Free of nodes',
                  width: '8rem',
                  number: true,
                  cell: ({ free, allocatable }) => `${free} of ${allocatable}`,
                },
                { id: 'holds', title: 'Holds', width: '6rem', cell: ({ holds }) => <Holds holds={holds} /> },
                {
                  id: 'text',
                  title: 'What that means',
                  width: 'minmax(12rem, 4fr)',
                  cell: ({ text }) => <bdi>{text}</bdi>,
                },
              ]}
            />
          );
        }}
      </Answer>
    </section>
  );
}

function Holds({ holds }: { readonly holds: Schemas['QuotaCapacityHolds'] }) {
  return <Badge kind={holds === 'beyond' ? 'bad' : holds === 'within' ? 'good' : 'warn'}>{holds}</Badge>;
}

/** What runtimes take besides the containers. */
function Overhead() {
  const [address, setAddress] = useAddress('by');
  const by = GROUPINGS.find((one) => one === address.by) ?? 'runtimeClass';
  const [cluster, moment] = [useCluster(), useMoment()];
  const overhead = useQuery(overheadOf(cluster, moment, by));
  const { data: overview } = useQuery(overviewOf(cluster, moment));
  const requested = new Map(overview?.resources.map((one) => [one.resource, one.requested]));
  return (
    <section className="panel" aria-labelledby="overhead">
      <h2 id="overhead">Overhead</h2>
      <label>
        By{' '}
        <select value={by} onChange={({ target }) => setAddress({ by: target.value })}>
          {GROUPINGS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Answer of={overhead} what="the overhead">
        {({ items, cluster: all }) => (
          <>
            <p>
              {counted(all.scheduled.pods, 'pod')} on nodes with overhead
              {all.scheduled.pods > 0 && <> ({amounts(all.scheduled, requested)} of what pods request)</>};{' '}
              {count(all.waiting.pods)} wait for a node.
            </p>
            {items.length > 0 && (
              <VirtualTable
                label="Overhead by group"
                rows={items}
                keyOf={({ name }) => name}
                columns={[
                  {
                    id: 'name',
                    title: by,
                    width: 'minmax(8rem, 1fr)',
                    cell: ({ name }) =>
                      by === 'node' ? <NodeLink name={name} /> : <bdi>{name || 'no runtime class'}</bdi>,
                  },
                  {
                    id: 'pods',
                    title: 'Pods',
                    width: '5rem',
                    number: true,
                    cell: ({ scheduled }) => count(scheduled.pods),
                  },
                  {
                    id: 'amounts',
                    title: 'On nodes',
                    width: 'minmax(10rem, 2fr)',
                    cell: ({ scheduled }) => amounts(scheduled, requested),
                  },
                  {
                    id: 'waiting',
                    title: 'Waiting',
                    width: 'minmax(10rem, 2fr)',
                    cell: ({ waiting }) => amounts(waiting),
                  },
                ]}
              />
            )}
          </>
        )}
      </Answer>
    </section>
  );
}

/** Amounts, and their share of all that pods on nodes request. */
const amounts = ({ amounts: all }: Schemas['OverheadSum'], requested?: ReadonlyMap<string, number>): string =>
  all
    .map(({ resource, amount: value }) => {
      const whole = requested?.get(resource) ?? 0;
      const share = whole > 0 ? ` (${PERCENT.format(value / whole)})` : '';
      return `${resource} ${amount(resource, value)}${share}`;
    })
    .join(', ');
