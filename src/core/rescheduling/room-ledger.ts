import type { ClusterState } from '../cluster/cluster-state.js';
import type { PodRequest } from '../cluster/pod-request.js';
import { ResourceLedger, subInt64 } from '../cluster/resource-table.js';
import type { Int64 } from '../kubernetes/objects/meta.js';

type Entries = PodRequest['entries'];

/**
 * The resources that pods hold on each node, while pods leave and others are placed: the sums that NodeResourcesFit
 * reads.
 */
export class RoomLedger {
  /** The nodes that changed since the set was last cleared. */
  readonly changedInMoment = new Set<number>();
  readonly changedForState = new Set<number>();
  private readonly requested: ResourceLedger;

  constructor(private readonly state: ClusterState) {
    this.requested = new ResourceLedger(state.nodes.requested, state.nodes.count);
  }

  take(node: number, entries: Entries): void {
    for (const [resource, amount] of entries) this.requested.add(resource, node, amount);
    this.touch(node);
  }

  release(node: number, entries: Entries): void {
    for (const [resource, amount] of entries) this.requested.subtract(resource, node, amount);
    this.touch(node);
  }

  /** The free amount of a resource; negative on an overcommitted node. */
  freeOf(resource: string, node: number): Int64 {
    return subInt64(this.state.nodes.allocatable.at(resource, node), this.requested.at(resource, node));
  }

  /** The node's sums, as a row of a resource table. */
  usedRow(node: number): Map<string, Int64> {
    const { requested } = this;
    return new Map(requested.names.map((resource) => [resource, requested.at(resource, node)]));
  }

  private touch(node: number): void {
    this.changedInMoment.add(node);
    this.changedForState.add(node);
  }
}
