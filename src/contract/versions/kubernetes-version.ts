import { answerBasis } from '../common/basis.js';
import { enumType, object } from '../schema.js';

const VERSION = {
  type: 'string',
  optional: true,
  maximumLength: 40,
  syntax: 'rulesVersion',
  description:
    'Kubernetes version whose rules apply: `1.31` to `1.36`, or a patch release. Default: that of the API server, or of the nodes.',
  example: '1.34',
} as const;

const FEATURE_GATES = {
  type: 'string',
  list: true,
  optional: true,
  maximumLength: 500,
  description:
    'Feature gates of the control plane that are not at their defaults, as in --feature-gates: `NAME=true` or `NAME=false`. AllAlpha and AllBeta stand for every gate of that stage.',
  example: ['PodLevelResources=false'],
} as const;

export const DRY_RUN = {
  dryRun: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Dry run: return the result without storing it.',
  },
} as const;

export const kubernetesVersionInput = object(
  'KubernetesVersionFields',
  'The version and the feature gates of a cluster.',
  { version: VERSION, featureGates: FEATURE_GATES },
  { openApiName: 'KubernetesVersionDeclaration' },
);

export const FEATURE_GATE_STAGE = enumType('FeatureGateStage', 'Stage of a feature gate in a version of Kubernetes.', [
  'Alpha',
  'Beta',
  'GA',
  'Deprecated',
]);

export const declaredKubernetesVersion = object('DeclaredKubernetesVersion', 'What was declared for a cluster.', {
  version: {
    type: 'identifier',
    optional: true,
    description: 'Version; null if only feature gates were declared.',
    example: '1.34',
  },
  featureGates: {
    type: 'identifier',
    list: true,
    description: 'Feature gates, as they were declared.',
    example: ['PodLevelResources=false'],
  },
});

export const featureGateState = object('FeatureGateState', 'A feature gate of the cluster.', {
  name: { type: 'identifier', description: 'Name of the gate.', example: 'PodLevelResources' },
  stage: {
    type: FEATURE_GATE_STAGE,
    optional: true,
    description: 'Its stage in this version; null if the version does not have the gate.',
    example: 'Beta',
  },
  enabled: { type: 'boolean', description: 'Whether it is enabled.', example: false },
  enabledByDefault: {
    type: 'boolean',
    description: 'Whether it is enabled by default in this version.',
    example: true,
  },
  evaluated: {
    type: 'boolean',
    description: 'Whether responses depend on its value. Of a gate that is not evaluated, the default applies.',
    example: true,
  },
  problem: {
    type: 'string',
    optional: true,
    description: 'Why the declared value does not apply; null if it does.',
    example: null,
  },
});

const KUBERNETES_VERSION = {
  declared: {
    type: declaredKubernetesVersion,
    optional: true,
    description: 'What was declared for the cluster; null if nothing was.',
    example: { version: null, featureGates: ['PodLevelResources=false'] },
  },
  apiServer: {
    type: 'identifier',
    optional: true,
    description: 'Version that the API server reported; null if it is not known.',
    example: 'v1.34.1',
  },
  nodes: {
    type: 'identifier',
    optional: true,
    description: 'Newest kubelet version of the nodes; null if they report none.',
    example: 'v1.34.1',
  },
  knownVersions: {
    type: 'identifier',
    list: true,
    description:
      'Releases whose rules are known, one of each minor version, oldest first: the versions that can be asked about and upgraded to.',
    example: ['v1.35.6', 'v1.36.2'],
  },
  featureGates: {
    type: featureGateState,
    list: true,
    description: 'The feature gates that responses depend on, and those that were declared, by name.',
  },
} as const;

export const kubernetesVersion = object(
  'KubernetesVersion',
  'The version of a cluster, and the rules that follow from it.',
  {
    basis: {
      type: answerBasis,
      description: 'The state that the response is based on, with the rules and why they apply.',
    },
    ...KUBERNETES_VERSION,
  },
);

export const changedKubernetesVersion = object(
  'ChangedKubernetesVersion',
  'The version of a cluster after a declaration.',
  {
    basis: {
      type: answerBasis,
      description: 'The revision with the declaration, with the rules that apply from then on.',
    },
    changed: { type: 'boolean', description: 'Whether the declaration differs from the former one.', example: true },
    dryRun: { type: 'boolean', description: 'Whether nothing was stored.', example: false },
    ...KUBERNETES_VERSION,
  },
);
