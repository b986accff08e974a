import type { ClusterState } from '../cluster/cluster-state.js';
import type { PodTable, Workload } from '../cluster/pod-table.js';
import { compare } from '../json/compare.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';
import type { PodGroups } from './pod-groups.js';
import { BARRING_EFFECTS } from './select-nodes.js';

/** The maximum number of examples of an entry. */
const EXAMPLES = 3;

/** Pods of one workload that do not tolerate the same taints. */
export interface AllowedEntry {
  readonly workload: Workload;
  /** Whether they tolerate every NoSchedule and NoExecute taint. */
  readonly allowed: boolean;
  readonly pods: number;
  /** The first few by name, as indexes. */
  readonly examples: readonly number[];
  /** The NoSchedule and NoExecute taints that they do not tolerate. */
  readonly untolerated: readonly Taint[];
  /** The PreferNoSchedule taints that they do not tolerate: the scheduler avoids such a node, but does not exclude it. */
  readonly discouraged: readonly Taint[];
}

/** The pods that tolerate certain taints, whether any node has them or not. */
export interface PodsAllowed {
  /** By namespace, kind and name of the workload; for each workload, allowed pods come first. */
  readonly entries: readonly AllowedEntry[];
  readonly pods: { readonly allowed: number; readonly refused: number };
  /** A workload counts as allowed if all of its pods are. */
  readonly workloads: { readonly allowed: number; readonly refused: number };
}

/**
 * The taints that keep pods off a node: its own, and, if it is cordoned, the one that the cordon is equivalent to, which a pod
 * must tolerate (k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodeunschedulable).
 */
export function barringTaints({ spec: { taints = [], unschedulable } = {} }: Pick<Node, 'spec'>): readonly Taint[] {
  const cordoned = unschedulable === true && !taints.some((taint) => matchesTaint(taint, UNSCHEDULABLE_TAINT));
  return cordoned ? [...taints, UNSCHEDULABLE_TAINT] : taints;
}

/**
 * The pods of a state, by workload, that tolerate a list of taints, and the taints that the others do not tolerate. Pods that
 * have ended are skipped. The cost is (distinct toleration lists) x (taints), plus one step per workload, after which
 * it yields.
 */
export function* stepPodsAllowed(
  { tolerationSets, pods: table }: ClusterState,
  { byWorkload }: PodGroups,
  taints: readonly Taint[],
  gates: TolerationGates,
): Generator<undefined, PodsAllowed> {
  const answers = new Map<number, Answer>();
  const answerOf = (setId: number): Answer => {
    let answer = answers.get(setId);
    if (answer === undefined) answers.set(setId, (answer = judge(tolerationSets[setId]!, taints, gates)));
    return answer;
  };
  const entries: AllowedEntry[] = [];
  const pods = { allowed: 0, refused: 0 };
  const workloads = { allowed: 0, refused: 0 };
  for (const { workload, groups } of byWorkload) {
    yield;
    const byAnswer = new Map<string, AllowedEntry & { pods: number; examples: number[] }>();
    for (const group of groups) {
      if (group.active === 0) continue;
      const answer = answerOf(group.tolerationSetId);
      const allowed = answer.untolerated.length === 0;
      pods[allowed ? 'allowed' : 'refused'] += group.active;
      const { text, untolerated, discouraged } = answer;
      const entry = byAnswer.get(text) ?? { workload, allowed, pods: 0, examples: [], untolerated, discouraged };
      byAnswer.set(text, entry);
      entry.pods += group.active;
      entry.examples.push(...group.examples);
    }
    if (byAnswer.size === 0) continue;
    const ofWorkload = [...byAnswer.values()]
      .map(({ examples, ...entry }): AllowedEntry => ({ ...entry, examples: firstByName(examples, table) }))
      .sort((a, b) => Number(b.allowed) - Number(a.allowed));
    workloads[ofWorkload.every(({ allowed }) => allowed) ? 'allowed' : 'refused']++;
    entries.push(...ofWorkload);
  }
  return { entries, pods, workloads };
}

const firstByName = (examples: number[], pods: PodTable): readonly number[] =>
  examples.sort((a, b) => compare(pods.name(a), pods.name(b))).slice(0, EXAMPLES);

interface Answer extends Pick<AllowedEntry, 'untolerated' | 'discouraged'> {
  /** Equal for equal answers. */
  readonly text: string;
}

function judge(tolerations: readonly Toleration[], taints: readonly Taint[], gates: TolerationGates): Answer {
  const lacking = taints.filter((taint) => indexOfTolerating(tolerations, taint, gates) === -1);
  const untolerated = lacking.filter(({ effect }) => BARRING_EFFECTS.includes(effect));
  const discouraged = lacking.filter(({ effect }) => effect === 'PreferNoSchedule');
  const text = JSON.stringify(
    [untolerated, discouraged].map((list) => list.map(({ key, value = '', effect }) => [key, value, effect])),
  );
  return { untolerated, discouraged, text };
}
