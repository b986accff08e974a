import { PolicyWork } from '../../core/admission/policies/policy-work.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import type { ruleDifference } from '../../contract/placements/placement.js';
import type { PageRequest } from '../../contract/page.js';
import type { Response } from '../../contract/schema.js';
import { finish } from '../../core/collections/finish.js';
import { SUCCESS } from '../../core/placement/plugin.js';
import { ServiceError } from '../errors/service-error.js';
import { tracedSync } from '../../tracing/tracing.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { possibleDifferences } from '../reads/rule-differences-of.js';
import { ReadState, type StateReading } from '../reads/read-state.js';
import { stateUnderGates } from '../reads/state-under-gates.js';
import type { RequestContext } from '../request-context.js';
import { ServiceMetrics } from '../service-metrics.js';
import { EvaluatedPlacement } from './evaluated-placement.js';
import { EvaluatedPlacements } from './evaluated-placements.js';
import { placedSubject, type PlacedSubject } from './placed-subject.js';
import { readAtOfPage, type PlacementResponse } from './placement-pages.js';
import { placingProfile } from './placing-profile.js';
import { checkQuestion, questionHash, type PlacementQuestion } from './placement-request.js';

export type PlacementRequest = PlacementQuestion & {
  readonly cluster: string;
  readonly readAt: ReadAt;
  readonly view?: PlacementResponse;
};

type RuleDifference = Response<typeof ruleDifference>;

/** A pod placed in a cluster. Its groups and nodes are rendered page by page, on request. */
export interface PlacementResult {
  readonly basis: Basis;
  readonly evaluated: EvaluatedPlacement;
  /** How the rules of the cluster's version differ from those of this service, if that can affect the result. */
  readonly ruleDifferences: readonly RuleDifference[];
  /** Hash of the request, for page tokens and the log. */
  readonly hash: string;
  /** Whether the request names a scheduler. */
  readonly asksScheduler: boolean;
}

/** A checked request, and the state to evaluate it on. */
export interface AskedPlacement {
  readonly hash: string;
  readonly reading: StateReading;
}

interface EvaluationOptions {
  /** The evaluation, if it was made in slices. */
  readonly placed?: EvaluatedPlacement;
  /** Whether the answer will be cached, so that the evaluation need not be. */
  readonly isAnswerKept?: boolean;
}

/** Evaluates where a pod can be scheduled, and why not elsewhere. */
export class EvaluatePlacement {
  constructor(
    private readonly readState: ReadState,
    private readonly known: EvaluatedPlacements,
    private readonly metrics: Pick<ServiceMetrics, 'observeEvaluation'>,
  ) {}

  /**
   * @param page the requested page: its token pins the revision that the list is based on
   * @throws {ServiceError} as `ReadState` does; `invalid-object` (422) with every invalid field of the manifest;
   *   `admission-refused`; `object-not-found` for a reference to a missing object; `invalid-request`
   */
  async run(request: PlacementRequest, context: RequestContext, page?: PageRequest): Promise<PlacementResult> {
    const { hash, reading } = await this.read(request, context, page);
    return this.evaluateInSlices(request, reading, new TimeSlices({ asker: context }), hash);
  }

  /** Checks a request, and reads the state to evaluate it on. @throws {ServiceError} as `run` */
  async read(request: PlacementRequest, context: RequestContext, page?: PageRequest): Promise<AskedPlacement> {
    checkQuestion(request);
    const hash = questionHash(request);
    const readAt = page === undefined ? request.readAt : readAtOfPage(request, hash, page);
    return { hash, reading: await this.readState.run(request.cluster, readAt, context) };
  }

