import { object, enumType } from '../schema.js';
import { FIELD_VALIDATIONS } from '../../core/kubernetes/manifests/check-fields.js';
import { WORKLOAD_KINDS } from '../../core/kubernetes/pod-template.js';

export const WORKLOAD_KIND = enumType(
  'WorkloadKind',
  'A kind of workload, which creates pods from a template.',
  WORKLOAD_KINDS,
);

export const NAMESPACE = {
  type: 'string',
  optional: true,
  defaultsTo: 'default',
  description: 'Namespace of the pod or workload.',
  example: 'default',
} as const;

export const podReferenceInput = object(
  'PodReferenceInput',
  'Reference to a stored pod.',
  {
    namespace: NAMESPACE,
    name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
  },
  { openApiName: 'PodReference' },
);

export const workloadReferenceInput = object(
  'WorkloadReferenceInput',
  'Reference to a stored workload.',
  {
    kind: { type: WORKLOAD_KIND, description: 'Workload kind.', example: 'Deployment' },
    namespace: NAMESPACE,
    name: { type: 'identifier', description: 'Workload name.', example: 'web' },
  },
  { openApiName: 'WorkloadReference' },
);

export const featureGatesInput = object(
  'FeatureGatesInput',
  'Kubernetes feature gates.',
  {
    TaintTolerationComparisonOperators: {
      type: 'boolean',
      optional: true,
      description: 'Tolerations support the operators Lt and Gt; alpha in v1.36.',
      example: true,
    },
    DRADeviceTaintRules: {
      type: 'boolean',
      optional: true,
      description: 'DeviceTaintRules taint devices; beta in v1.36, off by default.',
      example: true,
    },
  },
  { openApiName: 'FeatureGates' },
);

export const FIELD_VALIDATION = {
  type: enumType(
    'FieldValidation',
    'What happens to manifests with fields that Kubernetes does not know, or that are there twice.',
    FIELD_VALIDATIONS,
  ),
  sharedAs: 'FieldValidationOfManifests',
  optional: true,
  defaultsTo: 'Warn',
  description: 'What happens to manifests with unknown or duplicate fields, as the API server has it.',
  example: 'Strict',
} as const;

/** Members that select a pod; exactly one of the first four is required. */
export const POD_SUBJECT = {
  pod: {
    type: 'kubernetesObject',
    sharedAs: 'PodManifest',
    manifest: true,
    optional: true,
    description:
      'Manifest of a Pod, or of a workload, whose pod template is used; it goes through admission first. Exactly one of `pod`, `workload`, `podRef` and `workloadRef` is required.',
    example: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [{ name: 'web' }] } },
  },
  workload: {
    type: 'kubernetesObject',
    sharedAs: 'WorkloadManifest',
    manifest: true,
    optional: true,
    description: `Manifest of a workload: ${WORKLOAD_KINDS.join(', ')}.`,
  },
  podRef: { type: podReferenceInput, optional: true, description: 'A stored pod, used as stored.' },
  workloadRef: {
    type: workloadReferenceInput,
    optional: true,
    description: 'A stored workload, whose pod template is used.',
  },
  featureGates: {
    type: featureGatesInput,
    optional: true,
    description:
      'Kubernetes feature gates for this question. Default: as declared for the cluster, or as its version has them.',
  },
  fieldValidation: FIELD_VALIDATION,
} as const;
