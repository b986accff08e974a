import { InputType } from '@nestjs/graphql';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { questionFaults, type AdmissionMode, type PlacementQuestion } from '../../app/placements/placement-request.js';
import { WORKLOAD_KINDS } from '../../core/admission/read-pod-manifest.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { defined } from '../../core/collections/defined.js';
import { Given } from './property.js';
import { wordsType } from './property-type.js';

const WORKLOAD_KIND = wordsType('WorkloadKind', 'A kind that makes pods from a template.', WORKLOAD_KINDS);

const NAMESPACE = {
  type: 'string',
  optional: true,
  defaultsTo: 'default',
  description: 'Its namespace.',
  example: 'default',
} as const;

@InputType('PodReferenceInput')
export class PodReferenceBody {
  @Given(NAMESPACE)
  namespace?: string;

  @Given({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;
}

@InputType('WorkloadReferenceInput')
export class WorkloadReferenceBody {
  @Given({ type: WORKLOAD_KIND, description: 'Its kind.', example: 'Deployment' })
  kind!: string;

  @Given(NAMESPACE)
  namespace?: string;

  @Given({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;
}

@InputType('FeatureGatesInput')
export class FeatureGatesBody {
  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Tolerations know the operators Lt and Gt; alpha in v1.36, off by default.',
    example: true,
  })
  TaintTolerationComparisonOperators?: boolean;
}

/** The members that say which pod a question is about: exactly one of the first four is given. */
export const POD_SUBJECT = {
  pod: {
    type: 'kubernetesObject',
    optional: true,
    description:
      'The manifest of a Pod, or of a workload, whose template is taken then; it passes through admission first. Exactly one of `pod`, `workload`, `podRef` and `workloadRef` is given.',
    example: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [{ name: 'web' }] } },
  },
  workload: {
    type: 'kubernetesObject',
    optional: true,
    description: `The manifest of a workload: ${WORKLOAD_KINDS.join(', ')}.`,
  },
  podRef: { type: () => PodReferenceBody, optional: true, description: 'A stored pod, as it is stored.' },
  workloadRef: {
    type: () => WorkloadReferenceBody,
    optional: true,
    description: 'A stored workload, whose template is taken.',
  },
  featureGates: {
    type: () => FeatureGatesBody,
    optional: true,
    description: "Kubernetes' feature gates, where they differ from v1.36's defaults.",
  },
} as const;

interface GivenSubject {
  readonly pod?: JsonObject;
  readonly workload?: JsonObject;
  readonly podRef?: PodReferenceBody;
  readonly workloadRef?: WorkloadReferenceBody;
  readonly featureGates?: FeatureGatesBody;
  readonly admission?: AdmissionMode;
}

/**
 * Whoever misspells a field learns at once what of the manifest is to be mended, too. Only what has its type is looked at: the rest
 * is named already.
 */
export function subjectFaults(
  { pod, workload, podRef, workloadRef }: GivenSubject,
  more: Pick<PlacementQuestion, 'rules'> = {},
): readonly ErrorDetail[] {
  const readable = Object.entries({ pod, workload, podRef, workloadRef }).filter(([, value]) => isObject(value));
  return questionFaults({ ...Object.fromEntries(readable), ...more });
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param query what the address says of admission, where the body says nothing */
export function subjectOf(body: GivenSubject, query: { readonly admission?: AdmissionMode } = {}): PlacementQuestion {
  const { pod, workload, podRef, workloadRef, featureGates, admission = query.admission } = body;
  return defined({ pod, workload, podRef, workloadRef, featureGates, admission });
}
