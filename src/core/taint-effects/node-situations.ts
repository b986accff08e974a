import { ClusterState } from '../cluster/cluster-state.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { FEASIBLE } from '../placement/placement.js';

/** The filters that a taint or a cordon decides. */
const TAINT_RULES = ['NodeUnschedulable', 'TaintToleration'];

/**
 * The distinct pairs of a list of taints and a cordon among the nodes of several states, numbered. What tolerations make of
 * them is asked of the scheduler's filters once for each, on a state of one node a situation.
 */
export class NodeSituations {
  private readonly ids = new Map<string, number>();
  private readonly list: { readonly taints: readonly Taint[]; readonly unschedulable: boolean }[] = [];
  private state: ClusterState | undefined;
  /** By situation, where it stands in `state`. */
  private places: readonly number[] = [];

  get count(): number {
    return this.list.length;
  }

  idOf(taints: readonly Taint[], unschedulable: boolean): number {
    const key = JSON.stringify([unschedulable, taints.map(({ key, value, effect }) => [key, value ?? '', effect])]);
    let id = this.ids.get(key);
    if (id === undefined) {
      this.ids.set(key, (id = this.list.length));
      this.list.push({ taints, unschedulable });
      this.state = undefined;
    }
    return id;
  }

  /** The situation of each node of a state, by index. */
  ofNodes({ nodes, taintSets }: ClusterState): Int32Array {
    const known = new Map<number, number>();
    return Int32Array.from({ length: nodes.count }, (_, node) => {
      const unschedulable = nodes.unschedulable[node]!;
      const pair = nodes.taintSetId(node) * 2 + unschedulable;
      let id = known.get(pair);
      if (id === undefined) {
        known.set(pair, (id = this.idOf(taintSets[nodes.taintSetId(node)]!, unschedulable === 1)));
      }
      return id;
    });
  }

  /** 1 for each situation that lets a pod with these tolerations in. */
  passed(tolerations: readonly Toleration[], gates: TolerationGates): Uint8Array {
    const state = this.asState();
    const { verdicts } = evaluatePlacement(state, { pod: podOf({ tolerations }), rules: TAINT_RULES, gates });
    return Uint8Array.from(this.places, (place) => (verdicts[place] === FEASIBLE ? 1 : 0));
  }

  private asState(): ClusterState {
    if (this.state === undefined) {
      const nodes = this.list.map(({ taints, unschedulable }, id) => ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: String(id) },
        spec: { taints, unschedulable },
      }));
      const state = ClusterState.build(nodes, ['Node']);
      this.state = state;
      this.places = this.list.map((_, id) => state.nodes.indexOf(String(id)));
    }
    return this.state;
  }
}

/** A pod of which nothing is told but this. */
export function podOf(spec: Partial<PodSpec>): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: '' }, spec: { containers: [], ...spec } };
}
