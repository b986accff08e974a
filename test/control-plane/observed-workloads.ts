import type { JsonObject, JsonValue } from '../../src/core/json/json-value.js';
import type { ApiServer } from './api-server.js';

/** The workloads of a namespace as an observer of the API server sees them, in the form of the vectors of op `workload`. */
export async function observedWorkloads(api: ApiServer, namespace: string): Promise<JsonObject> {
  const list = async (path: string): Promise<readonly Observed[]> =>
    ((await api.must('GET', path)) as unknown as { readonly items: readonly Observed[] }).items;
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const core = `/api/v1/namespaces/${namespace}`;
  const seen: Seen = {
    pods: (await list(`${core}/pods`)).filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    replicaSets: await list(`${apps}/replicasets`),
    events: await list(`${core}/events`),
  };
  const claims = await list(`${core}/persistentvolumeclaims`);
  const quotas = await list(`${core}/resourcequotas`);
  const workloads = [
    ...(await list(`${apps}/deployments`)).map((one) => deployment(one, seen)),
    ...(await list(`${apps}/statefulsets`)).map((one) => statefulSet(one, seen)),
    ...(await list(`${apps}/daemonsets`)).map((one) => daemonSet(one, seen)),
    ...(await list(`/apis/batch/v1/namespaces/${namespace}/jobs`)).map((one) => job(one, seen)),
  ];
  const preempted = seen.events.filter(({ reason }) => reason === 'Preempted').length;
  return {
    workloads: workloads.sort((a, b) => compareText(a['name'] as string, b['name'] as string)),
    preempted: { count: preempted, byWorkload: {} },
    ...(claims.length === 0 ? {} : { claims: claims.map(claimSeen) }),
    ...(quotas.length === 0
      ? {}
      : { quotas: quotas.map(({ metadata, status }) => ({ name: metadata.name, used: status?.['used'] ?? {} })) }),
  };
}

interface Observed {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
    readonly deletionTimestamp?: string;
  };
  readonly spec: JsonObject;
  readonly status?: JsonObject;
  /** Of events. */
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly uid: string };
}

interface Seen {
  readonly pods: readonly Observed[];
  readonly replicaSets: readonly Observed[];
  readonly events: readonly Observed[];
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const isOwnedBy =
  (uid: string) =>
  ({ metadata }: Observed): boolean =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

const conditionsOf = ({ status }: Observed): readonly Condition[] =>
  (status?.['conditions'] ?? []) as unknown as Condition[];

const number = (value: JsonValue | undefined): number => (typeof value === 'number' ? value : 0);

/** What every workload has: its pods, and what is said of those that wait or were not created. */
function common(
  kind: string,
  { metadata }: Observed,
  owned: readonly Observed[],
  events: readonly Observed[],
): Record<string, JsonValue> {
  const pods = owned.filter(({ status }) => !['Succeeded', 'Failed'].includes(status?.['phase'] as string));
  const bound = pods.filter(({ spec }) => spec['nodeName'] !== undefined);
  const nodes: Record<string, number> = {};
  for (const { spec } of bound) nodes[spec['nodeName'] as string] = (nodes[spec['nodeName'] as string] ?? 0) + 1;
  const failedScheduling: Record<string, number> = {};
  for (const pod of pods.filter((one) => !bound.includes(one))) {
    const condition = conditionsOf(pod).find(({ type }) => type === 'PodScheduled');
    const text =
      condition?.status === 'False' ? `${condition.reason ?? ''}: ${condition.message ?? ''}` : 'no condition';
    failedScheduling[text] = (failedScheduling[text] ?? 0) + 1;
  }
  const failedCreate = new Set(
    events
      .filter(({ reason }) => reason === 'FailedCreate')
      .map(({ message }) => withoutChance(message ?? '', metadata.name)),
  );
  return {
    kind,
    name: metadata.name,
    created: pods.length,
    bound: bound.length,
    pending: pods.length - bound.length,
    nodeCounts: Object.values(nodes).sort((a, b) => b - a),
    nodes,
    failedScheduling,
    failedCreate: [...failedCreate].sort(),
  };
}

/** What the event recorder puts before the message of events that it counts together (k8s.io/client-go v0.36.2, tools/record). */
const COMBINED = /^\(combined from similar events\): /;

/** The text without the random parts of names, and with the errors of a list in order. */
function withoutChance(text: string, workload: string): string {
  const name = workload.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const hashed = text
    .replace(COMBINED, '')
    .replace(new RegExp(`(["\\s]${name})-[a-z0-9]{8,10}-[a-z0-9]{5}(?=["\\s])`, 'g'), '$1-HASH-RAND')
    .replace(new RegExp(`(["\\s]${name})-[a-z0-9]{8,10}-(?=")`, 'g'), '$1-HASH-')
    .replace(new RegExp(`(["\\s]${name})-[a-z0-9]{5}(?=["\\s])`, 'g'), '$1-RAND');
  return hashed.replace(
    /: \[([^\]]*)\]$/,
    (_, list: string) => `: [${[...new Set(list.split(', '))].sort().join(', ')}]`,
  );
}

