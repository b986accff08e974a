import { FEW_CANDIDATES } from '../../contract/scheduling/preemption.js';
import type { explainPreemption } from '../../contract/scheduling/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stepEvaluatePlacement } from '../../core/placement/evaluate-placement.js';
import type { Reason } from '../../core/placement/reason.js';
import { candidateCosts, type CandidateCosts } from '../../core/preemption/choose-candidate.js';
import { stepPreempt, type Preemption } from '../../core/preemption/preempt.js';
import type { PreemptionCandidate } from '../../core/preemption/select-victims.js';
import { unscheduledMessage } from '../../core/preemption/unscheduled-message.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { placingProfile } from '../placements/placing-profile.js';
import { placedSubject } from '../placements/placed-subject.js';
import { checkQuestion } from '../placements/placement-request.js';
import { ReadState } from '../reads/read-state.js';
import { stateUnderGates } from '../reads/state-under-gates.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { knownSchedulerResponse } from '../schedulers/scheduler-response.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';

type PreemptionResponse = AnswerTo<typeof explainPreemption>;

/**
 * Finds the pods that the scheduler would preempt for a pod that fits on no node, with the stored scheduler
 * configuration.
 */
export class ExplainPreemption {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `EvaluatePlacement.run` */
  async run(request: RequestOf<typeof explainPreemption>, context: RequestContext): Promise<PreemptionResponse> {
    const { cluster, readAt, mostCandidates = FEW_CANDIDATES } = request;
    const field = checkQuestion(request);
    const { basis, state: stored } = await this.readState.run(cluster, readAt, context);
    const state = stateUnderGates(stored, request.featureGates);
    const gates = gatesOf(state.rules);
    const subject = placedSubject(request, field, state, gates);
    const { pod, source, added, unknowns } = subject;
    const profile = placingProfile(subject.state, pod, undefined, gates);
    const { filters } = profile.plugins;
    const slices = new TimeSlices({ signal: context.signal });
    if (slices.due()) await slices.pause();
    const placement = await runSteps(stepEvaluatePlacement(subject.state, { pod, gates, filters, unknowns }), slices);
    const now = context.now.getTime();
    const preemption = await runSteps(stepPreempt(placement, { now }), slices);
    const { counts } = placement;
    return {
      basis,
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name,
      source,
      priority: pod.spec.priority ?? 0,
      preemptionPolicy: pod.spec.preemptionPolicy ?? null,
      added: added.map((addition) => ({ ...addition, value: addition.value ?? null })),
      scheduler: knownSchedulerResponse(profile, 'this pod'),
      outcome: preemption.outcome,
      why: whyOf(preemption, counts.feasible, unknowns),
      message: unscheduledMessage(placement, preemption).text ?? null,
      ...candidatesResponse(subject.state, preemption, mostCandidates, now),
    };
  }
}

function whyOf(preemption: Preemption, feasible: number, unknowns: readonly Reason[]): string {
  switch (preemption.outcome) {
    case 'nominated':
      return 'The pod fits on no node, but would fit on this one without the victims; it is nominated to the node and waits until the victims are gone.';
    case 'unschedulable':
    case 'error':
      return preemption.message;
    case 'unknown':
      return unknowns.length === 0
        ? 'Data that a filter reads is unknown and could change the result.'
        : `It is not known whether the pod is admitted, and as what. ${unknowns.map(({ plugin, message }) => `${plugin}: ${message}`).join('; ')}.`;
    case 'notTried':
      return feasible > 0
        ? `The pod fits on ${feasible} nodes, so no pod has to be preempted.`
        : 'The scheduler does not run preemption: the pod is gated, there are no nodes, or its scheduling attempt ends in an error.';
  }
}

type Candidates = Pick<
  PreemptionResponse,
  | 'nominatedNodeName'
  | 'victims'
  | 'tied'
  | 'decidedBy'
  | 'clearsNomination'
  | 'potentialNodes'
  | 'candidateCount'
  | 'candidates'
  | 'assumptions'
>;

function candidatesResponse(state: ClusterState, preemption: Preemption, most: number, now: number): Candidates {
  const { candidates, potentialNodes, assumes } = preemption;
  const nodeOf = ({ node }: PreemptionCandidate): string => state.nodes.name(node);
  const costs = new Map(candidates.map((candidate) => [candidate, candidateCosts(state.pods, candidate, now)]));
  const ranked = [...candidates].sort((a, b) => compareCosts(costs.get(a)!, costs.get(b)!) || a.node - b.node);
  const [first] = ranked;
  const next = ranked.find(
    (candidate) => first !== undefined && compareCosts(costs.get(first)!, costs.get(candidate)!) !== 0,
  );
  const nominated = preemption.outcome === 'nominated' ? preemption : undefined;
  return {
    nominatedNodeName: nominated === undefined ? null : nodeOf(nominated.chosen),
    victims: nominated === undefined ? [] : victimsOf(state, nominated.chosen),
    tied: nominated === undefined ? [] : nominated.tied.map(nodeOf),
    decidedBy:
      nominated === undefined || first === undefined || next === undefined
        ? null
        : CRITERIA[firstDifference(costs.get(first)!, costs.get(next)!)]!,
    clearsNomination: preemption.outcome === 'unschedulable' ? preemption.clearsNomination : null,
    potentialNodes: potentialNodes.length,
    candidateCount: candidates.length,
    candidates: ranked.slice(0, most).map((candidate) => {
      const { pdbViolations, highestPriority, prioritySum, earliestStart } = costs.get(candidate)!;
      return {
        node: nodeOf(candidate),
        victims: victimsOf(state, candidate),
        pdbViolations,
        highestPriority,
        prioritySum: String(prioritySum),
        earliestStart: earliestStart === now ? null : new Date(earliestStart).toISOString(),
      };
    }),
    assumptions: assumes.map(({ message }) => message),
  };
}

function victimsOf({ pods }: ClusterState, { victims }: PreemptionCandidate): PreemptionResponse['victims'] {
  return victims.map((pod) => ({
    namespace: pods.namespace(pod),
    name: pods.name(pod),
    priority: pods.priority(pod),
  }));
}

/** The criteria for comparing candidates, in order. */
const CRITERIA = [
  'fewer victims protected by a PodDisruptionBudget',
  'a lower maximum priority of the victims',
  "a lower sum of the victims' priorities, each counted from -2147483648",
  'fewer victims',
  'a later start time of the victims with the highest priority',
] as const;

const costList = (costs: CandidateCosts): readonly number[] => [
  costs.pdbViolations,
  costs.highestPriority,
  costs.prioritySum,
  costs.victims,
  -costs.earliestStart,
];

function firstDifference(a: CandidateCosts, b: CandidateCosts): number {
  const others = costList(b);
  return costList(a).findIndex((cost, place) => cost !== others[place]);
}

function compareCosts(a: CandidateCosts, b: CandidateCosts): number {
  const place = firstDifference(a, b);
  return place < 0 ? 0 : costList(a)[place]! - costList(b)[place]!;
}
