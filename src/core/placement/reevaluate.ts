import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import { shareEqualParts } from '../json/share-equal-parts.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { type EvaluationQuestion, type KnownAnswers, stepAskPod } from './ask-pod.js';
import type { FilterDeclaration, FilterDependency } from './in-tree-plugin.js';
import { NodeEvaluation } from './node-evaluation.js';
import type { Placement, PluginOutcome } from './placement.js';
import type { FilterPlugin } from './plugin.js';
import { inTreePlugin } from './plugins/in-tree-plugins.js';

/**
 * The pod of a placement after a change, to be asked about single nodes: a filter that reads nothing of what has changed gives the
 * answers that it gave for the placement. Pauses where filters do.
 */
export function* stepReevaluatePod(placement: Placement, changed: Pod): Generator<undefined, NodeEvaluation> {
  const { pod } = placement.input;
  const shared = shareEqualParts(changed, pod);
  return new NodeEvaluation(
    yield* stepAskPod(placement.state, { ...questionOf(placement), pod: shared }, answersFor(placement, shared)),
  );
}

/** What has changed between two states. */
export type ChangeOfNodes = Extract<FilterDependency, 'node' | 'taints' | 'claims'>;

/**
 * The pod of a placement in a state of which some nodes or claims differ from the placement's, and nothing else. Pauses where filters do.
 *
 * @param changes `node`: labels; `taints`: taints and cordons; `claims`: claims and their templates
 */
export function* stepReevaluateNodes(
  placement: Placement,
  state: ClusterState,
  changes: ReadonlySet<ChangeOfNodes>,
): Generator<undefined, NodeEvaluation> {
  const known = knownAnswers(
    placement,
    ({ dependsOn }) => !dependsOn.some((dependency) => (changes as ReadonlySet<FilterDependency>).has(dependency)),
  );
  return new NodeEvaluation(yield* stepAskPod(state, questionOf(placement), known));
}

/** What was asked of a placement. */
function questionOf({ input, podReasons }: Placement): EvaluationQuestion {
  const { pod, gates, filters, filterNames } = input;
  const unknowns = podReasons.filter(({ status }) => status === 'Unknown');
  return { pod, gates, filters, unknowns, ...defined({ filterNames }) };
}

/** The answers of filters that read the same of both pods. None where other nominated pods may count. */
function answersFor(placement: Placement, changed: Pod): KnownAnswers | undefined {
  const { pod } = placement.input;
  if (changed.metadata !== pod.metadata || changed.spec.priority !== pod.spec.priority) return undefined;
  return knownAnswers(placement, ({ readsOfPod }) => {
    const before = readsOfPod(pod);
    const after = readsOfPod(changed);
    return before.length === after.length && before.every((part, index) => part === after[index]);
  });
}

function knownAnswers({ input, plugins }: Placement, isKnown: (filter: FilterDeclaration) => boolean): KnownAnswers {
  const known = new Map<FilterPlugin, PluginOutcome>();
  for (const [index, filter] of input.filters.entries()) {
    const declared = inTreePlugin(filter.name)?.filter;
    if (declared !== undefined && isKnown(declared)) known.set(filter, plugins[index]!);
  }
  return known;
}
