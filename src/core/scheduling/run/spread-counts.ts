import type { LabelColumn } from '../../cluster/node-table.js';
import type { PlacementInput } from '../../placement/plugin.js';
import type { SpreadConstraint } from '../../placement/plugins/pod-topology-spread/constraints.js';
import { NodeInclusion, nodesWithKeys } from '../../placement/plugins/pod-topology-spread/topology-counts.js';
import { nodeGroups, type NodeGroups } from './node-groups.js';
import type { PodKind } from './pod-kinds.js';

/** A constraint, and the pods that it counts: by the value of its label, and by node. */
interface Counted {
  readonly constraint: SpreadConstraint;
  readonly column: LabelColumn | undefined;
  /** By value id; one place more, behind, for nodes without the label. */
  readonly counts: Float64Array;
  /** The id of the empty value, where nodes without the label are in one domain with those that have it; -1 where there is none. */
  readonly empty: number;
  /** Of a constraint that spreads over nodes alone. */
  readonly perNode: Int32Array | undefined;
  /** By node: 1 where its pods count. */
  readonly counting: Uint8Array;
  /** By value id: 1 where some node with the value counts. */
  readonly present: Uint8Array;
  readonly domains: number;
  readonly self: 0 | 1;
  /** By kind: whether it is counted. */
  readonly matches: (boolean | undefined)[];
}

/**
 * The pods that the constraints of one pod count, counted on as pods come and go.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/podtopologyspread/{filtering,scoring}.go.
 */
export class SpreadCounts {
  private readonly counted: readonly Counted[];
  /** By node: 1 where it has every topology key, or need not. */
  private readonly hasKeys: Uint8Array;
  /** The nodes with pods that a constraint counts by node. */
  readonly occupied = new Set<number>();
  /** What tells nodes apart that are not occupied: equal keys, equal groups of nodes. */
  readonly groupsKey: string;

  constructor(
    input: Pick<PlacementInput, 'state' | 'pod' | 'gates'>,
    constraints: readonly SpreadConstraint[],
    private readonly namespace: string,
    needsAllKeys: boolean,
  ) {
    const { state, pod } = input;
    const { count } = state.nodes;
    this.groupsKey = JSON.stringify([needsAllKeys, constraints.map(({ topologyKey }) => topologyKey)]);
    this.hasKeys = needsAllKeys ? nodesWithKeys(state, constraints) : new Uint8Array(count).fill(1);
    this.countsByTaints = constraints.some(({ honorsNodeTaints }) => honorsNodeTaints);
    const inclusion = new NodeInclusion(input);
    this.counted = constraints.map((constraint): Counted => {
      const column = state.nodes.labelColumn(constraint.topologyKey);
      const included = inclusion.of(constraint);
      const counting = this.hasKeys.map((has, node) => has & included[node]!);
      const values = column?.values.length ?? 0;
      const present = new Uint8Array(values);
      for (let node = 0; node < count; node++) {
        const value = column?.valueIds[node] ?? -1;
        if (counting[node] === 1 && value >= 0) present[value] = 1;
      }
      return {
        constraint,
        column,
        counts: new Float64Array(values + 1),
        empty: needsAllKeys ? -1 : (column?.values.indexOf('') ?? -1),
        perNode: constraint.topologyKey === HOSTNAME ? new Int32Array(count) : undefined,
        counting,
        present,
        domains: present.reduce((sum, is) => sum + is, 0),
        self: constraint.selector.matches(pod.metadata.labels ?? {}) ? 1 : 0,
        matches: [],
      };
    });
  }

  /** Whether the taints of nodes decide which of their pods are counted. */
  readonly countsByTaints: boolean;

  minds(kind: PodKind): boolean {
    return this.counted.some((counted) => this.matches(counted, kind));
  }

  /** @param by how many more pods of the kind there are on the node: 1 or -1 */
  count(kind: PodKind, node: number, by: 1 | -1): void {
    for (const counted of this.counted) {
      if (!this.matches(counted, kind)) continue;
      if (counted.perNode !== undefined) {
        counted.perNode[node]! += by;
        if (by === 1) this.occupied.add(node);
        else if (this.counted.every(({ perNode }) => (perNode?.[node] ?? 0) === 0)) this.occupied.delete(node);
      }
      if (counted.counting[node] === 1) counted.counts[placeOf(counted, node)]! += by;
    }
  }

  private matches({ matches, constraint }: Counted, kind: PodKind): boolean {
    return (matches[kind.id] ??=
      kind.namespace === this.namespace &&
      !kind.terminating &&
      constraint.selector.requirements?.length !== 0 &&
      constraint.selector.matches(kind.labels));
  }

  /** Clears `open[node]` where one pod more would be too many. */
  close(open: Uint8Array): void {
    for (const counted of this.counted) {
      const { column, counts, constraint, self } = counted;
      const most = constraint.maxSkew - self + leastOf(counted);
      for (let node = 0; node < open.length; node++) {
        const value = column?.valueIds[node] ?? -1;
        if (value < 0 || counts[value]! > most) open[node] = 0;
      }
    }
  }

