import type { LabelColumn } from '../../cluster/node-table.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { PlacementInput } from '../../placement/plugin.js';
import type { SpreadConstraint, WhenUnsatisfiable } from '../../placement/plugins/pod-topology-spread/constraints.js';
import { NodeInclusion, nodesWithKeys } from '../../placement/plugins/pod-topology-spread/topology-counts.js';
import { nodeGroups, type NodeGroups } from './node-groups.js';
import type { PodKind } from './pod-kinds.js';

/** The nodes over which a constraint spreads pods. */
interface Domains {
  readonly column: LabelColumn | undefined;
  /** By node: 1 if its pods count. */
  readonly counting: Uint8Array;
  /** By value id: 1 if some node with the value counts. */
  readonly present: Uint8Array;
  /** The number of values that are present. */
  readonly count: number;
}

/** The parts of a pod's constraints that depend only on the nodes; equal for many pods. */
export interface SpreadGround {
  /** By node: 1 if it has every topology key, or does not need to. */
  readonly hasKeys: Uint8Array;
  readonly needsAllKeys: boolean;
  /** By constraint. */
  readonly domains: readonly Domains[];
}

export function spreadGround(
  input: Pick<PlacementInput, 'state' | 'pod' | 'gates'>,
  constraints: readonly SpreadConstraint[],
  needsAllKeys: boolean,
): SpreadGround {
  const { nodes } = input.state;
  const { count } = nodes;
  const hasKeys = needsAllKeys ? nodesWithKeys(input.state, constraints) : new Uint8Array(count).fill(1);
  const inclusion = new NodeInclusion(input);
  const domains = constraints.map((constraint): Domains => {
    const column = nodes.labelColumn(constraint.topologyKey);
    const included = inclusion.of(constraint);
    const counting = new Uint8Array(count);
    const present = new Uint8Array(column?.values.length ?? 0);
    let found = 0;
    for (let node = 0; node < count; node++) {
      counting[node] = hasKeys[node]! & included[node]!;
      const value = column?.valueIds[node] ?? -1;
      if (counting[node] === 0 || value < 0 || present[value] === 1) continue;
      present[value] = 1;
      found++;
    }
    return { column, counting, present, count: found };
  });
  return { hasKeys, needsAllKeys, domains };
}

/** A constraint and the number of matching pods, by value of its label or by node. */
interface Counted {
  readonly constraint: SpreadConstraint;
  readonly domains: Domains;
  /** By value id, with one more entry at the end for nodes without the label. Undefined if pods are counted by node. */
  readonly counts: Float64Array | undefined;
  /** The id of the empty value, if nodes without the label and nodes with an empty value are in one domain; otherwise -1. */
  readonly empty: number;
  /** The number of matching pods by node, for preferences with the hostname key only. */
  readonly perNode: Map<number, number> | undefined;
  readonly self: 0 | 1;
  /** Whether the constraint counts pods of a kind. */
  readonly matches: Map<PodKind, boolean>;
}

/**
 * The pods that match the constraints of one pod; updated as pods come and go.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/podtopologyspread/{filtering,scoring}.go.
 */
export class SpreadCounts {
  private readonly counted: readonly Counted[];
  private readonly hasKeys: Uint8Array;
  private readonly byNode: readonly ReadonlyMap<number, number>[];
  /** Identifies what distinguishes nodes that are not occupied: equal keys mean equal groups of nodes. */
  readonly groupsKey: string;

  constructor(
    pod: Pod,
    constraints: readonly SpreadConstraint[],
    private readonly namespace: string,
    { hasKeys, needsAllKeys, domains }: SpreadGround,
    when: WhenUnsatisfiable,
  ) {
    this.hasKeys = hasKeys;
    this.groupsKey = JSON.stringify([needsAllKeys, constraints.map(({ topologyKey }) => topologyKey)]);
    this.countsByTaints = constraints.some(({ honorsNodeTaints }) => honorsNodeTaints);
    this.counted = constraints.map((constraint, at): Counted => {
      const { column } = domains[at]!;
      const isByNode = when === 'ScheduleAnyway' && constraint.topologyKey === HOSTNAME;
      return {
        constraint,
        domains: domains[at]!,
        counts: isByNode ? undefined : new Float64Array((column?.values.length ?? 0) + 1),
        empty: needsAllKeys ? -1 : (column?.values.indexOf('') ?? -1),
        perNode: isByNode ? new Map() : undefined,
        self: constraint.selector.matches(pod.metadata.labels ?? {}) ? 1 : 0,
        matches: new Map(),
      };
    });
    this.byNode = this.counted.flatMap(({ perNode }) => (perNode === undefined ? [] : [perNode]));
  }

  /** The nodes with pods that are counted by node. */
  get occupied(): { readonly size: number; keys(): Iterable<number> } {
    const [only, ...others] = this.byNode;
    if (others.length === 0) return only ?? new Map<number, number>();
    return new Set(this.byNode.flatMap((perNode) => [...perNode.keys()]));
  }

  /** Whether the taints of nodes affect which of their pods are counted. */
  readonly countsByTaints: boolean;

  minds(kind: PodKind): boolean {
    return this.counted.some((counted) => this.matches(counted, kind));
  }

