import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { LabelColumn } from '../../../cluster/node-table.js';
import type { Selector } from '../../../kubernetes/selector.js';
import type { PlacementInput } from '../../plugin.js';
import { forEachMatching } from '../../pods-matching.js';
import { requiredNodeMatcher } from '../node-affinity/node-affinity.js';
import { untoleratedTaints } from '../taint-toleration/taint-toleration.js';
import type { SpreadConstraint } from './constraints.js';

/** How the pods that a constraint selects lie over the values of its label. */
export interface TopologyCounts {
  readonly constraint: SpreadConstraint;
  /** The nodes' values of the label; undefined where no node has it. */
  readonly column: LabelColumn | undefined;
  /** By value id: the pods on nodes that count. */
  readonly counts: Int32Array;
  /** By value id: 1 where some node with the value counts. */
  readonly present: Uint8Array;
  /** How many values are present. */
  readonly domains: number;
  /** By node: 1 where the constraint's node inclusion policies let the node count. */
  readonly included: Uint8Array;
}

/** By node, 1 where it has every topology key of the constraints. */
export function nodesWithKeys(state: ClusterState, constraints: readonly SpreadConstraint[]): Uint8Array {
  const has = new Uint8Array(state.nodes.count).fill(1);
  for (const key of new Set(constraints.map(({ topologyKey }) => topologyKey))) {
    const ids = state.nodes.labelColumn(key)?.valueIds;
    if (ids === undefined) return has.fill(0);
    for (let node = 0; node < has.length; node++) if (ids[node]! < 0) has[node] = 0;
  }
  return has;
}

/**
 * By constraint: the pods that it selects in the pod's own namespace, over the values of its label; pods that are being deleted
 * do not count. Only nodes with every key count, and of those the ones that the constraint's node inclusion policies let in.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/podtopologyspread/filtering.go, `calPreFilterState`.
 */
export function topologyCounts(
  input: Pick<PlacementInput, 'state' | 'pod' | 'gates'>,
  constraints: readonly SpreadConstraint[],
): readonly TopologyCounts[] {
  const { state, pod } = input;
  const withKeys = nodesWithKeys(state, constraints);
  const inclusion = new NodeInclusion(input);
  const perNode = new Map<string, Int32Array>();
  return constraints.map((constraint) => {
    const { selector } = constraint;
    const text = selector.requirements === undefined ? 'nothing' : `:${selector.toString()}`;
    let pods = perNode.get(text);
    if (pods === undefined) {
      pods = podsPerNode(state, selector, pod.metadata.namespace ?? '');
      perNode.set(text, pods);
    }
    const column = state.nodes.labelColumn(constraint.topologyKey);
    const included = inclusion.of(constraint);
    const values = column?.values.length ?? 0;
    const counts = new Int32Array(values);
    const present = new Uint8Array(values);
    if (column !== undefined) {
      const { valueIds } = column;
      for (let node = 0; node < withKeys.length; node++) {
        if ((withKeys[node]! & included[node]!) === 0) continue;
        const value = valueIds[node]!;
        counts[value]! += pods[node]!;
        present[value] = 1;
      }
    }
    let domains = 0;
    for (const one of present) domains += one;
    return { constraint, column, counts, present, domains, included };
  });
}

/**
 * By node: the pods of a namespace that a selector chooses, those being deleted left out. A selector without requirements counts none.
 *
 * Source: the same, common.go, `countPodsMatchSelector`.
 */
export function podsPerNode(state: ClusterState, selector: Selector, namespace: string): Int32Array {
  const counts = new Int32Array(state.nodes.count);
  if (selector.requirements?.length === 0) return counts;
  forEachMatching(state, selector, [namespace], (pod, node) => {
    if (!state.pods.terminating(pod)) counts[node]! += 1;
  });
  return counts;
}

/** Which nodes count for the constraints of one pod, worked out once for each policy (`matchNodeInclusionPolicies`). */
export class NodeInclusion {
  private readonly known = new Map<number, Uint8Array>();

  constructor(private readonly input: Pick<PlacementInput, 'state' | 'pod' | 'gates'>) {}

  of({ honorsNodeAffinity, honorsNodeTaints }: SpreadConstraint): Uint8Array {
    const key = (honorsNodeAffinity ? 1 : 0) + (honorsNodeTaints ? 2 : 0);
    let included = this.known.get(key);
    if (included === undefined) this.known.set(key, (included = this.make(honorsNodeAffinity, honorsNodeTaints)));
    return included;
  }

  private make(affinity: boolean, taints: boolean): Uint8Array {
    const { state, pod, gates } = this.input;
    const { nodes, taintSets } = state;
    const included = new Uint8Array(nodes.count);
    // What does not match is written as what is not zero.
    if (affinity) requiredNodeMatcher(this.input).fill(included);
    for (let node = 0; node < included.length; node++) included[node] = included[node] === 0 ? 1 : 0;
    if (taints) {
      const tolerations = pod.spec.tolerations ?? [];
      const tolerated = taintSets.map((set) => untoleratedTaints(set, tolerations, gates).length === 0);
      for (let node = 0; node < included.length; node++) {
        if (tolerated[nodes.taintSetIds[node]!] === false) included[node] = 0;
      }
    }
    return included;
  }
}
