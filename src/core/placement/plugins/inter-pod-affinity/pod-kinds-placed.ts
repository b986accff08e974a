import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { LabelColumn } from '../../../cluster/node-table.js';
import type { Labels } from '../../../kubernetes/objects/meta.js';
import type { Selector } from '../../../kubernetes/selector.js';

/** The active pods on stored nodes that have the same labels in the same namespace: a term means all of them, or none. */
export class PodKindPlaced {
  private readonly nodes: number[] = [];
  private readonly counts = new Map<LabelColumn, ReadonlyMap<number, number>>();
  /** By topology, the weights of the terms that mean these pods, added up. */
  readonly weights = new Map<LabelColumn, number>();

  constructor(
    readonly labels: Labels,
    readonly namespace: string,
  ) {}

  add(node: number): void {
    this.nodes.push(node);
  }

  /** By the id of a topology value, how many of them are there. */
  countsBy(column: LabelColumn): ReadonlyMap<number, number> {
    const known = this.counts.get(column);
    if (known !== undefined) return known;
    const counts = new Map<number, number>();
    for (const node of this.nodes) {
      const value = column.valueIds[node]!;
      if (value >= 0) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    this.counts.set(column, counts);
    return counts;
  }

  addWeight(column: LabelColumn, weight: number): void {
    this.weights.set(column, (this.weights.get(column) ?? 0) + weight);
  }
}

/** All kinds of pods on nodes. */
export class PodKindsPlaced {
  readonly all: readonly PodKindPlaced[];
  /** By key and value of a label, the kinds that have it. */
  private index: Map<string, Map<string, PodKindPlaced[]>> | undefined;

  constructor({ pods }: ClusterState) {
    this.all = pods.placedNamespaces().flatMap((namespace) => {
      const kinds = new Map<number, PodKindPlaced>();
      pods.forEachPlaced([namespace], (pod, node, labelSetId) => {
        let kind = kinds.get(labelSetId);
        if (kind === undefined) kinds.set(labelSetId, (kind = new PodKindPlaced(pods.labels(pod), namespace)));
        kind.add(node);
      });
      return [...kinds.values()];
    });
  }

  /**
   * The kinds that a selector chooses.
   *
   * @param isOneOfMany whether so many selectors are asked that it pays to look kinds up by their labels
   */
  chosenBy(selector: Selector, isOneOfMany: boolean): readonly PodKindPlaced[] {
    const among = isOneOfMany ? this.among(selector) : this.all;
    return among.filter(({ labels }) => selector.matches(labels));
  }

  /** Those that have a label which the selector wants; all of them where it wants none in particular. */
  private among({ requirements = [] }: Selector): readonly PodKindPlaced[] {
    const positive = requirements.find(({ operator }) => operator === 'in' || operator === '=' || operator === '==');
    if (positive === undefined) return this.all;
    const byValue = (this.index ??= this.indexed()).get(positive.key);
    return [...new Set(positive.values)].flatMap((value) => byValue?.get(value) ?? []);
  }

  private indexed(): Map<string, Map<string, PodKindPlaced[]>> {
    const index = new Map<string, Map<string, PodKindPlaced[]>>();
    for (const kind of this.all) {
      for (const [key, value] of Object.entries(kind.labels)) {
        let byValue = index.get(key);
        if (byValue === undefined) index.set(key, (byValue = new Map<string, PodKindPlaced[]>()));
        const there = byValue.get(value);
        if (there === undefined) byValue.set(value, [kind]);
        else there.push(kind);
      }
    }
    return index;
  }
}
