import type { ClusterState } from '../cluster/cluster-state.js';
import type { Int64, KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { FilterPlugin } from '../placement/plugin.js';
import {
  assumedDevices,
  mayUseDevices,
  releasedDevices,
} from '../placement/plugins/dynamic-resources/assumed-devices.js';
import type { NodesNow } from '../scheduling/run/nodes-now.js';
import type { RoomLedger } from './room-ledger.js';

/** Nodes processed at once. */
const STRIDE = 256;
/** Movements applied at once: their pods are assembled together, and each may copy a chunk of pods. */
const MOVES = 1024;
/** The last time that a timestamp can hold; only that there is one matters. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59Z');

/**
 * The state at a moment of the plan, for evaluations of every filter and score. Movements are applied when the state is
 * read, since most pods are decided without it.
 */
export class PlanState {
  private current: ClusterState;
  private landed = 0;
  /** Movements since the state was last read. */
  private readonly moves: Move[] = [];

  constructor(
    private readonly state: ClusterState,
    private readonly nodes: NodesNow,
    private readonly ledger: RoomLedger,
  ) {
    // Values interned during the plan are released with it.
    this.current = state.fork();
  }

  podGone(pod: number): void {
    this.ledger.changedForState.add(this.state.pods.nodeIndex(pod));
    // A pod that has ended repels no pods and holds no resources. A deletion would move another pod to its index, and
    // that pod's node would be counted again.
    this.moves.push({ pod: () => ({ ...this.state.pods.pod(pod), status: { phase: 'Failed' } }), leaves: pod });
  }

  /** A pod starts being deleted, but still exists. */
  podMarked(pod: number, at: number): void {
    this.ledger.changedForState.add(this.state.pods.nodeIndex(pod));
    this.moves.push({
      pod: () => {
        const stored = this.state.pods.pod(pod);
        const deletionTimestamp = new Date(Math.min(at, LAST_TIME)).toISOString();
        return { ...stored, metadata: { ...stored.metadata, deletionTimestamp } };
      },
    });
  }

  /** A pod is placed on a node, by a scheduler with these filters. */
  podPlaced(make: () => Pod, node: number, filters: readonly FilterPlugin[]): void {
    this.ledger.changedForState.add(node);
    // Names of stored pods never contain a blank.
    const name = `landed ${++this.landed}`;
    this.moves.push({
      pod: () => {
        const pod = make();
        return { ...pod, metadata: { ...pod.metadata, name } };
      },
      lands: { on: this.state.nodes.name(node), filters },
    });
  }

  /** Applies movements; claims for devices are seen to one pod after the other, in the state so far. */
  private *apply(moves: readonly Move[]): Generator<undefined, void> {
    const pods: Pod[] = [];
    for (const { pod: make, leaves, lands } of moves) {
      yield undefined;
      let pod = make();
      if (mayUseDevices(this.state, pod)) {
        const now = yield* this.withPods(pods.splice(0));
        if (leaves !== undefined) this.release(now, this.state.pods.pod(leaves));
        else if (lands !== undefined) pod = this.assume(now, pod, lands);
      }
      pods.push(lands === undefined ? pod : { ...pod, spec: { ...pod.spec, nodeName: lands.on } });
    }
    yield* this.withPods(pods);
  }

  private *withPods(upserts: readonly Pod[]): Generator<undefined, ClusterState> {
    if (upserts.length > 0) this.current = yield* this.current.stepApply({ upserts });
    return this.current;
  }

  private release(state: ClusterState, pod: Pod): void {
    const released = releasedDevices(state, pod);
    if (released === undefined) return;
    const deletes = released.deleted.map(({ kind, metadata: { namespace = '', name } }) => ({ kind, namespace, name }));
    this.current = state.apply({ upserts: released.changed, deletes });
  }

  /** @returns the pod, with the claims that were made for it */
  private assume(state: ClusterState, pod: Pod, { on, filters }: NonNullable<Move['lands']>): Pod {
    const node = state.nodes.indexOf(on);
    const assumed = node < 0 ? undefined : assumedDevices({ state, pod, filters }, node);
    if (assumed === undefined) return pod;
    this.current = state.apply({ upserts: assumed.claims });
    return assumed.pod;
  }

  /** The current state, in short steps. */
  *now(): Generator<undefined, ClusterState> {
    const { nodes, state, ledger } = this;
    for (const some of parts([...nodes.changedForState], STRIDE)) {
      const upserts: KubernetesObject[] = [];
      const deletes: { readonly kind: string; readonly name: string }[] = [];
      for (const node of some) {
        if (nodes.isGone(node)) deletes.push({ kind: 'Node', name: state.nodes.name(node) });
        else upserts.push(nodes.node(node));
        // The pods of a node that was away are counted again.
        ledger.changedForState.add(node);
      }
      this.current = yield* this.current.stepApply({ upserts, deletes });
    }
    nodes.changedForState.clear();
    for (const some of parts(this.moves, MOVES)) {
      yield* this.apply(some);
    }
    this.moves.length = 0;
    for (const some of parts([...ledger.changedForState], STRIDE)) {
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

interface Move {
  /** The pod as it is now; of one that lands without its node. */
  readonly pod: () => Pod;
  /** The pod that is gone. */
  readonly leaves?: number;
  readonly lands?: { readonly on: string; readonly filters: readonly FilterPlugin[] };
}

function* parts<Item>(all: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
