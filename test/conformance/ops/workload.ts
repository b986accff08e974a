import { ClusterState } from '../../../src/core/cluster/cluster-state.js';
import { finish } from '../../../src/core/collections/finish.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import { KINDS } from '../../../src/core/kubernetes/kinds.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { Job } from '../../../src/core/kubernetes/objects/workloads.js';
import { DEFAULT_GATES } from '../../../src/core/kubernetes/toleration.js';
import type {
  KubeletOutcome,
  ManifestObject,
  ObjectOutcome,
  Rollout,
  WorkloadOutcome,
} from '../../../src/core/rollout/rollout.js';
import { stepRollout } from '../../../src/core/rollout/step-rollout.js';
import type { Op } from '../op.js';
import { sameJson } from '../same-json.js';
import { decodedList } from './admission-in-vector.js';

/** Objects that were applied to a cluster: first `existing`, and when that was quiet, `apply`. */
export const workload: Op & { readonly judged: (want: JsonObject) => object } = {
  judged: (want) => judged(want),
  answer(input) {
    const namespace = (object(object(input['namespace'])['metadata'] ?? input['namespace'])['name'] ?? '') as string;
    let state = clusterOf(input, namespace);
    const applied: object[] = [];
    let before: Rollout | undefined;
    let now = Date.UTC(2026, 0, 1);
    let preempted = 0;
    let after: Rollout | undefined;
    for (const stage of ['existing', 'apply']) {
      const given = (input[stage] ?? []) as JsonObject[];
      if (stage === 'existing' && given.length === 0) continue;
      const sent: ManifestObject[] = [];
      const places: (number | undefined)[] = [];
      for (const one of given) {
        if (one['kind'] === 'NamespaceLabels') {
          state = relabelled(state, namespace, one['labels'] as Readonly<Record<string, string>>);
          places.push(undefined);
        } else {
          places.push(sent.length);
          sent.push(manifest(one, namespace, sent.length));
        }
      }
      const rollout = finish(
        stepRollout(state, sent, { now, gates: DEFAULT_GATES, kubelet: playedKubelet, provisions: () => false }),
      );
      for (const [index, one] of given.entries()) {
        const place = places[index];
        applied.push(appliedOf(one, place === undefined ? undefined : rollout.objects[place], namespace));
      }
      state = rollout.state();
      now += 60_000;
      if (stage === 'existing') before = rollout;
      else after = rollout;
      preempted += rollout.preempted.length;
    }
    return answerOf(applied, before, after!, preempted);
  },
  agree(want, got) {
    return sameJson(judged(want as JsonObject), got);
  },
};

function answerOf(applied: readonly object[], before: Rollout | undefined, after: Rollout, preempted: number): object {
  const workloads = new Map<string, WorkloadOutcome>();
  for (const one of [...(before?.workloads ?? []), ...after.workloads]) {
    const key = `${one.kind} ${one.name}`;
    const earlier = workloads.get(key);
    workloads.set(
      key,
      earlier === undefined ? one : { ...one, failedCreate: [...earlier.failedCreate, ...one.failedCreate] },
    );
  }
  const state = after.state();
  const sorted = [...workloads]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => ({ ...workloadOf(one), ...(one.kind === 'Job' && { desired: parallelismOf(one, state) }) }));
  return { applied, workloads: sorted, claims: claimsOf(before, after), preempted };
}

/** Of a Job, vectors have its parallelism, also where fewer completions are wanted. */
function parallelismOf({ namespace, name }: WorkloadOutcome, state: ClusterState): number {
  const { suspend = false, parallelism = 1 } = (state.find('Job', namespace, name) as Job | undefined)?.spec ?? {};
  return suspend ? 0 : parallelism;
}

