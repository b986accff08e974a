import type { ClusterState } from '../cluster/cluster-state.js';
import type { Int64, KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { NodesNow } from '../scheduling/run/nodes-now.js';
import type { RoomLedger } from './room-ledger.js';

/** Nodes between two turns of the generator. */
const STRIDE = 256;

/**
 * The state as the plan has it at a moment, to ask every filter about. Pods count in it by the room that they take; themselves they
 * are moved as soon as there is a pod whose place hangs on others by more than that.
 */
export class PlanState {
  private current: ClusterState;
  private readonly upserts: Pod[] = [];
  private landed = 0;
  private followsAll = false;
  private readonly past: (() => void)[] = [];

  constructor(
    private readonly state: ClusterState,
    private readonly nodes: NodesNow,
    private readonly ledger: RoomLedger,
  ) {
    // What is interned on the way is let go with the plan.
    this.current = state.fork();
  }

  podGone(pod: number): void {
    if (this.followsAll) this.leave(pod);
    else
      this.past.push(() => {
        this.leave(pod);
      });
  }

  /** A pod is being deleted, and still there. */
  podMarked(pod: number, at: number): void {
    const mark = (): void => {
      const stored = this.state.pods.pod(pod);
      const deletionTimestamp = new Date(at).toISOString();
      this.upserts.push({ ...stored, metadata: { ...stored.metadata, deletionTimestamp } });
      this.ledger.changedForState.add(this.state.pods.nodeIndex(pod));
    };
    if (this.followsAll) mark();
    else this.past.push(mark);
  }

  private leave(pod: number): void {
    // One that has ended repels nobody and holds nothing. A deletion would move another pod into its place, and so have that one's
    // node counted anew, by the pods that are stored.
    this.upserts.push({ ...this.state.pods.pod(pod), status: { phase: 'Failed' } });
    this.ledger.changedForState.add(this.state.pods.nodeIndex(pod));
  }

  /** A pod is put on a node. */
  podLanded(make: () => Pod, node: number): void {
    if (this.followsAll) this.land(make(), node);
    else
      this.past.push(() => {
        this.land(make(), node);
      });
  }

  private land(pod: Pod, node: number): void {
    // No stored pod has a blank in its name.
    const name = `landed ${++this.landed}`;
    const nodeName = this.state.nodes.name(node);
    this.upserts.push({ ...pod, metadata: { ...pod.metadata, name }, spec: { ...pod.spec, nodeName } });
    this.ledger.changedForState.add(node);
  }

  /** From now on every pod is followed, and those that left and landed before are caught up with. */
  followAll(): void {
    this.followsAll = true;
    for (const move of this.past) move();
    this.past.length = 0;
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