  /** As `evaluate`, with pauses after admission, and between expressions of admission policies that cost much. @throws {ServiceError} `cancelled`, and as `evaluate` */
  async evaluateInSlices(
    question: PlacementQuestion,
    reading: StateReading,
    slices: TimeSlices,
    hash = questionHash(question),
    isAnswerKept = false,
  ): Promise<PlacementResult> {
    const state = stateUnderGates(reading.state, question.featureGates);
    if (this.known.has(state, hash)) return this.evaluate(question, reading, hash);
    const field = checkQuestion(question);
    const gates = gatesOf(state.rules);
    let subject: PlacedSubject;
    if (POLICY_KINDS.every((kind) => state.count(kind) === 0)) {
      subject = placedSubject(question, field, state, gates);
    } else {
      const work = new PolicyWork();
      subject = await runSteps(
        work.steps(() => placedSubject(question, field, state, gates, work)),
        slices,
      );
    }
    if (slices.due()) await slices.pause();
    const placed = await slices.run(this.stepPlaced(question, subject), 'evaluate placement');
    if (slices.due()) await slices.pause();
    return this.evaluate(question, reading, hash, { placed, isAnswerKept });
  }

  /** Evaluates a request on a loaded state. @throws {ServiceError} as `run` */
  evaluate(
    question: PlacementQuestion,
    { basis, state: stored }: StateReading,
    hash = questionHash(question),
    { placed, isAnswerKept = false }: EvaluationOptions = {},
  ): PlacementResult {
    const state = stateUnderGates(stored, question.featureGates);
    const make = (): EvaluatedPlacement =>
      tracedSync('evaluate placement', () => {
        const subject = placedSubject(question, checkQuestion(question), state, gatesOf(state.rules));
        return finish(this.stepPlaced(question, subject));
      });
    const evaluated = this.known.get(state, hash, placed === undefined ? make : () => placed, isAnswerKept);
    return {
      basis,
      evaluated,
      ruleDifferences: differences(evaluated, basis.kubernetesVersion),
      hash,
      asksScheduler: question.scheduler !== undefined,
    };
  }

  /** With pauses, which do not count in the metrics. @throws {ServiceError} `budget-exceeded` */
  private *stepPlaced(
    { filters, scheduler }: PlacementQuestion,
    subject: PlacedSubject,
  ): Generator<undefined, EvaluatedPlacement> {
    let started = performance.now();
    let ms = 0;
    checkCost(subject);
    const profile = placingProfile(subject.state, subject.pod, scheduler, gatesOf(subject.state.rules));
    const steps = EvaluatedPlacement.stepOf(subject, profile, filters);
    for (;;) {
      const step = steps.next();
      ms += performance.now() - started;
      if (step.done === true) {
        this.metrics.observeEvaluation('placement', ms / 1000);
        return step.value;
      }
      yield;
      started = performance.now();
    }
  }
}

/** Kinds whose expressions may take long. */
const POLICY_KINDS = [
  'ValidatingAdmissionPolicy',
  'MutatingAdmissionPolicy',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
] as const;

/**
 * Maximum product of node requirements and nodes for one evaluation: about 0.5 s of work that cannot be interrupted.
 */
const MAX_LOOKS = 10_000_000;
/** This many requirements are always evaluated. */
const FEW_REQUIREMENTS = 200;

/** @throws {ServiceError} `budget-exceeded` for a pod with too many node requirements */
function checkCost({ pod, state }: PlacedSubject): void {
  const { nodeSelector = {}, affinity } = pod.spec;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const ofTerms = terms.map(
    ({ matchExpressions = [], matchFields = [] }) => 1 + matchExpressions.length + matchFields.length,
  );
  const requirements = ofTerms.reduce((sum, count) => sum + count, Object.keys(nodeSelector).length);
  const nodes = state.nodes.count;
  const most = Math.max(FEW_REQUIREMENTS, Math.floor(MAX_LOOKS / Math.max(1, nodes)));
  if (requirements <= most) return;
  throw new ServiceError(
    'budget-exceeded',
    `The pod has ${requirements} requirements and terms of node selector and node affinity; on ${nodes} nodes at most ${most} are evaluated.`,
  );
}

function differences({ placement }: EvaluatedPlacement, kubernetesVersion: string | null): readonly RuleDifference[] {
  const found = possibleDifferences(placement.state, kubernetesVersion);
  if (found.length === 0) return [];
  const taints = placement.plugins.find(({ name }) => name === 'TaintToleration')?.statuses;
  const question = {
    pod: placement.input.pod,
    untoleratedTaints: taints?.some((status) => status !== SUCCESS) ?? false,
  };
  return found
    .filter((difference) => difference.touches(question))
    .map(({ code, since, message }) => ({ code, since, message }));
}