function claimsOf(before: Rollout | undefined, after: Rollout): readonly object[] {
  const claims = new Map<string, object>();
  for (const { name, phase, selectedNode } of [...(before?.claims ?? []), ...after.claims]) {
    claims.set(name, { name, phase, selectedNode: selectedNode !== undefined });
  }
  return [...claims].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function workloadOf(one: WorkloadOutcome): object {
  const { kind, name, desired, created, bound, pending, ready, nodes, failedScheduling, failedCreate } = one;
  const texts = failedScheduling.map(({ reason, text, pods }) => [
    reason === undefined ? 'no condition' : `${reason}: ${text ?? ''}`,
    pods,
  ]);
  const status = Object.fromEntries(Object.entries(one.status).filter(([key]) => JUDGED.has(key)));
  return {
    kind,
    name,
    desired,
    created,
    bound,
    pending,
    ready,
    nodeCounts: [...nodes.values()].sort((a, b) => b - a),
    failedScheduling: Object.fromEntries(texts) as object,
    failedCreate: [
      ...new Set(failedCreate.filter(({ reason }) => reason === 'FailedCreate').map(({ text }) => sortedList(text))),
    ].sort(),
    replicaSets: one.replicaSets?.map(({ revision, desired: wanted, created: made, ready: up, replicaFailure }) => ({
      revision,
      desired: wanted,
      created: made,
      ready: up,
      replicaFailure: replicaFailure === undefined ? undefined : sortedList(replicaFailure),
    })),
    podNames: one.podNames,
    complete: one.complete,
    status,
  };
}

/** The counts that vectors have. */
const JUDGED: ReadonlySet<string> = new Set([
  ...['availableReplicas', 'readyReplicas', 'replicas', 'unavailableReplicas', 'updatedReplicas', 'currentReplicas'],
  ...['currentNumberScheduled', 'desiredNumberScheduled', 'numberMisscheduled', 'numberReady', 'numberUnavailable'],
  ...['active', 'failed', 'ready', 'succeeded'],
]);

/** The parts of a vector that are judged, in the shape of an answer. */
function judged(want: JsonObject): object {
  const workloads = (want['workloads'] ?? []) as JsonObject[];
  const claims = (want['claims'] ?? []) as JsonObject[];
  return {
    applied: want['applied'],
    workloads: workloads
      .map((one) => ({
        kind: one['kind'],
        name: one['name'],
        desired: one['desired'],
        created: one['created'],
        bound: one['bound'],
        pending: one['pending'],
        ready: one['ready'],
        nodeCounts: one['nodeCounts'],
        failedScheduling: one['failedScheduling'],
        failedCreate: [...(one['failedCreate'] as string[])].map(sortedList).sort(),
        replicaSets: one['replicaSets'],
        podNames: one['podNames'],
        complete: one['complete'],
        status: one['status'],
      }))
      .sort((a, b) => (`${a.kind as string} ${a.name as string}` < `${b.kind as string} ${b.name as string}` ? -1 : 1)),
    claims: claims.map((claim) => ({
      name: claim['name'],
      phase: claim['phase'],
      selectedNode: claim['selectedNode'] === true || typeof claim['selectedNode'] === 'string',
    })),
    preempted: object(want['preempted'])['count'],
  };
}

/** Lists of errors come in any order. */
export const sortedList = (text: string): string =>
  text.replace(/\[([^\]]*)\]/g, (_, list: string) => `[${list.split(', ').sort().join(', ')}]`);

function appliedOf(one: JsonObject, outcome: ObjectOutcome | undefined, namespace: string): object {
  const kind = one['kind'];
  const name = object(one['metadata'])['name'];
  if (outcome === undefined) return { kind, name: namespace, code: 200, message: null };
  if (outcome.outcome === 'notLookedAt') return { kind, name, code: 0, message: outcome.why };
  return { kind, name, code: outcome.code, message: outcome.outcome === 'refused' ? outcome.message : null };
}

const object = (value: JsonValue | undefined): JsonObject => (value ?? {}) as JsonObject;

export function clusterOf(input: JsonObject, name: string): ClusterState {
  const given = (member: string): readonly KubernetesObject[] => decodedList(input[member] ?? []);
  const within = (member: string): readonly KubernetesObject[] =>
    given(member).map((one) => ({ ...one, metadata: { ...one.metadata, namespace: name } }));
  const { labels } = object(input['namespace']) as { labels?: Readonly<Record<string, string>> };
  const namespaceLabels = { ...labels, 'kubernetes.io/metadata.name': name };
  return ClusterState.build(
    [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: namespaceLabels } },
      ...given('nodes').map((node) => cordoned(node as Node)),
      ...['priorityClasses', 'storageClasses', 'runtimeClasses'].flatMap(given),
      ...given('persistentVolumes').map((volume) => ({ ...volume, status: { phase: 'Available' } })),
      ...['quotas', 'limitRanges', 'pdbs'].flatMap(within),
    ],
    KINDS.map(({ kind }) => kind),
  );
}

const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** A cordoned node has the taint. */
function cordoned(node: Node): Node {
  if (node.spec?.unschedulable !== true) return node;
  return { ...node, spec: { ...node.spec, taints: [...(node.spec.taints ?? []), CORDON] } };
}

export function relabelled(state: ClusterState, name: string, labels: Readonly<Record<string, string>>): ClusterState {
  const stored = state.find('Namespace', undefined, name)!;
  const merged = { ...stored.metadata.labels, ...labels };
  return state.apply({ upserts: [{ ...stored, metadata: { ...stored.metadata, labels: merged } }] });
}

function manifest(value: JsonObject, namespace: string, document: number): ManifestObject {
  return {
    source: { document, pointer: '' },
    apiVersion: value['apiVersion'] as string,
    kind: value['kind'] as string,
    namespace,
    name: object(value['metadata'])['name'] as string,
    value,
  };
}

/** The kubelets were played: annotations say what becomes of a pod. */
export function playedKubelet({ metadata: { annotations = {} } }: Pod): KubeletOutcome {
  if (annotations['test/succeed'] === 'true') return 'succeeded';
  return annotations['test/notReady'] === 'true' ? 'notReady' : 'ready';
}