  /** @param by the change in the number of pods of the kind on the node: 1 or -1 */
  count(kind: PodKind, node: number, by: 1 | -1): void {
    for (const counted of this.counted) {
      if (!this.matches(counted, kind)) continue;
      const { counts, perNode, domains } = counted;
      if (counts !== undefined && domains.counting[node] === 1) counts[placeOf(counted, node)]! += by;
      if (perNode === undefined) continue;
      const pods = (perNode.get(node) ?? 0) + by;
      if (pods > 0) perNode.set(node, pods);
      else perNode.delete(node);
    }
  }

  private matches({ matches, constraint }: Counted, kind: PodKind): boolean {
    let is = matches.get(kind);
    if (is === undefined) {
      is =
        kind.namespace === this.namespace &&
        !kind.terminating &&
        constraint.selector.requirements?.length !== 0 &&
        constraint.selector.matches(kind.labels);
      matches.set(kind, is);
    }
    return is;
  }

  /** Keeps those of the first `count` nodes on which one more pod is within the permitted skew, in order. @returns their number */
  keepAdmitted(nodes: Int32Array, count: number): number {
    let left = count;
    for (const counted of this.counted) {
      const { constraint, self } = counted;
      const counts = counted.counts!;
      const ids = counted.domains.column?.valueIds;
      if (ids === undefined) return 0;
      const most = constraint.maxSkew - self + leastOf(counted);
      let kept = 0;
      for (let at = 0; at < left; at++) {
        const node = nodes[at]!;
        const value = ids[node]!;
        if (value >= 0 && counts[value]! <= most) nodes[kept++] = node;
      }
      left = kept;
    }
    return left;
  }

  /** The groups of nodes for `groupsKey`; undefined if there are too many. */
  groups(): NodeGroups | undefined {
    const columns = this.counted.map(({ domains, perNode }) => ({
      ids: domains.column?.valueIds,
      byValue: perNode === undefined,
    }));
    return nodeGroups(this.hasKeys, columns);
  }

  /**
   * The normalized scores: first those of each group, for its nodes that are not occupied, then those of the `occupied` nodes.
   *
   * @param free by group: the number of its nodes that are feasible and not occupied
   */
  groupScores({ members }: NodeGroups, free: readonly number[], occupied: readonly number[]): Float64Array {
    // The first node represents its group.
    const nodes = [...members.map((group) => group[0]!), ...occupied];
    const feasible = [...free, ...occupied.map(() => 1)];
    const isScored = nodes.map((node, at) => feasible[at]! > 0 && this.hasKeys[node] === 1);
    const candidates = feasible.reduce((sum, count, at) => sum + (isScored[at] === true ? count : 0), 0);
    const sums = new Float64Array(nodes.length);
    for (const counted of this.counted) {
      const { domains, counts, perNode, constraint } = counted;
      const { column } = domains;
      if (column === undefined) continue;
      const found = perNode === undefined ? domainsAmong(counted, nodes, (at) => isScored[at] === true) : candidates;
      const weight = Math.log(found + 2);
      for (let at = 0; at < nodes.length; at++) {
        const node = nodes[at]!;
        if (isScored[at] !== true || column.valueIds[node]! < 0) continue;
        const ofNode = at < members.length ? 0 : (perNode?.get(node) ?? 0);
        const pods = counts === undefined ? ofNode : counts[placeOf(counted, node)]!;
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
    const { domains, counts, perNode, constraint } = counted;
    const ids = domains.column?.valueIds;
    if (ids === undefined) return;
    const { hasKeys } = this;
    const more = constraint.maxSkew - 1;
    if (perNode !== undefined) {
      const weight = Math.log(candidates + 2);
      for (let i = 0; i < count; i++) {
        const node = nodes[i]!;
        if (hasKeys[node] === 1 && ids[node]! >= 0) sums[i]! += (perNode.get(node) ?? 0) * weight + more;
      }
      return;
    }
    const listed = nodes.subarray(0, count);
    const weight = Math.log(domainsAmong(counted, listed, (i) => hasKeys[listed[i]!] === 1) + 2);
    const { empty } = counted;
    const last = counts!.length - 1;
    for (let i = 0; i < count; i++) {
      const value = ids[nodes[i]!]!;
      if (hasKeys[nodes[i]!] === 0 || value < 0) continue;
      sums[i]! += counts![value === empty ? last : value]! * weight + more;
    }
  }
}

/** The number of domains that the scored nodes are in. */
function domainsAmong(counted: Counted, nodes: ArrayLike<number>, isScored: (at: number) => boolean): number {
  const { empty } = counted;
  const ids = counted.domains.column?.valueIds;
  const seen = new Uint8Array(counted.counts!.length);
  let domains = 0;
  for (let at = 0; at < nodes.length; at++) {
    if (!isScored(at)) continue;
    const value = ids?.[nodes[at]!] ?? -1;
    const place = value < 0 || value === empty ? seen.length - 1 : value;
    domains += 1 - seen[place]!;
    seen[place] = 1;
  }
  return domains;
}

/** Turns sums into scores from 0 to 100, the smallest sum into the greatest score; 0 for nodes that are not scored. */
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

function placeOf({ domains, counts, empty }: Counted, node: number): number {
  const value = domains.column?.valueIds[node] ?? -1;
  return value < 0 || value === empty ? counts!.length - 1 : value;
}

function leastOf({ counts, domains, constraint }: Counted): number {
  const { present } = domains;
  if (domains.count < constraint.minDomains) return 0;
  let least = MOST;
  for (let value = 0; value < present.length; value++) {
    if (present[value] === 1 && counts![value]! < least) least = counts![value]!;
  }
  return least;
}
