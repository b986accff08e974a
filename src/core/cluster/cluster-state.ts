import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import type { NodeTable } from './node-table.js';
import type { PodTable } from './pod-table.js';

/** What changes between two states: upserts replace the object of the same kind, namespace and name. */
export interface ClusterChanges {
  readonly upserts?: Iterable<KubernetesObject>;
  readonly deletes?: Iterable<{ readonly kind: string; readonly namespace?: string; readonly name: string }>;
  /** Kinds loaded from now on, beside those loaded before. */
  readonly loadedKinds?: Iterable<KeptKind>;
}

/** An immutable, columnar, interned picture of one cluster at one revision. */
export abstract class ClusterState {
  abstract readonly nodes: NodeTable;
  abstract readonly pods: PodTable;
  /** Distinct ordered lists of taints (without `timeAdded`), by taint set id. Some may be carried by no node (any more). */
  abstract readonly taintSets: readonly (readonly Taint[])[];
  /** Distinct ordered lists of tolerations, by toleration set id. Some may be carried by no pod (any more). */
  abstract readonly tolerationSets: readonly (readonly Toleration[])[];
  /** The kinds that the state is complete for; a kind outside says nothing by its absence. */
  abstract readonly loadedKinds: ReadonlySet<KeptKind>;
  /** A rough count of the heap that the state holds, shared parts included. */
  abstract readonly approximateBytes: number;
  /** All objects of a kind, sorted by namespace and name. For Pod this builds every pod: prefer `pods`. */
  abstract objects(kind: KeptKind): readonly KubernetesObject[];
  abstract find(kind: KeptKind, namespace: string | undefined, name: string): KubernetesObject | undefined;
  /** A state with the changes made, sharing what they leave alone. The cost follows the change, not the cluster. */
  abstract apply(changes: ClusterChanges): ClusterState;
  static build(_objects: Iterable<KubernetesObject>, _loadedKinds: Iterable<KeptKind>): ClusterState {
    throw new Error('not built yet');
  }
}

/** Collects objects one by one, so that a stream of rows never stands in memory as a whole. */
export class ClusterStateBuilder {
  constructor(readonly loadedKinds: Iterable<KeptKind>) {}
  /** Of two objects of one kind, namespace and name the last wins. */
  add(_object: KubernetesObject): void {
    throw new Error('not built yet');
  }
  finish(): ClusterState {
    throw new Error('not built yet');
  }
}
