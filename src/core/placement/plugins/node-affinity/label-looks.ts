import type { LabelColumn, NodeTable } from '../../../cluster/node-table.js';
import { matchesField, type CompiledNodeSelectorTerm } from '../../../kubernetes/node-selector.js';
import type { Requirement } from '../../../kubernetes/requirement.js';

/** By the id of a label's value plus one, whether it meets a requirement; first, whether a node without the label does. */
type Verdicts = Uint8Array;

/** Judges terms on distinct values of labels, and not on each node: a pod may have thousands of terms. */
export class LabelLooks {
  private readonly ids = new Map<LabelColumn, ReadonlyMap<string, number>>();

  constructor(private readonly nodes: NodeTable) {}

  /** Whether a node meets a term without errors; undefined where no node can. As `matchesTerm`. */
  of({ labels, fields }: CompiledNodeSelectorTerm): ((node: number) => boolean) | undefined {
    const parts: (readonly [valueIds: Int32Array, verdicts: Verdicts])[] = [];
    for (const requirement of labels) {
      const column = this.nodes.labelColumn(requirement.key);
      if (column !== undefined) parts.push([column.valueIds, this.verdicts(column, requirement)]);
      else if (!requirement.matchesValue(undefined)) return undefined;
    }
    const meetsLabels = conjunction(parts);
    if (fields.length === 0) return meetsLabels;
    return (node) => {
      const name = this.nodes.name(node);
      return (name === '' || fields.every((requirement) => matchesField(requirement, name))) && meetsLabels(node);
    };
  }

  private verdicts(column: LabelColumn, requirement: Requirement): Verdicts {
    const { values } = column;
    const verdicts = new Uint8Array(values.length + 1);
    switch (requirement.operator) {
      case 'in':
      case '=':
      case '==':
        return this.fill(verdicts, column, requirement.values, 1);
      case 'notin':
      case '!=':
        return this.fill(verdicts.fill(1), column, requirement.values, 0);
      case 'exists':
      case '!':
      case 'gt':
      case 'lt':
        verdicts[0] = Number(requirement.matchesValue(undefined));
        for (const [id, value] of values.entries()) verdicts[id + 1] = Number(requirement.matchesValue(value));
        return verdicts;
    }
  }

  private fill(verdicts: Verdicts, column: LabelColumn, values: readonly string[], verdict: 0 | 1): Verdicts {
    let ids = this.ids.get(column);
    if (ids === undefined) this.ids.set(column, (ids = new Map(column.values.map((value, id) => [value, id]))));
    for (const value of values) {
      const id = ids.get(value);
      if (id !== undefined) verdicts[id + 1] = verdict;
    }
    return verdicts;
  }
}

function conjunction(parts: readonly (readonly [Int32Array, Verdicts])[]): (node: number) => boolean {
  const [first, ...more] = parts;
  if (first === undefined) return () => true;
  const [valueIds, verdicts] = first;
  if (more.length === 0) return (node) => verdicts[valueIds[node]! + 1] === 1;
  const others = conjunction(more);
  return (node) => verdicts[valueIds[node]! + 1] === 1 && others(node);
}