  /** The groups of nodes that `groupsKey` stands for; undefined where there are too many. */
  groups(): NodeGroups | undefined {
    const tellings = this.counted.map(({ column, perNode }) => ({
      ids: column?.valueIds,
      byValue: perNode === undefined,
    }));
    return nodeGroups(this.hasKeys, tellings);
  }

  /**
   * The normalized scores by group, of the nodes that are not occupied, and behind them of some nodes that are.
   *
   * @param free by group: how many of its nodes are feasible and not occupied
   */
  groupScores({ members }: NodeGroups, free: readonly number[], occupied: readonly number[]): Float64Array {
    // One node stands for its group.
    const nodes = [...members.map((group) => group[0]!), ...occupied];
    const counts = [...free, ...occupied.map(() => 1)];
    const isScored = nodes.map((node, at) => counts[at]! > 0 && this.hasKeys[node] === 1);
    const candidates = counts.reduce((sum, count, at) => sum + (isScored[at] === true ? count : 0), 0);
    const sums = new Float64Array(nodes.length);
    for (const counted of this.counted) {
      const { column, perNode, constraint } = counted;
      if (column === undefined) continue;
      const places = new Set(nodes.filter((_, at) => isScored[at]).map((node) => placeOf(counted, node)));
      const weight = Math.log((perNode === undefined ? places.size : candidates) + 2);
      for (let at = 0; at < nodes.length; at++) {
        const node = nodes[at]!;
        if (isScored[at] !== true || column.valueIds[node]! < 0) continue;
        const ofNode = at < members.length ? 0 : (perNode?.[node] ?? 0);
        const pods = perNode === undefined ? counted.counts[placeOf(counted, node)]! : ofNode;
        sums[at]! += pods * weight + (constraint.maxSkew - 1);
      }
    }
    normalize(sums, sums.length, (at) => isScored[at] === true);
    return sums;
  }

  /** The normalized scores of nodes, by position. */
  scores(nodes: Int32Array, count: number, normalized: Float64Array): void {
    const { hasKeys } = this;
    let candidates = 0;
    for (let i = 0; i < count; i++) candidates += hasKeys[nodes[i]!]!;
    const sums = normalized;
    sums.fill(0, 0, count);
    for (const counted of this.counted) this.addTo(sums, counted, nodes, count, candidates);
    normalize(sums, count, (i) => hasKeys[nodes[i]!] === 1);
  }

  private addTo(sums: Float64Array, counted: Counted, nodes: Int32Array, count: number, candidates: number): void {
    const { column, counts, perNode, constraint } = counted;
    const ids = column?.valueIds;
    if (ids === undefined) return;
    const more = constraint.maxSkew - 1;
    if (perNode !== undefined) {
      const weight = Math.log(candidates + 2);
      for (let i = 0; i < count; i++) {
        const node = nodes[i]!;
        if (this.hasKeys[node] === 1 && ids[node]! >= 0) sums[i]! += perNode[node]! * weight + more;
      }
      return;
    }
    const weight = Math.log(this.domainsAmong(counted, nodes, count) + 2);
    for (let i = 0; i < count; i++) {
      const node = nodes[i]!;
      if (this.hasKeys[node] === 1 && ids[node]! >= 0) sums[i]! += counts[placeOf(counted, node)]! * weight + more;
    }
  }

  private domainsAmong(counted: Counted, nodes: Int32Array, count: number): number {
    const seen = new Uint8Array(counted.counts.length);
    let domains = 0;
    for (let i = 0; i < count; i++) {
      const node = nodes[i]!;
      if (this.hasKeys[node] === 0) continue;
      const place = placeOf(counted, node);
      domains += 1 - seen[place]!;
      seen[place] = 1;
    }
    return domains;
  }
}

/** Turns sums into scores from 0 to 100, the smallest sum to the greatest; 0 for what is not scored. */
function normalize(sums: Float64Array, count: number, isScored: (at: number) => boolean): void {
  let least = Number.POSITIVE_INFINITY;
  let greatest = 0;
  for (let at = 0; at < count; at++) {
    if (!isScored(at)) continue;
    const score = (sums[at] = Math.round(sums[at]!));
    if (score < least) least = score;
    if (score > greatest) greatest = score;
  }
  for (let at = 0; at < count; at++) {
    if (!isScored(at)) sums[at] = 0;
    else sums[at] = greatest === 0 ? 100 : Math.trunc((100 * (greatest + least - sums[at]!)) / greatest);
  }
}

const HOSTNAME = 'kubernetes.io/hostname';
const MOST = 2 ** 31 - 1;

function placeOf({ column, counts, empty }: Counted, node: number): number {
  const value = column?.valueIds[node] ?? -1;
  return value < 0 || value === empty ? counts.length - 1 : value;
}

function leastOf({ counts, present, domains, constraint }: Counted): number {
  if (domains < constraint.minDomains) return 0;
  let least = MOST;
  for (let value = 0; value < present.length; value++) {
    if (present[value] === 1 && counts[value]! < least) least = counts[value]!;
  }
  return least;
}
