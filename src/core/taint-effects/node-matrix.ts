import { NodeSituations } from '../cluster/node-situations.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload } from '../cluster/pod-table.js';
import { evictionTime } from '../eviction/eviction-time.js';
import { taintVerdicts } from '../eviction/taint-verdicts.js';
import type { PodGroups } from '../inventory/pod-groups.js';
import { barringTaints } from '../inventory/pods-allowed.js';
import { BARRING_EFFECTS } from '../inventory/select-nodes.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';

const EXAMPLES = 3;
/** Cells between two steps of the generator. */
const STRIDE = 256;

/** Nodes with equal taints and an equal cordon. */
export interface MatrixNodes {
  /** Includes the taint of the cordon. */
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  /** Indexes, in the order of names. */
  readonly nodes: readonly number[];
}

/** The pods with one list of tolerations that have not ended. */
export interface MatrixPods {
  readonly tolerations: readonly Toleration[];
  readonly pods: number;
  readonly workloads: number;
  readonly examples: readonly Workload[];
  /** The workloads in the order of namespace, kind and name, with the number of their pods that are in the group. */
  readonly members: readonly { readonly workload: Workload; readonly pods: number }[];
}

/** The effect of nodes on pods, as far as taints decide it. */
export interface MatrixOutcome {
  readonly verdict: 'allowed' | 'discouraged' | 'refused' | 'evicted';
  /** The taints that the verdict follows from. */
  readonly taints: readonly Taint[];
  /** How long evicted pods may stay; null for the other verdicts. */
  readonly tolerationSeconds: Int64 | null;
  /** Whether new pods are kept off. */
  readonly refusesNew: boolean;
}

/** The nodes of a state by taints and cordon, the largest group first. */
export function matrixNodes(state: ClusterState, nodes: readonly number[]): readonly MatrixNodes[] {
  const situations = new NodeSituations();
  const ofNodes = situations.ofNodes(state);
  const groups = new Map<number, number[]>();
  for (const node of nodes) {
    const group = groups.get(ofNodes[node]!);
    if (group === undefined) groups.set(ofNodes[node]!, [node]);
    else group.push(node);
  }
  return [...groups]
    .map(([id, members]) => {
      const { taints, unschedulable } = situations.all[id]!;
      return { taints: barringTaints({ spec: { taints, unschedulable } }), unschedulable, nodes: members };
    })
    .sort((a, b) => b.nodes.length - a.nodes.length || a.nodes[0]! - b.nodes[0]!);
}

interface CountedPods extends MatrixPods {
  pods: number;
  workloads: number;
  readonly examples: Workload[];
  readonly members: { readonly workload: Workload; readonly pods: number }[];
}

/** The pods of a state, or of a namespace, by tolerations, the largest group first. */
export function matrixPods(
  { tolerationSets }: ClusterState,
  { groups }: PodGroups,
  namespace: string | undefined,
): readonly MatrixPods[] {
  const found = new Map<number, CountedPods>();
  for (const { workload, tolerationSetId, active } of groups) {
    if (active === 0 || (namespace ?? workload.namespace) !== workload.namespace) continue;
    let group = found.get(tolerationSetId);
    if (group === undefined) {
      group = { tolerations: tolerationSets[tolerationSetId]!, pods: 0, workloads: 0, examples: [], members: [] };
      found.set(tolerationSetId, group);
    }
    group.pods += active;
    group.workloads++;
    if (group.examples.length < EXAMPLES) group.examples.push(workload);
    group.members.push({ workload, pods: active });
  }
  // The sort is stable: equal groups keep the order of their first workloads.
  return [...found.values()].sort((a, b) => b.pods - a.pods);
}

/** The distinct outcomes of all pairs, and the outcome of each pair of a pod group and a node group. */
export interface MatrixCells {
  readonly outcomes: readonly MatrixOutcome[];
  readonly cells: readonly (readonly number[])[];
}

/**
 * Evaluates each group of pods for each group of nodes. A generator, so that the caller can run other work in between;
 * yields nothing.
 */
export function* stepMatrixCells(
  nodes: readonly MatrixNodes[],
  pods: readonly MatrixPods[],
  gates: TolerationGates,
): Generator<undefined, MatrixCells> {
  const outcomes: MatrixOutcome[] = [];
  const places = new Map<string, number>();
  const cells: number[][] = [];
  let judged = 0;
  for (const { tolerations } of pods) {
    const row: number[] = [];
    for (const { taints } of nodes) {
      if (++judged % STRIDE === 0) yield undefined;
      const outcome = judgeTaints(tolerations, taints, gates);
      const { verdict, tolerationSeconds, refusesNew } = outcome;
      const key = `${verdict} ${tolerationSeconds} ${refusesNew} ${outcome.taints.map(formatTaint).join(',')}`;
      let place = places.get(key);
      if (place === undefined) {
        places.set(key, (place = outcomes.length));
        outcomes.push(outcome);
      }
      row.push(place);
    }
    cells.push(row);
  }
  return { outcomes, cells };
}

/** For each of the pods, the index of the first toleration that matches each taint, or -1. A generator; yields nothing. */
export function* stepTolerating(
  pods: readonly MatrixPods[],
  taints: readonly Taint[],
  gates: TolerationGates,
): Generator<undefined, readonly (readonly number[])[]> {
  const found: number[][] = [];
  let judged = 0;
  for (const { tolerations } of pods) {
    const row: number[] = [];
    for (const taint of taints) {
      if (++judged % STRIDE === 0) yield undefined;
      row.push(indexOfTolerating(tolerations, taint, gates));
    }
    found.push(row);
  }
  return found;
}

/** What taints mean for a pod with these tolerations. */
export function judgeTaints(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
  gates: TolerationGates,
): MatrixOutcome {
  const lacking = taints.filter((taint) => indexOfTolerating(tolerations, taint, gates) === -1);
  const barring = lacking.filter(({ effect }) => BARRING_EFFECTS.includes(effect));
  const refusesNew = barring.length > 0;
  const { action } = evictionTime(tolerations, taints, gates);
  if (action === 'now' || action === 'after') {
    const untolerated = barring.filter(({ effect }) => effect === 'NoExecute');
    const noExecute = taints.filter(({ effect }) => effect === 'NoExecute');
    const decisive = taintVerdicts(tolerations, noExecute, gates).find(({ decides }) => decides);
    return {
      verdict: 'evicted',
      taints: untolerated.length > 0 || decisive === undefined ? untolerated : [decisive.taint],
      tolerationSeconds: action === 'now' ? 0 : (decisive?.seconds ?? 0),
      refusesNew,
    };
  }
  const none = { tolerationSeconds: null, refusesNew };
  if (refusesNew) return { verdict: 'refused', taints: barring, ...none };
  const discouraging = lacking.filter(({ effect }) => effect === 'PreferNoSchedule');
  return { verdict: discouraging.length > 0 ? 'discouraged' : 'allowed', taints: discouraging, ...none };
}
