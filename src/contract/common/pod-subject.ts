import { object, enumType } from '../schema.js';
import { WORKLOAD_KINDS } from '../../core/admission/read-pod-manifest.js';

export const WORKLOAD_KIND = enumType('WorkloadKind', 'A kind that makes pods from a template.', WORKLOAD_KINDS);

export const NAMESPACE = {
  type: 'string',
  optional: true,
  defaultsTo: 'default',
  description: 'Its namespace.',
  example: 'default',
} as const;

export const podReferenceInput = object(
  'PodReferenceInput',
  'Names a stored pod.',
  {
    namespace: NAMESPACE,
    name: { type: 'string', description: 'Its name.', example: 'web-0' },
  },
  { openApiName: 'PodReference' },
);

export const workloadReferenceInput = object(
  'WorkloadReferenceInput',
  'Names a stored workload.',
  {
    kind: { type: WORKLOAD_KIND, description: 'Its kind.', example: 'Deployment' },
    namespace: NAMESPACE,
    name: { type: 'string', description: 'Its name.', example: 'web' },
  },
  { openApiName: 'WorkloadReference' },
);

export const featureGatesInput = object(
  'FeatureGatesInput',
  'Feature gates of Kubernetes.',
  {
    TaintTolerationComparisonOperators: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Tolerations know the operators Lt and Gt; alpha in v1.36, off by default.',
      example: true,
    },
  },
  { openApiName: 'FeatureGates' },
);

/** The members that say which pod a question is about: exactly one of the first four is given. */
export const POD_SUBJECT = {
  pod: {
    type: 'kubernetesObject',
    sharedAs: 'PodManifest',
    optional: true,
    description:
      'The manifest of a Pod, or of a workload, whose template is taken then; it passes through admission first. Exactly one of `pod`, `workload`, `podRef` and `workloadRef` is given.',
    example: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [{ name: 'web' }] } },
  },
  workload: {
    type: 'kubernetesObject',
    sharedAs: 'WorkloadManifest',
    optional: true,
    description: `The manifest of a workload: ${WORKLOAD_KINDS.join(', ')}.`,
  },
  podRef: { type: podReferenceInput, optional: true, description: 'A stored pod, as it is stored.' },
  workloadRef: {
    type: workloadReferenceInput,
    optional: true,
    description: 'A stored workload, whose template is taken.',
  },
  featureGates: {
    type: featureGatesInput,
    optional: true,
    description: "Kubernetes' feature gates, where they differ from v1.36's defaults.",
  },
} as const;
