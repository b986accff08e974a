import type { Node } from '../../kubernetes/objects/node.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../../kubernetes/objects/taints.js';
import type { RankedReason } from '../node-explanation.js';
import type { Verdict } from '../placement.js';

/** One change of the pod, as data. `yaml` is the part of the manifest as it would read. */
export type PodFix = { readonly yaml: string; readonly summary: string } & (
  | { readonly kind: 'AddToleration'; readonly toleration: Toleration }
  | { readonly kind: 'SetNodeName'; readonly nodeName: string }
  /** A null value: the entry is taken out. */
  | { readonly kind: 'SetNodeSelector'; readonly key: string; readonly value: string | null }
  | { readonly kind: 'SetNodeAffinityTerm'; readonly term: number; readonly pointer: string }
  | {
      readonly kind: 'LowerRequest';
      readonly resource: string;
      readonly from: string;
      readonly to: string;
      readonly by: string;
    }
  | { readonly kind: 'ChangeHostPort'; readonly pointer: string; readonly fromPort: number; readonly toPort: number }
  | { readonly kind: 'RemoveSchedulingGates'; readonly gates: readonly string[] }
);

/** One change of the node, as data, and the command that makes it. */
export type NodeFix = { readonly command: string; readonly summary: string } & (
  | { readonly kind: 'RemoveTaint'; readonly taint: Taint }
  | { readonly kind: 'Uncordon' }
  /** A null value: the label is removed. */
  | { readonly kind: 'SetLabel'; readonly key: string; readonly value: string | null }
);

/** Changes that belong together, and what was found when they were made on paper and the node was evaluated again. */
export interface FixPlan<F> {
  readonly changes: readonly F[];
  readonly verdict: Verdict;
  /** What still stands in the way after the changes. */
  readonly remaining: readonly RankedReason[];
}

/** What would admit the pod to a node: by changing the pod, and by changing the node. Null where nothing can be proposed. */
export interface NodeFixes {
  readonly pod: (FixPlan<PodFix> & { readonly changed: Pod }) | null;
  readonly node: (FixPlan<NodeFix> & { readonly changed: Node }) | null;
}
