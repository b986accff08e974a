import type { ClusterState } from '../cluster/cluster-state.js';
import type { Int64, KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { NodesNow } from './nodes-now.js';
import type { RoomLedger } from './room-ledger.js';

/** Nodes between two turns of the generator. */
const STRIDE = 256;

/**
 * The state as the plan has it at a moment, to ask every filter about. Pods count in it by the room that they take; themselves they
 * are moved only where a filter looks at them: those with host ports or required anti-affinity.
 */
export class PlanState {
  private current: ClusterState;
  private readonly special: ReadonlySet<number>;
  private readonly upserts: Pod[] = [];
  private landed = 0;

  constructor(
    private readonly state: ClusterState,
    private readonly nodes: NodesNow,
    private readonly ledger: RoomLedger,
  ) {
    // What is interned on the way is let go with the plan.
    this.current = state.fork();
    this.special = new Set([...state.pods.withHostPorts(), ...state.pods.withRequiredAntiAffinity()]);
  }

  podGone(pod: number): void {
    if (!this.special.has(pod)) return;
    // One that has ended repels nobody and holds nothing. A deletion would move another pod into its place, and so have that one's
    // node counted anew, by the pods that are stored.
    this.upserts.push({ ...this.state.pods.pod(pod), status: { phase: 'Failed' } });
    this.ledger.touch(this.state.pods.nodeIndex(pod));
  }

  /** A pod that filters look at is put on a node. */
  podLanded(pod: Pod, node: number): void {
    // No stored pod has a blank in its name.
    const name = `landed ${++this.landed}`;
    const nodeName = this.state.nodes.name(node);
    this.upserts.push({ ...pod, metadata: { ...pod.metadata, name }, spec: { ...pod.spec, nodeName } });
  }

  /** The state as it is now, in short steps. */
  *now(): Generator<undefined, ClusterState> {
    const { nodes, state, ledger } = this;
    for (const some of parts([...nodes.changedForState])) {
      const upserts: KubernetesObject[] = [];
      const deletes: { readonly kind: string; readonly name: string }[] = [];
      for (const node of some) {
        if (nodes.isGone(node)) deletes.push({ kind: 'Node', name: state.nodes.name(node) });
        else upserts.push(nodes.node(node));
        // A node that was away has its pods counted anew.
        ledger.changedForState.add(node);
      }
      this.current = this.current.apply({ upserts, deletes });
      yield undefined;
    }
    nodes.changedForState.clear();
    if (this.upserts.length > 0) {
      this.current = this.current.apply({ upserts: this.upserts });
      this.upserts.length = 0;
    }
    for (const some of parts([...ledger.changedForState])) {
      const rows = new Map<number, ReadonlyMap<string, Int64>>();
      for (const node of some) {
        const index = this.current.nodes.indexOf(state.nodes.name(node));
        if (index >= 0) rows.set(index, ledger.usedRow(node));
      }
      this.current = this.current.withRequested(rows);
      yield undefined;
    }
    ledger.changedForState.clear();
    return this.current;
  }
}

function* parts(all: readonly number[]): Generator<readonly number[]> {
  for (let start = 0; start < all.length; start += STRIDE) yield all.slice(start, start + STRIDE);
}
