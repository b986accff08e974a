import { allNodes } from '../cluster/all-nodes.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { aggregateMessage, type AggregateMessage } from './aggregate-message.js';
import { explainNode, type NodeExplanation, type PreFilterNodes, type ReasonsOf } from './node-explanation.js';
import { partsByReasons } from './node-partition.js';
import { SUCCESS, UNKNOWN, type Assumption, type PlacementInput } from './plugin.js';
import type { Reason } from './reason.js';
import { firstRefusalOf, type PluginOutcome } from './plugin-outcome.js';
import { rollUp, type ReasonCount } from './roll-up.js';
import type { VerdictCounts, Verdicts } from './status-columns.js';

export type { PluginOutcome } from './plugin-outcome.js';

export const FEASIBLE = 0;
export const INFEASIBLE = 1;
export const NOT_KNOWN = 2;

/** Unknown: no built rule refuses the node, but one that is not built, or that lacks data, may. */
export type Verdict = 'feasible' | 'infeasible' | 'unknown';

export const VERDICTS: readonly [Verdict, Verdict, Verdict] = ['feasible', 'infeasible', 'unknown'];

/**
 * Where one pod can go, held compactly: a column of verdicts, and for each plugin a column of its answers. Words and facts
 * are made for the nodes that are asked for.
 */
export class Placement {
  /** By node: FEASIBLE, INFEASIBLE or NOT_KNOWN. */
  readonly verdicts: Uint8Array;
  readonly counts: VerdictCounts;
  /** By node: 1 for those that PreFilter left out; undefined if it left none out. */
  readonly excludedNodes: Uint8Array | undefined;
  private allParts: readonly (readonly number[])[] | undefined;

  constructor(
    readonly input: PlacementInput,
    /** In calling order. */
    readonly plugins: readonly PluginOutcome[],
    /**
     * What there is to say of the pod as such, whatever the node: scheduling gates, what PreFilter refuses, and, last, what
     * leaves every verdict unknown.
     */
    readonly podReasons: readonly Reason[],
    readonly preFilterNodes: PreFilterNodes | undefined,
    /** By what the filters answered of the nodes. */
    { verdicts, counts }: Verdicts,
  ) {
    const { count } = input.state.nodes;
    const refused = podReasons.some(({ status }) => status !== 'Unknown');
    const unknown = podReasons.some(({ status }) => status === 'Unknown');
    if (refused) verdicts.fill(INFEASIBLE);
    if (preFilterNodes !== undefined) {
      const excluded = new Uint8Array(count).fill(1);
      for (const name of preFilterNodes.names) {
        const node = input.state.nodes.indexOf(name);
        if (node >= 0) excluded[node] = 0;
      }
      for (let node = 0; node < count; node++) if (excluded[node] === 1) verdicts[node] = INFEASIBLE;
      this.excludedNodes = excluded;
    }
    // Even a refusal is uncertain then: what is missing might bring a toleration.
    if (unknown) verdicts.fill(NOT_KNOWN);
    this.verdicts = verdicts;
    this.counts = refused || unknown || preFilterNodes !== undefined ? countVerdicts(verdicts) : counts;
  }

  get state(): ClusterState {
    return this.input.state;
  }

  verdict(node: number): Verdict {
    return VERDICTS[this.verdicts[node]!]!;
  }

  /** Whether PreFilter left the node out, so that Kubernetes never filters it. */
  isExcluded(node: number): boolean {
    return this.excludedNodes?.[node] === 1;
  }

  firstRefusal(node: number): PluginOutcome | undefined {
    return firstRefusalOf(this.plugins, node);
  }

  /** What nodes share of which all is the same but the name; undefined for a node that is to be explained by itself. */
  explanationKey(node: number): string | undefined {
    if (this.isExcluded(node)) return undefined;
    const { taintSetIds, unschedulable } = this.state.nodes;
    let key = `${taintSetIds[node]!} ${unschedulable[node]!}`;
    for (let index = 0; index < this.plugins.length; index++) {
      const { statuses, filter, passesAll } = this.plugins[index]!;
      if (statuses === undefined || passesAll === true || statuses[node] === SUCCESS) continue;
      const own = filter?.explanationKey?.(node);
      if (own === undefined) return undefined;
      // The status too: it decides which filter is the first.
      key += ` ${index}:${statuses[node]!}:${own}`;
    }
    return key;
  }

  /** The same of nodes whose explanations differ in the names of the nodes alone. */
  namelessKey(node: number): string | undefined {
    const { taintSetIds, unschedulable } = this.state.nodes;
    let key = `${this.isExcluded(node) ? 'excluded ' : ''}${taintSetIds[node]!} ${unschedulable[node]!}`;
    for (let index = 0; index < this.plugins.length; index++) {
      const { statuses, filter, passesAll } = this.plugins[index]!;
      if (statuses === undefined || passesAll === true || statuses[node] === SUCCESS) continue;
      const own = filter?.explanationKey?.(node);
      const nameless = own === undefined ? filter?.namelessKey?.(node) : undefined;
      if (own === undefined && nameless === undefined) return undefined;
      key += ` ${index}:${statuses[node]!}:${own ?? `nameless ${nameless!}`}`;
    }
    return key;
  }

  /** Every reason against a node, with facts and fields, and what of its taints is tolerated by what. */
  explainNode(node: number, explain?: ReasonsOf): NodeExplanation {
    return explainNode(this, node, explain);
  }

  /** Nodes in parts of which every filter says the same, amounts and values of labels aside. */
  parts(nodes: readonly number[]): readonly (readonly number[])[] {
    if (nodes !== allNodes(this.state)) return partsByReasons(this, nodes);
    return (this.allParts ??= partsByReasons(this, nodes));
  }

  /** The reasons counted over all nodes, most frequent first. */
  rollUp(): readonly ReasonCount[] {
    return rollUp(this);
  }

  /** What Kubernetes would write into the pod's condition and event, where no node is feasible. */
  message(): AggregateMessage {
    return aggregateMessage(this);
  }

  /** The plugins and rules because of which the verdict of some node is not known. */
  get uncertain(): readonly string[] {
    if (this.counts.unknown === 0) return [];
    const { verdicts } = this;
    const ofPod = this.podReasons.filter(({ status }) => status === 'Unknown').map(({ plugin }) => plugin);
    const ofNodes = this.plugins
      .filter(
        ({ statuses }) => statuses?.some((status, node) => status === UNKNOWN && verdicts[node] === NOT_KNOWN) ?? false,
      )
      .map(({ name }) => name);
    return [...new Set([...ofPod, ...ofNodes])];
  }

  /** Whether the pod waits for something else before the scheduler looks for a node; the first of `podReasons` says for what. */
  get keepsOutOfQueue(): boolean {
    const code = this.podReasons[0]?.code;
    return (
      code === 'SchedulingGated' ||
      code === 'PodGroupNotFound' ||
      this.plugins.some(({ preFilter }) => preFilter.outcome === 'Rejected' && preFilter.keepsOutOfQueue === true)
    );
  }

  /** What was taken for given because a kind was never loaded. */
  get assumptions(): readonly Assumption[] {
    return this.plugins.flatMap(({ preFilter }) => (preFilter.outcome === 'Rejected' ? [] : (preFilter.assumes ?? [])));
  }
}

function countVerdicts(verdicts: Uint8Array): VerdictCounts {
  const counts: [number, number, number] = [0, 0, 0];
  for (const verdict of verdicts) counts[verdict]!++;
  const [feasible, infeasible, unknown] = counts;
  return { feasible, infeasible, unknown };
}
