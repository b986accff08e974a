import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload } from '../cluster/pod-table.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';
import type { PodGroups } from './pod-groups.js';
import { BARRING_EFFECTS } from './select-nodes.js';

/** How many pods an entry names. */
const EXAMPLES = 3;

/** The pods of one workload that lack the same. */
export interface AllowedEntry {
  readonly workload: Workload;
  /** Whether they tolerate every NoSchedule and NoExecute taint. */
  readonly allowed: boolean;
  readonly pods: number;
  /** The first few, as indexes. */
  readonly examples: readonly number[];
  /** The NoSchedule and NoExecute taints that they do not tolerate. */
  readonly untolerated: readonly Taint[];
  /** The PreferNoSchedule taints that they do not tolerate: the scheduler puts such a node last, and refuses nobody. */
  readonly discouraged: readonly Taint[];
}

/** Which pods taints let in, whether or not any node carries them yet. */
export interface PodsAllowed {
  /** By namespace, kind and name of the workload; of one workload those that are allowed first. */
  readonly entries: readonly AllowedEntry[];
  readonly pods: { readonly allowed: number; readonly refused: number };
  /** A workload is allowed when all of its pods are. */
  readonly workloads: { readonly allowed: number; readonly refused: number };
}

/**
 * The taints that keep pods off a node: its own, and for a cordoned node the one that its cordon counts as, for only who
 * tolerates that passes (k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodeunschedulable).
 */
export function barringTaints({ spec: { taints = [], unschedulable } = {} }: Pick<Node, 'spec'>): readonly Taint[] {
  const cordoned = unschedulable === true && !taints.some((taint) => matchesTaint(taint, UNSCHEDULABLE_TAINT));
  return cordoned ? [...taints, UNSCHEDULABLE_TAINT] : taints;
}

/**
 * Which pods of a state, by workload, tolerate a list of taints, and what the others lack. Pods that
 * ended are passed over. The cost is
 * (distinct tolerations) x (taints), and a look at each workload.
 */
export function podsAllowed(
  { tolerationSets }: ClusterState,
  { byWorkload }: PodGroups,
  taints: readonly Taint[],
  gates: TolerationGates,
): PodsAllowed {
  const answers = new Map<number, Pick<AllowedEntry, 'untolerated' | 'discouraged'>>();
  const answerOf = (setId: number): Pick<AllowedEntry, 'untolerated' | 'discouraged'> => {
    let answer = answers.get(setId);
    if (answer === undefined) answers.set(setId, (answer = judge(tolerationSets[setId]!, taints, gates)));
    return answer;
  };
  const entries: AllowedEntry[] = [];
  const pods = { allowed: 0, refused: 0 };
  const workloads = { allowed: 0, refused: 0 };
  for (const { workload, groups } of byWorkload) {
    const byAnswer = new Map<string, AllowedEntry & { pods: number; examples: number[] }>();
    for (const group of groups) {
      if (group.active === 0) continue;
      const answer = answerOf(group.tolerationSetId);
      const allowed = answer.untolerated.length === 0;
      pods[allowed ? 'allowed' : 'refused'] += group.active;
      const text = JSON.stringify(
        [answer.untolerated, answer.discouraged].map((list) =>
          list.map(({ key, value = '', effect }) => [key, value, effect]),
        ),
      );
      const entry = byAnswer.get(text) ?? { workload, allowed, pods: 0, examples: [], ...answer };
      byAnswer.set(text, entry);
      entry.pods += group.active;
      entry.examples.push(...group.examples.slice(0, EXAMPLES - entry.examples.length));
    }
    if (byAnswer.size === 0) continue;
    const ofWorkload = [...byAnswer.values()].sort((a, b) => Number(b.allowed) - Number(a.allowed));
    workloads[ofWorkload.every(({ allowed }) => allowed) ? 'allowed' : 'refused']++;
    entries.push(...ofWorkload);
  }
  return { entries, pods, workloads };
}

function judge(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
  gates: TolerationGates,
): Pick<AllowedEntry, 'untolerated' | 'discouraged'> {
  const lacking = taints.filter((taint) => indexOfTolerating(tolerations, taint, gates) === -1);
  return {
    untolerated: lacking.filter(({ effect }) => BARRING_EFFECTS.includes(effect)),
    discouraged: lacking.filter(({ effect }) => effect === 'PreferNoSchedule'),
  };
}
