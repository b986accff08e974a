import type { ClusterState } from '../cluster/cluster-state.js';
import { nodeShouldRunDaemonPod } from '../kubernetes/daemon-pod.js';
import type { DaemonSet, JobSpec, Workload } from '../kubernetes/objects/workloads.js';
import type { TolerationGates } from '../kubernetes/toleration.js';

/** Kinds whose replicas can be changed. */
export const SCALABLE_KINDS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'ReplicationController'] as const;

export type ScalableKind = (typeof SCALABLE_KINDS)[number];

/** How many pods a workload asks for, and how that comes about where it does not say so itself. */
export interface WantedPods {
  readonly count: number;
  readonly note?: string;
}

/** A Job's are those that run at once; a CronJob's those of one Job; a DaemonSet's one for each node that it runs on now. */
export function wantedPods(workload: Workload, state: ClusterState, gates: TolerationGates): WantedPods {
  switch (workload.kind) {
    case 'Job':
      return ofJob(workload.spec);
    case 'CronJob': {
      const { count } = ofJob(workload.spec?.jobTemplate?.spec);
      return { count, note: 'reviewed are the pods of one Job of it' };
    }
    case 'DaemonSet':
      return ofDaemonSet(workload, state, gates);
    default:
      return { count: workload.spec?.replicas ?? 1 };
  }
}

function ofJob({ parallelism = 1, completions, suspend = false }: JobSpec = {}): WantedPods {
  if (suspend) return { count: 0, note: 'the Job is suspended' };
  return { count: Math.max(0, completions === undefined ? parallelism : Math.min(parallelism, completions)) };
}

function ofDaemonSet(daemonSet: DaemonSet, { nodes }: ClusterState, gates: TolerationGates): WantedPods {
  let count = 0;
  for (let node = 0; node < nodes.count; node++) {
    if (nodeShouldRunDaemonPod(daemonSet, nodes.node(node), gates).shouldRun) count++;
  }
  return { count, note: `it runs on ${count} of the ${nodes.count} nodes that there are` };
}

/** The pods of a workload that have not ended and are not being deleted, as indexes. */
export function* stepLivePods(
  { pods }: ClusterState,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  among: readonly number[],
): Generator<undefined, readonly number[]> {
  const live: number[] = [];
  for (const [turn, pod] of among.entries()) {
    if (turn % STRIDE === 0) yield undefined;
    if (!pods.active(pod) || pods.terminating(pod)) continue;
    const workload = pods.workload(pod);
    const own = pods.ownerReferences(pod).some((owner) => owner.kind === kind && owner.name === name);
    if (own || (workload.kind === kind && workload.namespace === namespace && workload.name === name)) live.push(pod);
  }
  return live;
}

const STRIDE = 1024;
