import type { LabelColumn } from '../../../cluster/node-table.js';
import type { ClusterState } from '../../../cluster/cluster-state.js';
import { MAX_NODE_SCORE, type ScoreInput, type ScorePlugin } from '../../score-plugin.js';
import { spreadConstraints, SYSTEM_DEFAULT_CONSTRAINTS, type SpreadConstraint } from './constraints.js';
import type { Selector } from '../../../kubernetes/selector.js';
import { NAME } from './pod-topology-spread.js';
import { NodeInclusion, podsPerNode } from './topology-counts.js';

const HOSTNAME = 'kubernetes.io/hostname';

/**
 * The fewer of the pods that the soft constraints count a node's topology domains have, the better.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
 */
export const podTopologySpreadScore: ScorePlugin = {
  name: NAME,
  score: (input) => {
    const { state, pod, args, nodes } = input;
    const { defaultingType, defaultConstraints } = args.podTopologySpread;
    const isSystem = defaultingType === 'System';
    const defaults = isSystem ? SYSTEM_DEFAULT_CONSTRAINTS : defaultConstraints;
    const read = spreadConstraints(state, pod, 'ScheduleAnyway', defaults);
    if ('message' in read) {
      return {
        outcome: 'Error',
        message: `calculating preScoreState: obtaining pod's soft topology spread constraints: ${read.message}`,
      };
    }
    const assuming = read.assumes === undefined ? {} : { assumes: read.assumes };
    if (read.constraints.length === 0) return { outcome: 'Skip', ...assuming };
    // Nodes without a zone are still spread over by the system's own constraints.
    const needsAllKeys = !read.isDefault || !isSystem;
    const spread = new Spread(input, read.constraints, needsAllKeys);
    const raw = new Float64Array(nodes.length);
    for (let i = 0; i < raw.length; i++) raw[i] = spread.score(nodes[i]!);
    return {
      outcome: 'Score',
      ...assuming,
      raw,
      normalized: normalize(raw, (position) => spread.ignores(nodes[position]!)),
      arithmetic: (position) => ({
        formula:
          'sum over the constraints of pods in the domain times ln(domains + 2) plus maxSkew - 1, rounded; the lowest sum gets 100',
        terms: spread.terms(nodes[position]!),
      }),
    };
  },
};

/** A constraint with its counts by the value of its topology key; by node for the host name. */
interface Counted {
  readonly constraint: SpreadConstraint;
  readonly column: LabelColumn | undefined;
  readonly perNode: Int32Array;
  readonly perValue: Float64Array;
  /** ln(domains + 2): so that the counts of small topologies weigh as much as those of large ones. */
  readonly weight: number;
}

class Spread {
  private readonly counted: readonly Counted[];
  private readonly columns: readonly (LabelColumn | undefined)[];

  constructor(
    input: ScoreInput,
    constraints: readonly SpreadConstraint[],
    private readonly needsAllKeys: boolean,
  ) {
    const { state, pod, nodes } = input;
    this.columns = constraints.map(({ topologyKey }) => state.nodes.labelColumn(topologyKey));
    const candidates = needsAllKeys ? nodes.filter((node) => !this.ignores(node)) : nodes;
    const inclusion = new NodeInclusion(input);
    const counts = new Map<Selector, Int32Array>();
    this.counted = constraints.map((constraint, index): Counted => {
      // Default constraints share their selector.
      let perNode = counts.get(constraint.selector);
      if (perNode === undefined) {
        perNode = podsPerNode(state, constraint.selector, pod.metadata.namespace ?? '');
        counts.set(constraint.selector, perNode);
      }
      const column = this.columns[index];
      if (constraint.topologyKey === HOSTNAME) {
        return { constraint, column, perNode, perValue: new Float64Array(), weight: Math.log(candidates.length + 2) };
      }
      const domains = domainsOf(column, candidates);
      const included = inclusion.of(constraint);
      const perValue = this.perValue(state, domains, column, (node) => perNode[node]! * included[node]!);
      const weight = Math.log(domains.reduce((sum, is) => sum + is, 0) + 2);
      return { constraint, column, perNode, perValue, weight };
    });
  }

  /** Whether the node lacks a topology key, so that nothing is said of it. */
  ignores(node: number): boolean {
    return this.needsAllKeys && this.columns.some((column) => valueAt(column, node) < 0);
  }

  score(node: number): number {
    if (this.ignores(node)) return 0;
    let score = 0;
    for (const counted of this.counted) {
      if (valueAt(counted.column, node) < 0) continue;
      score += addend(counted, this.count(counted, node));
    }
    return Math.round(score);
  }

  terms(
    node: number,
  ): { readonly of: string; readonly amounts: Readonly<Record<string, string>>; readonly score: number }[] {
    if (this.ignores(node)) return [];
    return this.counted
      .filter(({ column }) => valueAt(column, node) >= 0)
      .map((counted) => {
        const { constraint, column, weight } = counted;
        const count = this.count(counted, node);
        return {
          of: `${constraint.topologyKey}=${column?.values[valueAt(column, node)] ?? ''}`,
          amounts: { pods: String(count), maxSkew: String(constraint.maxSkew), weight: weight.toFixed(4) },
          score: addend(counted, count),
        };
      });
  }

  private count({ constraint, column, perNode, perValue }: Counted, node: number): number {
    return constraint.topologyKey === HOSTNAME ? perNode[node]! : perValue[placeOf(column, node, perValue.length)]!;
  }

  /** Pods by the value of a topology key, of the values that some candidate has; the last place is that of nodes without the key. */
  private perValue(
    { nodes }: ClusterState,
    domains: Uint8Array,
    column: LabelColumn | undefined,
    podsOn: (node: number) => number,
  ): Float64Array {
    const sums = new Float64Array(domains.length);
    for (let node = 0; node < nodes.count; node++) {
      if (this.ignores(node)) continue;
      const place = placeOf(column, node, domains.length);
      if (domains[place] === 1) sums[place]! += podsOn(node);
    }
    return sums;
  }
}

const addend = ({ constraint, weight }: Counted, count: number): number => count * weight + (constraint.maxSkew - 1);

const valueAt = (column: LabelColumn | undefined, node: number): number => column?.valueIds[node] ?? -1;

/** Nodes without the key share a domain of their own, as if its value were empty; one whose value is empty is in it too. */
function placeOf(column: LabelColumn | undefined, node: number, places: number): number {
  const value = valueAt(column, node);
  return value < 0 || column?.values[value] === '' ? places - 1 : value;
}

/** 1 for each value that some candidate has. */
function domainsOf(column: LabelColumn | undefined, candidates: Int32Array): Uint8Array {
  const domains = new Uint8Array((column?.values.length ?? 0) + 1);
  for (const node of candidates) domains[placeOf(column, node, domains.length)] = 1;
  return domains;
}

/** The least sum gets 100, unless all are 0, and an ignored node 0. */
function normalize(raw: Float64Array, ignores: (position: number) => boolean): Float64Array {
  let least = Number.POSITIVE_INFINITY;
  let greatest = 0;
  for (let position = 0; position < raw.length; position++) {
    if (ignores(position)) continue;
    const score = raw[position]!;
    if (score < least) least = score;
    if (score > greatest) greatest = score;
  }
  const normalized = new Float64Array(raw.length);
  for (let position = 0; position < raw.length; position++) {
    if (ignores(position)) continue;
    normalized[position] =
      greatest === 0 ? MAX_NODE_SCORE : Math.trunc((MAX_NODE_SCORE * (greatest + least - raw[position]!)) / greatest);
  }
  return normalized;
}
