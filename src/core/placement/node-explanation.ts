import { NOTHING } from '../collections/nothing.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';
import { indexOfTolerating } from '../kubernetes/toleration.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { Verdict } from './placement.js';
import { statusAt, type PluginOutcome } from './plugin-outcome.js';
import { SUCCESS, type PlacementInput } from './plugin.js';
import { decides } from './plugins/taint-toleration/taint-toleration.js';
import { podField, type FieldReference, type Reason, type ReasonCode } from './reason.js';

/** A reason in its place: `first` marks those of the filter that Kubernetes stops at. */
export type RankedReason<Code extends ReasonCode = ReasonCode> = Reason<Code> & { readonly first: boolean };

/** One taint of a node, and what the pod makes of it. */
export interface TaintAnswer {
  readonly taint: Taint;
  /** Not on the node: `spec.unschedulable` stands for it. */
  readonly implied: boolean;
  /** Whether it keeps pods off that do not tolerate it: NoSchedule and NoExecute do. */
  readonly decides: boolean;
  /** The first toleration of the pod that matches it; null where none does. */
  readonly toleratedBy: { readonly index: number; readonly field: FieldReference } | null;
}

/** What there is to say of one node. */
export interface NodeExplanation {
  readonly node: string;
  readonly verdict: Verdict;
  /** In calling order of the filters. */
  readonly reasons: readonly RankedReason[];
  readonly taints: readonly TaintAnswer[];
}

const EXCLUDED_FIELD = podField(
  'spec',
  'affinity',
  'nodeAffinity',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'nodeSelectorTerms',
);

/** The text for a node that PreFilter left out; `plugins` sorted. */
export const excludedMessage = (plugins: readonly string[]): string =>
  `node(s) didn't satisfy plugin(s) [${plugins.join(' ')}]`;

/** The reasons of one plugin against a node. */
export type ReasonsOf = (plugin: PluginOutcome, node: number, first: boolean) => readonly RankedReason[];

export const reasonsOf: ReasonsOf = ({ filter }, node, first) =>
  filter?.explain(node).map((reason) => ({ ...NOTHING, ...reason, first })) ?? [];

/** What the filters say of one pod, as a node is explained from. */
export interface Explainable {
  readonly input: PlacementInput;
  readonly plugins: readonly PluginOutcome[];
  readonly podReasons: readonly Reason[];
  readonly preFilterNodes: PreFilterNodes | undefined;
  readonly verdict: (node: number) => Verdict;
  readonly isExcluded: (node: number) => boolean;
  readonly firstRefusal: (node: number) => PluginOutcome | undefined;
}

/** The plugins whose PreFilter leaves some nodes out, and the nodes that all of them leave in. */
export interface PreFilterNodes {
  readonly plugins: readonly string[];
  readonly names: ReadonlySet<string>;
}

/** Every reason against a node, and what the pod makes of each of its taints. */
export function explainNode(placement: Explainable, node: number, explain = reasonsOf): NodeExplanation {
  const { state } = placement.input;
  const reasons: RankedReason[] = placement.podReasons.map((reason, index) => ({
    ...NOTHING,
    ...reason,
    first: index === 0 && reason.status !== 'Unknown',
  }));
  const refused = reasons.some(({ first }) => first);
  const excluded = placement.isExcluded(node);
  if (excluded) {
    const plugins = placement.preFilterNodes?.plugins ?? [];
    reasons.push({
      plugin: plugins[0] ?? '',
      code: 'ExcludedByPreFilter',
      status: 'UnschedulableAndUnresolvable',
      message: excludedMessage(plugins),
      facts: { nodeName: state.nodes.name(node) },
      fields: [EXCLUDED_FIELD],
      first: !refused,
    });
  }
  const first = refused || excluded ? undefined : placement.firstRefusal(node);
  for (const plugin of placement.plugins) {
    if (statusAt(plugin, node) === SUCCESS) continue;
    reasons.push(...explain(plugin, node, plugin === first));
  }
  return { node: state.nodes.name(node), verdict: placement.verdict(node), reasons, taints: taintsOf(placement, node) };
}

function taintsOf({ input }: Explainable, node: number): readonly TaintAnswer[] {
  const { nodes, taintSets } = input.state;
  const tolerations = input.pod.spec.tolerations ?? [];
  const answer = (taint: Taint, implied: boolean): TaintAnswer => {
    const index = indexOfTolerating(tolerations, taint, input.gates);
    return {
      taint,
      implied,
      decides: decides(taint),
      toleratedBy: index < 0 ? null : { index, field: podField('spec', 'tolerations', index) },
    };
  };
  const own = taintSets[nodes.taintSetId(node)]!;
  const cordoned = nodes.unschedulable[node] === 1;
  const carried = own.some((taint) => matchesTaint(taint, UNSCHEDULABLE_TAINT));
  return [
    ...own.map((taint) => answer(taint, false)),
    ...(cordoned && !carried ? [answer(UNSCHEDULABLE_TAINT, true)] : []),
  ];
}