const eventsOf = (owners: readonly Observed[], { events }: Seen): readonly Observed[] =>
  events.filter(({ involvedObject }) => owners.some(({ metadata }) => metadata.uid === involvedObject?.uid));

function deployment(object: Observed, seen: Seen): JsonObject {
  const sets = seen.replicaSets.filter(isOwnedBy(object.metadata.uid));
  const pods = sets.flatMap(({ metadata }) => seen.pods.filter(isOwnedBy(metadata.uid)));
  const { status = {} } = object;
  const ready = number(status['readyReplicas']);
  return {
    ...common('Deployment', object, pods, eventsOf(sets, seen)),
    desired: object.spec['replicas']!,
    ready,
    replicaSets: sets
      .map((set) => replicaSet(set, object.metadata.name))
      .sort((a, b) => number(a['revision']) - number(b['revision'])),
    status: {
      ...{ replicas: number(status['replicas']), readyReplicas: ready },
      ...{ availableReplicas: number(status['availableReplicas']), updatedReplicas: number(status['updatedReplicas']) },
      unavailableReplicas: number(status['unavailableReplicas']),
    },
  };
}

function replicaSet(set: Observed, deploymentName: string): JsonObject {
  const failure = conditionsOf(set).find(({ type }) => type === 'ReplicaFailure');
  return {
    revision: Number(set.metadata.annotations?.['deployment.kubernetes.io/revision']),
    desired: set.spec['replicas']!,
    created: number(set.status?.['replicas']),
    ready: number(set.status?.['readyReplicas']),
    ...(failure === undefined ? {} : { replicaFailure: withoutChance(failure.message ?? '', deploymentName) }),
  };
}

function statefulSet(object: Observed, seen: Seen): JsonObject {
  const { status = {} } = object;
  const pods = seen.pods.filter(isOwnedBy(object.metadata.uid));
  const ready = number(status['readyReplicas']);
  return {
    ...common('StatefulSet', object, pods, eventsOf([object], seen)),
    desired: object.spec['replicas']!,
    ready,
    podNames: pods.map(({ metadata }) => metadata.name).sort(),
    status: {
      ...{ replicas: number(status['replicas']), readyReplicas: ready },
      ...{ currentReplicas: number(status['currentReplicas']), updatedReplicas: number(status['updatedReplicas']) },
    },
  };
}

function daemonSet(object: Observed, seen: Seen): JsonObject {
  const { status = {} } = object;
  const members = ['currentNumberScheduled', 'desiredNumberScheduled', 'numberMisscheduled', 'numberReady'];
  return {
    ...common('DaemonSet', object, seen.pods.filter(isOwnedBy(object.metadata.uid)), eventsOf([object], seen)),
    desired: number(status['desiredNumberScheduled']),
    ready: number(status['numberReady']),
    status: Object.fromEntries([...members, 'numberUnavailable'].map((member) => [member, number(status[member])])),
  };
}

function job(object: Observed, seen: Seen): JsonObject {
  const { status = {}, spec } = object;
  const { parallelism = 1 } = spec as { readonly parallelism?: number };
  return {
    ...common('Job', object, seen.pods.filter(isOwnedBy(object.metadata.uid)), eventsOf([object], seen)),
    desired: parallelism,
    ready: number(status['ready']),
    complete: conditionsOf(object).some(({ type, status: is }) => type === 'Complete' && is === 'True'),
    status: Object.fromEntries(
      ['active', 'failed', 'ready', 'succeeded'].map((member) => [member, number(status[member])]),
    ),
  };
}

function claimSeen({ metadata, status }: Observed): JsonObject {
  const isChosen = metadata.annotations?.['volume.kubernetes.io/selected-node'] !== undefined;
  return { name: metadata.name, phase: status?.['phase'] ?? 'Pending', ...(isChosen ? { selectedNode: true } : {}) };
}
