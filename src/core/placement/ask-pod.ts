import type { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import { gatesOf, type TolerationGates } from '../kubernetes/toleration.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { PreFilterNodes } from './node-explanation.js';
import type { PluginOutcome } from './placement.js';
import type { FilterPlugin, PlacementInput } from './plugin.js';
import { schedulingGate } from './plugins/scheduling-gates/scheduling-gates.js';
import { coschedulingFilter } from './coscheduling-filter.js';
import { groupReason } from './pod-groups.js';
import { filtersNamed } from './profile.js';
import type { Reason } from './reason.js';

/** What is asked of the filters. */
export interface EvaluationQuestion {
  /** The pod as the API server would store it: defaulted, admitted. Not counted itself if it is stored and not on a node. */
  readonly pod: Pod;
  /** Names of the filters to ask; all of the profile's by default. */
  readonly filterNames?: readonly string[];
  /** The filters of the profile, in calling order; the default profile's by default. */
  readonly filters?: readonly FilterPlugin[];
  /** Those of the state's rules by default. */
  readonly gates?: TolerationGates;
  /** What keeps the whole pod from a certain answer, each with the status Unknown: a RuntimeClass that is not stored. */
  readonly unknowns?: readonly Reason[];
}

/** One pod and the filters that are ready to be asked about nodes. */
export interface AskedPod {
  readonly input: PlacementInput;
  readonly plugins: readonly PluginOutcome[];
  readonly podReasons: readonly Reason[];
  readonly preFilterNodes: PreFilterNodes | undefined;
}

/** Answers of filters that are known already. */
export type KnownAnswers = ReadonlyMap<FilterPlugin, PluginOutcome>;

/**
 * Asks the filters what there is to say of the pod whatever the node.
 *
 * @throws UnknownFilterError for a filter that does not exist
 * @throws QuantityError for a pod with a request that is no quantity
 */
export function askPod(state: ClusterState, question: EvaluationQuestion, known?: KnownAnswers): AskedPod {
  return finish(stepAskPod(state, question, known));
}

/** As `askPod`, with pauses after each filter and within those that may take long. */
export function* stepAskPod(
  state: ClusterState,
  { pod, filterNames, filters: ofProfile, gates = gatesOf(state.rules), unknowns = [] }: EvaluationQuestion,
  known?: KnownAnswers,
): Generator<undefined, AskedPod> {
  const filters = filtersNamed(filterNames, ofProfile);
  const input: PlacementInput = { state, pod, gates, filterNames, filters, nominated: nominatedBefore(state, pod) };
  const podReasons: Reason[] = [];
  const gate = filterNames === undefined ? schedulingGate(pod) : undefined;
  if (gate !== undefined) podReasons.push(gate);
  const coscheduling = filters.includes(coschedulingFilter);
  const asksGroup = gate === undefined && (filterNames === undefined || coscheduling);
  const group = asksGroup ? groupReason(state, pod, { coscheduling }) : undefined;
  if (group?.status === 'UnschedulableAndUnresolvable') podReasons.push(group);
  let names: ReadonlySet<string> | undefined;
  const naming: string[] = [];
  const plugins: PluginOutcome[] = [];
  for (const filter of filters) {
    plugins.push(known?.get(filter) ?? (yield* stepOutcome(filter, input)));
    yield;
  }
  const rejected = plugins.flatMap(({ preFilter }) => (preFilter.outcome === 'Rejected' ? [preFilter] : []));
  // The scheduler calls PreFilter only after all of PreEnqueue.
  const inOrder = [
    ...rejected.filter(({ keepsOutOfQueue = false }) => keepsOutOfQueue),
    ...rejected.filter(({ keepsOutOfQueue = false }) => !keepsOutOfQueue),
  ];
  podReasons.push(...inOrder.map(({ reason }) => reason));
  for (const { name, preFilter } of plugins) {
    if (preFilter.outcome !== 'Filter' || preFilter.nodeNames === undefined) continue;
    const { nodeNames } = preFilter;
    const before = names;
    names = before === undefined ? nodeNames : new Set([...nodeNames].filter((node) => before.has(node)));
    naming.push(name);
  }
  podReasons.push(...unknowns);
  if (group?.status === 'Unknown') podReasons.push(group);
  const preFilterNodes = names === undefined ? undefined : { names, plugins: naming.sort() };
  return { input, plugins, podReasons, preFilterNodes };
}

function* stepOutcome(
  { name, preFilter, stepPreFilter }: FilterPlugin,
  input: PlacementInput,
): Generator<undefined, PluginOutcome> {
  const prepared = stepPreFilter === undefined ? preFilter(input) : yield* stepPreFilter(input);
  return prepared.outcome === 'Filter'
    ? { name, preFilter: prepared, filter: prepared.filter }
    : { name, preFilter: prepared };
}

/**
 * The nominated pods that count: those of the same or a higher priority, the pod itself apart.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/runtime/framework.go, `addGENominatedPods`.
 */
export function nominatedBefore({ pods }: ClusterState, { metadata, spec }: Pod): PlacementInput['nominated'] {
  const nominated = pods.nominated();
  if (nominated.length === 0) return nominated;
  const priority = spec.priority ?? 0;
  const itself = pods.indexOf(metadata.namespace ?? '', metadata.name);
  return nominated.filter(({ pod }) => pod !== itself && pods.priority(pod) >= priority);
}
