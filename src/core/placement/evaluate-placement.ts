import type { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import { askPod, stepAskPod, type EvaluationQuestion } from './ask-pod.js';
import { fillStatuses } from './fill-statuses.js';
import { NodeEvaluation } from './node-evaluation.js';
import type { NodeExplanation } from './node-explanation.js';
import { Placement, type PluginOutcome } from './placement.js';
import { StatusColumns } from './status-columns.js';

export type { EvaluationQuestion } from './ask-pod.js';

/**
 * Which nodes of the state can take the pod, by the scheduler's filters. Every filter is asked about every node,
 * also about those that an earlier one refused, so that all reasons are known.
 *
 * A pod that is on a node already counts there: to ask where else it could go, take it out of the state first.
 *
 * @throws UnknownFilterError for a filter that does not exist
 * @throws QuantityError for a pod with a request that is no quantity
 */
export function evaluatePlacement(state: ClusterState, question: EvaluationQuestion): Placement {
  return finish(stepEvaluatePlacement(state, question));
}

/** As `evaluatePlacement`, with a pause after each filter. */
export function* stepEvaluatePlacement(
  state: ClusterState,
  question: EvaluationQuestion,
): Generator<undefined, Placement> {
  const { input, plugins, podReasons, preFilterNodes } = yield* stepAskPod(state, question);
  const columns = new StatusColumns(plugins.filter(({ filter }) => filter !== undefined).length + 1, state.nodes.count);
  const filled: PluginOutcome[] = [];
  for (const plugin of plugins) {
    const { name, preFilter, filter } = plugin;
    if (filter === undefined) {
      filled.push(plugin);
      continue;
    }
    const statuses = columns.next();
    const passesAll = !fillStatuses(filter, statuses);
    filled.push({ name, preFilter, filter, statuses, passesAll });
    yield;
  }
  return new Placement(input, filled, podReasons, preFilterNodes, columns.merge());
}

/** The same for one node alone, at a fraction of the cost. */
export function evaluateNode(state: ClusterState, question: EvaluationQuestion, node: number): NodeExplanation {
  return new NodeEvaluation(askPod(state, question)).explainNode(node);
}
