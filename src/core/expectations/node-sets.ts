import type { ChangedParts, ClusterState } from '../cluster/cluster-state.js';
import { poolsIn } from '../pools/pools-in.js';
import type { Selector } from '../kubernetes/label-selector.js';
import type { NodeChoice } from './expectation.js';

/** The nodes of a choice, or why they are not known. */
export type ChosenNodes =
  | { readonly nodes: readonly number[]; /** `of pool gpu`; empty for all nodes. */ readonly text: string }
  | { readonly missing: string };

interface Members {
  readonly fits: (node: number) => boolean;
  readonly members: Uint8Array;
  nodes: readonly number[] | undefined;
}

/** The nodes that match each label selector, looked up again only for nodes that have changed. */
export class NodeSets {
  private readonly bySelector = new Map<string, Members>();

  constructor(
    readonly state: ClusterState,
    former?: NodeSets,
    { nodes: changed }: Pick<ChangedParts, 'nodes'> = { nodes: 'others' },
  ) {
    if (former === undefined || changed === 'others') return;
    for (const [text, { members }] of former.bySelector) {
      this.earlier.set(text, members);
    }
    this.changed = changed;
  }

  private readonly earlier = new Map<string, Uint8Array>();
  private readonly changed: readonly number[] = [];

  of(choice: NodeChoice | undefined, selector: Selector | undefined): ChosenNodes {
    if (choice === undefined) return { nodes: this.matching('', () => true), text: '' };
    const { pool, labelSelector, names } = choice;
    const sets: (readonly number[])[] = [];
    const texts: string[] = [];
    if (pool !== undefined) {
      const declared = poolsIn(this.state).find(({ name }) => name === pool);
      if (declared === undefined) return { missing: `no pool ${JSON.stringify(pool)} is declared` };
      const { nodeSelector } = declared;
      sets.push(this.matching(`pool ${nodeSelector.toString()}`, (labels) => nodeSelector.matches(labels)));
      texts.push(`of pool ${pool}`);
    }
    if (selector !== undefined) {
      sets.push(this.matching(`selector ${labelSelector!}`, (labels) => selector.matches(labels)));
      texts.push(`with ${labelSelector!}`);
    }
    if (names !== undefined) {
      const missing = names.find((name) => this.state.nodes.indexOf(name) < 0);
      if (missing !== undefined) return { missing: `there is no node ${JSON.stringify(missing)}` };
      sets.push([...new Set(names.map((name) => this.state.nodes.indexOf(name)))].sort((a, b) => a - b));
      texts.push('of those named');
    }
    const [first = [], ...others] = sets;
    const rest = others.map((set) => new Set(set));
    return { nodes: first.filter((node) => rest.every((set) => set.has(node))), text: texts.join(' ') };
  }

  private matching(key: string, fits: (labels: Readonly<Record<string, string>>) => boolean): readonly number[] {
    const { nodes } = this.state;
    let found = this.bySelector.get(key);
    if (found === undefined) {
      const fitsNode = (node: number): boolean => fits(nodes.labels(node));
      const earlier = this.earlier.get(key);
      const members = earlier?.slice() ?? new Uint8Array(nodes.count);
      const visit = (node: number): void => void (members[node] = fitsNode(node) ? 1 : 0);
      if (earlier === undefined) for (let node = 0; node < nodes.count; node++) visit(node);
      else this.changed.forEach(visit);
      this.bySelector.set(key, (found = { fits: fitsNode, members, nodes: undefined }));
    }
    if (found.nodes === undefined) {
      const list: number[] = [];
      for (let node = 0; node < nodes.count; node++) if (found.members[node] === 1) list.push(node);
      found.nodes = list;
    }
    return found.nodes;
  }
}
