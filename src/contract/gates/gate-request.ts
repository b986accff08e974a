import { MAX_GATE_TEXT, MAX_OBJECTS_IN_GATE } from '../limits.js';
import { CONFIRM_MEMBER } from '../common/dry-run.js';
import { FIELD_VALIDATION, POD_SUBJECT } from '../common/pod-subject.js';
import { object } from '../schema.js';
import { CONFIGURATION } from '../scheduling/queue-run.js';

/** Members of a gate that are query parameters if the body is the manifests themselves. */
export const GATE_OPTIONS = {
  namespace: {
    type: 'identifier',
    sharedAs: 'NamespaceOfManifests',
    optional: true,
    maximumLength: 63,
    description: 'Namespace of namespaced objects that name none, as `kubectl apply -n`. Default: `default`.',
    example: 'shop',
  },
  fieldValidation: {
    type: FIELD_VALIDATION.type,
    sharedAs: 'FieldValidationOfGate',
    optional: true,
    defaultsTo: 'Strict',
    description: 'Refuse unknown and duplicate fields, warn about them, or ignore them.',
    example: 'Strict',
  },
  record: {
    type: 'boolean',
    sharedAs: 'RecordDecision',
    optional: true,
    defaultsTo: true,
    description: 'Keep the answer as a decision.',
    example: true,
  },
  proposeChanges: {
    type: 'boolean',
    sharedAs: 'ProposeChanges',
    optional: true,
    defaultsTo: true,
    description: 'Look for the smallest set of changes that makes the verdict `yes`.',
    example: true,
  },
  confirm: CONFIRM_MEMBER,
} as const;

/** The manifests, and how they are judged. */
export const gateInput = object(
  'GateInput',
  'Manifests to deploy. Exactly one of `manifests` and `text` is required.',
  {
    manifests: {
      type: 'kubernetesObject',
      list: true,
      optional: true,
      maximumLength: MAX_OBJECTS_IN_GATE,
      description: 'The objects, in the order in which they are applied. A List counts as its items.',
      example: [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'web' },
          spec: { containers: [{ name: 'web', image: 'web' }] },
        },
      ],
    },
    text: {
      type: 'string',
      optional: true,
      maximumLength: MAX_GATE_TEXT,
      description: 'The objects as text: YAML of several documents, or JSON.',
    },
    ...GATE_OPTIONS,
    featureGates: POD_SUBJECT.featureGates,
    configuration: CONFIGURATION,
  },
  { openApiName: 'Gate' },
);

export const gateAcrossInput = object(
  'GateAcrossInput',
  'Manifests to deploy, and the clusters to ask. Exactly one of `manifests` and `text` is required.',
  {
    ...gateInput.members,
    clusterSelector: {
      type: 'string',
      optional: true,
      syntax: 'labelSelector',
      description: 'Label selector for clusters, in kubectl syntax. Default: all clusters.',
      example: 'env=prod',
    },
  },
  { openApiName: 'GateAcross' },
);
