import { defined } from '../../core/collections/defined.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { DecisionReason, DecisionVerdict, DecisionWorkload } from '../../storage/decisions/decision.js';
import type { DecisionAnswer, DecisionAnswerer } from '../decisions/decision-answerer.js';
import type { StateReading } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { EvaluatePlacement, type PlacementResult } from './evaluate-placement.js';
import type { PlacementQuestion } from './placement-request.js';
import { renderPlacement, type PlacementOptions, type PlacementResponse } from './render-placement.js';

/** Answers recorded placements again. */
export class PlacementAnswerer implements DecisionAnswerer {
  readonly type = 'placement';

  constructor(private readonly evaluatePlacement: EvaluatePlacement) {}

  /** @throws {ServiceError} as `EvaluatePlacement.run` and `renderPlacement` */
  async answer(question: JsonObject, reading: StateReading, context: RequestContext): Promise<DecisionAnswer> {
    const asked = question as unknown as PlacementQuestion & PlacementOptions;
    const result = this.evaluatePlacement.evaluate(asked, reading);
    return placementDecision(result, await renderPlacement(result, asked, context));
  }

  verdict(question: JsonObject, reading: StateReading): Promise<DecisionVerdict> {
    const result = this.evaluatePlacement.evaluate(question, reading);
    return Promise.resolve(verdictOf(result));
  }
}

/**
 * A placement as a decision: `yes` if a node can take the pod, `no` if none can, and `unknown` if none is known to. Its continue token
 * belongs to a list and is no part of the answer.
 */
export function placementDecision(result: PlacementResult, response: PlacementResponse): DecisionAnswer {
  const { subject, placement } = result.evaluated;
  const { namespace = '', name } = subject.pod.metadata;
  const about: DecisionWorkload = subject.workload ?? { kind: 'Pod', namespace, name };
  const { feasible, unknown } = placement.counts;
  const nodes = placement.state.nodes.count;
  const verdict = verdictOf(result);
  const answer = { ...response, decision: undefined, continue: undefined };
  const what = `${about.kind} ${about.namespace}/${about.name}`;
  const summary =
    verdict === 'unknown'
      ? `It is unknown for ${unknown} of ${nodes} nodes whether they can take ${what}; no other can.`
      : `${feasible} of ${nodes} nodes can take ${what}.`;
  return { verdict, summary, reasons: verdict === 'yes' ? [] : reasonsOf(result), workloads: [about], answer };
}

function verdictOf({ evaluated }: PlacementResult): DecisionVerdict {
  const { feasible, unknown } = evaluated.placement.counts;
  if (feasible > 0) return 'yes';
  return unknown > 0 ? 'unknown' : 'no';
}

/** The reasons counted over nodes, most frequent first. */
function reasonsOf({ evaluated }: PlacementResult): readonly DecisionReason[] {
  const { placement } = evaluated;
  const { nodes } = placement.state;
  const examples = (names: readonly string[]) =>
    names.slice(0, 1).flatMap((name) => placement.explainNode(nodes.indexOf(name)).reasons);
  return evaluated.rollUp().map(({ code, message, nodes: count, examples: names }) => {
    const isUnknown = [...placement.podReasons, ...examples(names)].some(
      (reason) => reason.code === code && reason.message === message && reason.status === 'Unknown',
    );
    return { code, verdict: isUnknown ? 'unknown' : 'no', message, object: null, count };
  });
}

/** The members of a request that are part of the recorded question; those that select its state are not. */
export function recordedQuestion(request: PlacementQuestion & PlacementOptions): object {
  const { pod, workload, podRef, workloadRef, admission, filters, featureGates, scheduler } = request;
  const { nodes, verdict, view, detail, fixes, ranking, rankingLimit, rankingFrom, seed, newNodes, limit } = request;
  return {
    ...defined({ pod, workload, podRef, workloadRef, admission, filters, featureGates, scheduler }),
    ...defined({ nodes, verdict, view, detail, fixes, ranking, rankingLimit, rankingFrom, seed, newNodes, limit }),
  };
}
