import type { ClusterState } from '../cluster/cluster-state.js';
import type { Int64, KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { NodesNow } from '../scheduling/run/nodes-now.js';
import type { RoomLedger } from './room-ledger.js';

/** Nodes between two turns of the generator. */
const STRIDE = 256;

/**
 * The state as the plan has it at a moment, to ask every filter and score about. What moves is put into it when it is asked for, since
 * most pods are decided about without it.
 */
export class PlanState {
  private current: ClusterState;
  private landed = 0;
  /** What has moved since the state was last asked for: each gives the pod as it is now. */
  private readonly moves: (() => Pod)[] = [];

  constructor(
    private readonly state: ClusterState,
    private readonly nodes: NodesNow,
    private readonly ledger: RoomLedger,
  ) {
    // What is interned on the way is let go with the plan.
    this.current = state.fork();
  }

  podGone(pod: number): void {
    this.ledger.changedForState.add(this.state.pods.nodeIndex(pod));
    // One that has ended repels nobody and holds nothing. A deletion would move another pod into its place, and so have that one's
    // node counted again, by the pods that are stored.
    this.moves.push(() => ({ ...this.state.pods.pod(pod), status: { phase: 'Failed' } }));
  }

  /** A pod is being deleted, and still there. */
  podMarked(pod: number, at: number): void {
    this.ledger.changedForState.add(this.state.pods.nodeIndex(pod));
    this.moves.push(() => {
      const stored = this.state.pods.pod(pod);
      return { ...stored, metadata: { ...stored.metadata, deletionTimestamp: new Date(at).toISOString() } };
    });
  }

  /** A pod is put on a node. */
  podPlaced(make: () => Pod, node: number): void {
    this.ledger.changedForState.add(node);
    // No stored pod has a blank in its name.
    const name = `landed ${++this.landed}`;
    this.moves.push(() => {
      const pod = make();
      const nodeName = this.state.nodes.name(node);
      return { ...pod, metadata: { ...pod.metadata, name }, spec: { ...pod.spec, nodeName } };
    });
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
        // A node that was away has its pods counted again.
        ledger.changedForState.add(node);
      }
      this.current = this.current.apply({ upserts, deletes });
      yield undefined;
    }
    nodes.changedForState.clear();
    for (const some of parts(this.moves)) {
      this.current = this.current.apply({ upserts: some.map((move) => move()) });
      yield undefined;
    }
    this.moves.length = 0;
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

function* parts<Item>(all: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < all.length; start += STRIDE) yield all.slice(start, start + STRIDE);
}
