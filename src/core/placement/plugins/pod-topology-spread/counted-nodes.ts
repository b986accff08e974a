import type { ClusterState } from '../../../cluster/cluster-state.js';
import { matchRequiredNodeAffinity, requiredNodeAffinity } from '../../../kubernetes/node-selector.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import type { TolerationGates } from '../../../kubernetes/toleration.js';
import { untoleratedTaints } from '../taint-toleration/taint-toleration.js';
import type { SpreadConstraint } from './constraints.js';

/**
 * Whether a constraint counts the pods of a node: one that the pod's node selector or affinity rules out, or whose taints it does not
 * tolerate, is left out where the constraint honors that.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/podtopologyspread/common.go, `matchNodeInclusionPolicies`.
 */
export class CountedNodes {
  private readonly tolerated: readonly boolean[];
  private readonly isSelected: (node: number) => boolean;

  constructor({ nodes, taintSets }: ClusterState, pod: Pod, gates: TolerationGates) {
    this.taintSetIds = nodes.taintSetIds;
    const tolerations = pod.spec.tolerations ?? [];
    this.tolerated = taintSets.map((taints) => untoleratedTaints(taints, tolerations, gates).length === 0);
    const required = requiredNodeAffinity(pod);
    const isFree = required.nodeSelector === undefined && required.affinity === undefined;
    this.isSelected = isFree ? () => true : (node) => matchRequiredNodeAffinity(required, nodes.node(node)).matches;
  }

  private readonly taintSetIds: Int32Array;

  counts({ honorsNodeAffinity, honorsNodeTaints }: SpreadConstraint, node: number): boolean {
    return (
      (!honorsNodeAffinity || this.isSelected(node)) && (!honorsNodeTaints || this.tolerated[this.taintSetIds[node]!]!)
    );
  }
}
