import { InputType } from '@nestjs/graphql';
import { WORKLOAD_KINDS } from '../../core/admission/read-pod-manifest.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { questionFaults, type AdmissionMode, type PlacementSubject } from '../../app/placements/placement-request.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { ADMISSION } from './admission-mode.js';
import { GROUP_BY, WITH_TAINTS } from './capacity-shape.js';
import { PodReferenceBody, WorkloadReferenceBody } from './placement-body.js';
import { Given } from './property.js';
import { CONFIGURATION, TIME_BUDGET } from './queue-run-shape.js';

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Which pod, and what is told of its capacity. */
@InputType('CapacityInput')
export class CapacityBody {
  /** A caller with a misspelt field learns at once what of the manifest is to be mended, too. */
  static furtherFaults({ pod, workload, podRef, workloadRef }: CapacityBody): ErrorDetail[] {
    return [
      ...questionFaults({
        ...(isObject(pod) ? { pod } : {}),
        ...(isObject(workload) ? { workload } : {}),
        ...(isObject(podRef) ? { podRef } : {}),
        ...(isObject(workloadRef) ? { workloadRef } : {}),
      }),
    ];
  }

  @Given({
    type: 'kubernetesObject',
    optional: true,
    description:
      'The manifest of a Pod, or of a workload. Exactly one of `pod`, `workload`, `podRef` and `workloadRef` is given.',
    example: { metadata: { name: 'web' }, spec: { containers: [{ name: 'web' }] } },
  })
  pod?: JsonObject;

  @Given({
    type: 'kubernetesObject',
    optional: true,
    description: `The manifest of a workload: ${WORKLOAD_KINDS.join(', ')}.`,
  })
  workload?: JsonObject;

  @Given({ type: () => PodReferenceBody, optional: true, description: 'A stored pod; it is not counted itself.' })
  podRef?: PodReferenceBody;

  @Given({
    type: () => WorkloadReferenceBody,
    optional: true,
    description: 'A stored workload, whose template is meant.',
  })
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
  const { pod, workload, podRef, workloadRef, admission, groupBy, taints, timeBudgetMs, configuration } = body;
  return {
    ...(pod === undefined ? {} : { pod }),
    ...(workload === undefined ? {} : { workload }),
    ...(podRef === undefined ? {} : { podRef }),
    ...(workloadRef === undefined ? {} : { workloadRef }),
    ...(admission === undefined ? {} : { admission }),
    ...(groupBy === undefined ? {} : { groupBy }),
    ...(taints === undefined ? {} : { taints }),
    ...(configuration === undefined ? {} : { configuration }),
    ...(timeBudgetMs === undefined ? {} : { timeBudgetMs }),
  };
}
