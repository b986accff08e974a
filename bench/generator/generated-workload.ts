import { DAEMON_TOLERATIONS, type TolerationSet } from './generated-pools.js';
import type { Random } from './random.js';

export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job';

/** The properties shared by the pods of one workload. */
export interface GeneratedWorkload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The hash of the ReplicaSet (`pod-template-hash`) or of the revision. */
  readonly hash: string;
  readonly replicaSetUid: string;
  readonly replicas: number;
  readonly set: TolerationSet;
  /** Whether the pods also select the pool that they tolerate. */
  readonly selectsPool: boolean;
  readonly milliCPU: number;
  readonly memoryMi: number;
  readonly sidecar: boolean;
  readonly spreads: boolean;
}

const SHAPES: readonly [readonly [number, number], ...(readonly [number, number])[]] = [
  [50, 64],
  [100, 128],
  [100, 256],
  [200, 256],
  [250, 512],
  [500, 1024],
  [1000, 2048],
];
const NAMES: readonly [string, ...string[]] = ['api', 'web', 'worker', 'cache', 'ingest', 'search', 'billing', 'auth'];

export function generateWorkload(
  index: number,
  kind: WorkloadKind,
  replicas: number,
  set: TolerationSet,
  random: Random,
): GeneratedWorkload {
  const [milliCPU, memoryMi] =
    kind === 'DaemonSet' ? ([50, 96] as const) : (SHAPES[random.skewed(SHAPES.length)] ?? SHAPES[0]);
  return {
    kind,
    namespace: kind === 'DaemonSet' ? 'kube-system' : `team-${index % 200}`,
    name: `${kind === 'DaemonSet' ? 'agent' : random.pick(NAMES)}-${index}`,
    uid: random.uid(),
    hash: random.suffix(10),
    replicaSetUid: random.uid(),
    replicas,
    set,
    selectsPool: set.pool.index !== 0 && random.chance(0.6),
    milliCPU,
    memoryMi,
    sidecar: random.chance(0.2),
    spreads: random.chance(0.15),
  };
}

/** A pod's requests in millicores and MiB. */
export function requestOf({ milliCPU, memoryMi, sidecar }: GeneratedWorkload): readonly [number, number] {
  return sidecar ? [milliCPU + 20, memoryMi + 32] : [milliCPU, memoryMi];
}

export const labelsOf = ({ name, namespace }: GeneratedWorkload): Record<string, string> => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/part-of': namespace,
  'app.kubernetes.io/managed-by': 'Helm',
});

/** The workload, the ReplicaSet of a Deployment, and occasionally a PodDisruptionBudget. */
export function* generateWorkloadObjects(workload: GeneratedWorkload): Generator<Record<string, unknown>> {
  const { kind, namespace, name, uid, replicas, hash, replicaSetUid } = workload;
  const labels = labelsOf(workload);
  const template = {
    metadata: { labels },
    spec: {
      containers: [{ name: 'app', image: `registry.example.com/${name}:1.0.0` }],
      tolerations: kind === 'DaemonSet' ? DAEMON_TOLERATIONS.slice(0, 2) : workload.set.tolerations.slice(0, -2),
    },
  };
  const selector = { matchLabels: labels };
  const metadata = { name, namespace, uid, labels, creationTimestamp: '2026-05-03T09:00:00Z' };
  if (kind === 'Job') {
    yield { apiVersion: 'batch/v1', kind, metadata, spec: { parallelism: replicas, completions: replicas, template } };
    return;
  }
  const spec = kind === 'DaemonSet' ? { selector, template } : { replicas, selector, template };
  yield { apiVersion: 'apps/v1', kind, metadata, spec, status: { replicas, readyReplicas: replicas } };
  if (kind === 'Deployment') {
    yield {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        uid: replicaSetUid,
        labels: { ...labels, 'pod-template-hash': hash },
        ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid, controller: true, blockOwnerDeletion: true }],
      },
      spec: { replicas, selector, template },
      status: { replicas, readyReplicas: replicas },
    };
  }
  if (workload.spreads) {
    yield {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace },
      spec: { maxUnavailable: 1, selector },
    };
  }
}
