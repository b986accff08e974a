import { InputType, ObjectType } from '@nestjs/graphql';
import type { AdmissionMode, PlacementQuestion } from '../../app/placements/placement-request.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { ADMISSION } from './admission-mode.js';
import { BasisShape } from './basis-shape.js';
import { AdditionShape } from './placement-shape.js';
import type { Plain } from './plain.js';
import {
  POD_SUBJECT,
  subjectFaults,
  subjectOf,
  type FeatureGatesBody,
  type PodReferenceBody,
  type WorkloadReferenceBody,
} from './pod-subject.js';
import { PlacingSchedulerShape, SCHEDULER } from './ranking-shape.js';
import { wordsType } from './property-type.js';
import { Given, Shown } from './property.js';

const MOST_CANDIDATES = 500;
const FEW_CANDIDATES = 10;

/** Which pod. */
@InputType('PreemptionInput')
export class PreemptionQuestionBody {
  static furtherFaults = subjectFaults;

  @Given(POD_SUBJECT.pod)
  pod?: JsonObject;

  @Given(POD_SUBJECT.workload)
  workload?: JsonObject;

  @Given({ ...POD_SUBJECT.podRef, description: 'A stored pod, as if it were on no node.' })
  podRef?: PodReferenceBody;

  @Given(POD_SUBJECT.workloadRef)
  workloadRef?: WorkloadReferenceBody;

  @Given(POD_SUBJECT.featureGates)
  featureGates?: FeatureGatesBody;

  @Given(ADMISSION)
  admission?: AdmissionMode;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: MOST_CANDIDATES,
    defaultsTo: FEW_CANDIDATES,
    description: 'How many candidates are told, the best first.',
    example: FEW_CANDIDATES,
  })
  mostCandidates?: number;
}

/** @param query what the address says of admission, where the body says nothing */
export function preemptionQuestionOf(
  body: PreemptionQuestionBody,
  query: { readonly admission?: AdmissionMode } = {},
): PlacementQuestion & { readonly mostCandidates: number } {
  return { ...subjectOf(body, query), mostCandidates: body.mostCandidates ?? FEW_CANDIDATES };
}

const OUTCOME = wordsType('PreemptionOutcome', 'What preemption comes to for a pod that fits nowhere.', [
  'nominated',
  'unschedulable',
  'error',
  'unknown',
  'notTried',
]);
const SOURCE = wordsType('PreemptionSource', 'Where the pod came from.', ['manifest', 'template', 'stored']);

@ObjectType('PreemptionVictim', { description: 'A pod that would have to go.' })
export class PreemptionVictimShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'batch' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'worker-1' })
  name!: string;

  @Shown({ type: 'integer', description: 'Its priority.', example: 0 })
  priority!: number;
}

@ObjectType('PreemptionCandidate', { description: 'A node where the pod would fit if some pods went.' })
export class PreemptionCandidateShape {
  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: () => PreemptionVictimShape, list: true, description: 'Who would go, the most important first.' })
  victims!: readonly Plain<PreemptionVictimShape>[];

  @Shown({ type: 'integer', description: 'Victims that a PodDisruptionBudget protects.', example: 0 })
  pdbViolations!: number;

  @Shown({ type: 'integer', description: 'The priority of the most important victim.', example: 0 })
  highestPriority!: number;

  @Shown({
    type: 'string',
    description: 'The sum of their priorities, each counted from -2147483648.',
    example: '2147483648',
  })
  prioritySum!: string;

  @Shown({
    type: 'string',
    optional: true,
    description: 'When the most important victims started, the earliest of them; null for now.',
    example: '2026-06-26T10:14:15.000Z',
  })
  earliestStart!: string | null;
}

@ObjectType('Preemption', {
  description: 'Whom the scheduler would take away for a pod that fits nowhere, and from which node.',
})
export class PreemptionShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'string', description: "The pod's namespace.", example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: "The pod's name.", example: 'web' })
  name!: string;

  @Shown({ type: SOURCE, description: 'Where the pod came from.', example: 'manifest' })
  source!: 'manifest' | 'template' | 'stored';

  @Shown({ type: 'integer', description: 'Its priority: pods of a lower one can be preempted.', example: 1000 })
  priority!: number;

  @Shown({ type: 'string', optional: true, description: 'Its preemptionPolicy.', example: 'PreemptLowerPriority' })
  preemptionPolicy!: string | null;

  @Shown({ type: () => AdditionShape, list: true, description: 'What was added to what was sent.' })
  added!: readonly Plain<AdditionShape>[];

  @Shown(SCHEDULER)
  scheduler!: Plain<PlacingSchedulerShape> | null;

  @Shown({ type: OUTCOME, description: 'What preemption comes to.', example: 'nominated' })
  outcome!: 'nominated' | 'unschedulable' | 'error' | 'unknown' | 'notTried';

  @Shown({ type: 'string', description: 'Why.' })
  why!: string;

  @Shown({
    type: 'string',
    optional: true,
    description:
      "What Kubernetes writes into the pod's condition and event, complete and to the letter; null where the pod fits, or what is not known could change it.",
  })
  message!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The node that the pod is nominated to.', example: 'node-1' })
  nominatedNodeName!: string | null;

  @Shown({ type: () => PreemptionVictimShape, list: true, description: 'Who goes, the most important first.' })
  victims!: readonly Plain<PreemptionVictimShape>[];

  @Shown({
    type: 'string',
    list: true,
    description: 'The nodes that are as good as the chosen one, itself included: upstream takes any of them.',
    example: ['node-1'],
  })
  tied!: readonly string[];

  @Shown({
    type: 'string',
    optional: true,
    description: 'What makes the chosen node better than the next best; null where there is none.',
    example: 'fewer victims',
  })
  decidedBy!: string | null;

  @Shown({
    type: 'boolean',
    optional: true,
    description: 'Where it comes to nothing: whether an existing nomination is cleared. Null elsewhere.',
    example: null,
  })
  clearsNomination!: boolean | null;

  @Shown({ type: 'integer', description: 'Nodes where it was tried: those where removing pods may help.', example: 3 })
  potentialNodes!: number;

  @Shown({ type: 'integer', description: 'Nodes where it would help.', example: 2 })
  candidateCount!: number;

  @Shown({ type: () => PreemptionCandidateShape, list: true, description: 'The best of them, the best first.' })
  candidates!: readonly Plain<PreemptionCandidateShape>[];

  @Shown({ type: 'string', list: true, description: 'What was taken for given, as a kind was never loaded.' })
  assumptions!: readonly string[];
}
