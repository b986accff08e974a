import type { ClusterState } from '../cluster/cluster-state.js';
import { nodeShouldRunDaemonPod } from '../kubernetes/daemon-pod.js';
import type { DaemonSet, JobSpec, Workload } from '../kubernetes/objects/workloads.js';
import type { TolerationGates } from '../kubernetes/toleration.js';

/** Kinds whose replicas can be changed. */
export const SCALABLE_KINDS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'ReplicationController'] as const;

export type ScalableKind = (typeof SCALABLE_KINDS)[number];

/** The number of pods that a workload wants, and where it comes from if the workload does not specify it. */
export interface WantedPods {
  readonly count: number;
  readonly note?: string;
}

/**
 * For a Job, the pods that run in parallel; for a CronJob, those of one Job; for a DaemonSet, one for each node that it
 * currently runs on.
 */
export function wantedPods(workload: Workload, state: ClusterState, gates: TolerationGates): WantedPods {
  switch (workload.kind) {
    case 'Job':
      return ofJob(workload.spec);
    case 'CronJob': {
      const { count } = ofJob(workload.spec?.jobTemplate?.spec);
      return { count, note: 'covers the pods of one of its Jobs' };
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
  return { count, note: `it runs on ${count} of ${nodes.count} nodes` };
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
