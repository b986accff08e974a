import type { ClusterState } from '../../cluster/cluster-state.js';
import { podRequestOf, type PodRequest } from '../../cluster/pod-request.js';
import { ResourceLedger } from '../../cluster/resource-table.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { PodKind } from './pod-kinds.js';

/** A pod that has come to a node. */
export interface Arrival {
  readonly kind: PodKind;
  readonly node: number;
}

/** What the nodes hold while pods come, one after another, and every pod that has come, in order. */
export class NodeBoard {
  readonly allocatable;
  readonly requested: ResourceLedger;
  readonly nonZeroRequested: ResourceLedger;
  readonly arrivals: Arrival[] = [];
  /** Those of them that have terms of affinity. */
  readonly arrivalsWithTerms: Arrival[] = [];

  constructor({ nodes }: ClusterState) {
    this.allocatable = nodes.allocatable;
    this.requested = new ResourceLedger(nodes.requested, nodes.count);
    this.nonZeroRequested = new ResourceLedger(nodes.nonZeroRequested, nodes.count);
  }

  /** Whether every amount is a safe integer, so that doubles may be compared. */
  get isSafe(): boolean {
    const { names } = this.allocatable;
    return (
      this.requested.isSafe &&
      this.nonZeroRequested.isSafe &&
      names.every((name) => !this.allocatable.column(name)!.values.some(Number.isNaN))
    );
  }

  arrive(kind: PodKind, node: number, { entries, nonZeroEntries }: PodRequest): void {
    for (const [resource, amount] of entries) this.requested.add(resource, node, amount);
    for (const [resource, amount] of nonZeroEntries) this.nonZeroRequested.add(resource, node, amount);
    kind.nodes.push(node);
    const arrival = { kind, node };
    this.arrivals.push(arrival);
    if (kind.hasTerms) this.arrivalsWithTerms.push(arrival);
  }
}

/** What a pod that is placed holds of its node. */
export const heldBy = ({ spec }: Pod): PodRequest => podRequestOf({ spec });
