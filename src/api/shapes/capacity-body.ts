import { InputType } from '@nestjs/graphql';
import type { JsonObject } from '../../core/json/json-value.js';
import type { AdmissionMode, PlacementSubject } from '../../app/placements/placement-request.js';
import { defined } from '../../core/collections/defined.js';
import { ADMISSION } from './admission-mode.js';
import { GROUP_BY, WITH_TAINTS } from './capacity-shape.js';
import {
  POD_SUBJECT,
  subjectFaults,
  subjectOf,
  type PodReferenceBody,
  type WorkloadReferenceBody,
} from './pod-subject.js';
import { Given } from './property.js';
import { CONFIGURATION, TIME_BUDGET } from './queue-run-shape.js';

/** Which pod, and what is told of its capacity. */
@InputType('CapacityInput')
export class CapacityBody {
  static furtherFaults = subjectFaults;

  @Given(POD_SUBJECT.pod)
  pod?: JsonObject;

  @Given(POD_SUBJECT.workload)
  workload?: JsonObject;

  @Given({ ...POD_SUBJECT.podRef, description: 'A stored pod; it is not counted itself.' })
  podRef?: PodReferenceBody;

  @Given(POD_SUBJECT.workloadRef)
  workloadRef?: WorkloadReferenceBody;

  @Given(ADMISSION)
  admission?: AdmissionMode;

  @Given(GROUP_BY)
  groupBy?: string[];

  @Given(WITH_TAINTS)
  taints?: boolean;

  @Given(CONFIGURATION)
  configuration?: JsonObject;

  @Given(TIME_BUDGET)
  timeBudgetMs?: number;
}

export function capacityQuestionOf(
  body: CapacityBody,
): PlacementSubject & Pick<CapacityBody, 'groupBy' | 'taints' | 'timeBudgetMs' | 'configuration'> {
  const { groupBy, taints, timeBudgetMs, configuration } = body;
  return { ...subjectOf(body), ...defined({ groupBy, taints, timeBudgetMs, configuration }) };
}
