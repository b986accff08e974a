import type { ResourceClaim, ResourceClaimTemplate } from '../../kubernetes/objects/dra.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../../kubernetes/objects/taints.js';
import type { RankedReason } from '../node-explanation.js';
import type { Verdict } from '../placement.js';
import type { SpreadChange } from './spread-fixes.js';

/**
 * One change of the pod, as data. `yaml` is the part of the spec that changes, as it would read; lists hold only the items that change.
 * `condition` is what the change needs besides and no filter looks at; absent if nothing.
 */
export type PodFix = { readonly yaml: string; readonly summary: string; readonly condition?: string } & (
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
  | {
      readonly kind: 'ChangeTopologySpread';
      readonly pointer: string;
      readonly member: SpreadChange;
      readonly from: string;
      readonly to: string;
    }
);

/** One change of the node, as data, and the command that makes it. */
export type NodeFix = { readonly command: string; readonly summary: string } & (
  | { readonly kind: 'RemoveTaint'; readonly taint: Taint }
  | { readonly kind: 'Uncordon' }
  /** A null value: the label is removed. */
  | { readonly kind: 'SetLabel'; readonly key: string; readonly value: string | null }
);

/** An object that devices are requested in. */
export type ClaimObject = ResourceClaim | ResourceClaimTemplate;

/** One change of a claim of the pod, or of the template of one, as data. `yaml` is the part of the object that changes. */
export interface ClaimFix {
  readonly kind: 'AddDeviceToleration';
  readonly yaml: string;
  readonly summary: string;
  readonly condition: string;
  readonly claim: {
    readonly kind: 'ResourceClaim' | 'ResourceClaimTemplate';
    readonly namespace: string;
    readonly name: string;
  };
  /** `request/subrequest` for one of several alternatives. */
  readonly request: string;
  readonly toleration: Toleration;
}

/** Changes that belong together, and what was found when they were made to the object, and the node evaluated again. */
export interface FixPlan<F> {
  readonly changes: readonly F[];
  /** Infeasible where the API server would refuse the changed object. */
  readonly verdict: Verdict;
  /** What still stands in the way after the changes. */
  readonly remaining: readonly RankedReason[];
  /** Why the API server would refuse the changed object, in its words; null where it would take it. */
  readonly refusal: string | null;
}

/** A part of a node that its owner sets, so that no change of it lasts. `effect` is that of a taint. */
export interface OwnedPart {
  readonly kind: 'Taint' | 'Label';
  readonly key: string;
  readonly effect: string | null;
  readonly setBy: string;
  readonly when: string;
  /** What removes the taint, or brings another value of the label. */
  readonly changedBy: string;
}

/** What would admit the pod to a node: by changing the pod, the node, or the pod's claims. Null where nothing can be proposed. */
export interface NodeFixes {
  /** `changed` is the pod as admitted with the changes, or as sent where it is refused. */
  readonly pod: (FixPlan<PodFix> & { readonly changed: Pod }) | null;
  readonly node: (FixPlan<NodeFix> & { readonly changed: Node }) | null;
  readonly claim: (FixPlan<ClaimFix> & { readonly changed: readonly ClaimObject[] }) | null;
  /** What stands in the way and only its owner changes: it is neither removed nor, of taints, tolerated. */
  readonly owned: readonly OwnedPart[];
}

/** What the API server makes of a changed pod. */
export type ReadmittedPod =
  | { readonly outcome: 'admitted'; readonly pod: Pod }
  | { readonly outcome: 'refused'; readonly pod: Pod; readonly message: string };

/** Makes changes to the pod as it was sent, and takes it through validation and admission again. */
export type Readmit = (change: (pod: Pod) => Pod) => ReadmittedPod;
