import { GIVEN_LIMITED_RESOURCES, GIVEN_NODE_SELECTORS, GIVEN_TOLERATION_RESTRICTION } from '../common/given.js';
import { object } from '../schema.js';
import { toleration } from '../pods/pod.js';
import { answerBasis } from '../common/basis.js';

export const PLUGINS = { type: 'string', list: true, optional: true, maximumLength: 100 } as const;

export const SECONDS = { type: 'int64', optional: true, defaultsTo: 300 } as const;

export const admissionConfigurationFields = object(
  'AdmissionConfigurationFields',
  '',
  {
    plugins: {
      ...PLUGINS,
      description: 'Every plugin that is on. Give this, or `enablePlugins` and `disablePlugins`.',
      example: ['NamespaceLifecycle', 'LimitRanger', 'Priority', 'DefaultTolerationSeconds'],
    },
    enablePlugins: { ...PLUGINS, description: 'As --enable-admission-plugins.', example: ['PodTolerationRestriction'] },
    disablePlugins: { ...PLUGINS, description: 'As --disable-admission-plugins.', example: ['PodSecurity'] },
    defaultNotReadyTolerationSeconds: {
      ...SECONDS,
      description: 'As --default-not-ready-toleration-seconds.',
      example: 300,
    },
    defaultUnreachableTolerationSeconds: {
      ...SECONDS,
      description: 'As --default-unreachable-toleration-seconds.',
      example: 300,
    },
    podTolerationRestriction: {
      type: GIVEN_TOLERATION_RESTRICTION,
      optional: true,
      description:
        'The configuration of PodTolerationRestriction, for namespaces that do not say otherwise: lists of tolerations under `default` and `whitelist`.',
      example: { default: [{ key: 'team', operator: 'Exists' }] },
    },
    podNodeSelector: {
      type: GIVEN_NODE_SELECTORS,
      optional: true,
      description:
        'The configuration of PodNodeSelector: under `clusterDefaultNodeSelector` the selector of namespaces that have none, under the name of a namespace what its pods may select, each as `key=value,key=value`.',
      example: { clusterDefaultNodeSelector: 'pool=general' },
    },
    limitedResources: {
      type: GIVEN_LIMITED_RESOURCES,
      optional: true,
      description:
        'The `limitedResources` of ResourceQuota: what may be consumed only where a quota covers it. Those of pods count here.',
      example: [{ resource: 'pods', matchContains: ['requests.nvidia.com/gpu'] }],
    },
    document: {
      type: 'kubernetesObject',
      optional: true,
      description:
        'An AdmissionConfiguration of apiserver.config.k8s.io/v1, as --admission-control-config-file names it, with the configurations of plugins written out in it.',
      example: { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins: [] },
    },
    dryRun: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Only say what it would be: nothing is stored.',
    },
  },
  { openApiName: 'AdmissionConfiguration' },
);

export const admissionPlugin = object('AdmissionPlugin', 'A plugin of the API server.', {
  name: { type: 'string', description: 'Its name.', example: 'LimitRanger' },
  on: { type: 'boolean', description: 'Whether it is on in this cluster.', example: true },
  onByDefault: { type: 'boolean', description: 'Whether it is on where nobody says otherwise.', example: true },
  run: { type: 'boolean', description: 'Whether this service runs it, or only knows of it.', example: true },
  toPods: {
    type: 'string',
    optional: true,
    description: 'What one that is not run could do to a pod; null where it has nothing to do with pods.',
    example: null,
  },
});

export const tolerationRestriction = object(
  'TolerationRestriction',
  'The configuration of PodTolerationRestriction, for namespaces that do not say otherwise.',
  {
    default: { type: toleration, list: true, description: 'What every new pod is given.', example: [] },
    whitelist: {
      type: toleration,
      list: true,
      description: 'What pods may tolerate; everything where it is empty.',
      example: [],
    },
  },
);

export const limitedScope = object('LimitedScope', 'A scope of what is limited.', {
  scopeName: { type: 'string', description: 'Its name.', example: 'PriorityClass' },
  operator: { type: 'string', description: 'The operator.', example: 'In' },
  values: { type: 'string', list: true, description: 'The values.', example: ['high'] },
});

export const limitedResource = object('LimitedResource', 'What pods may consume only where a quota covers it.', {
  matchContains: {
    type: 'string',
    list: true,
    description: 'Parts of names of resources.',
    example: ['nvidia.com/gpu'],
  },
  matchScopes: { type: limitedScope, list: true, description: 'Scopes.', example: [] },
});

export const admissionConfiguration = object('AdmissionConfiguration', 'How the API server of a cluster admits pods.', {
  basis: { type: answerBasis, description: 'What the answer rests on.' },
  declared: { type: 'boolean', description: 'False where nobody has said anything: then it is stock.', example: false },
  plugins: {
    type: admissionPlugin,
    list: true,
    description: "The plugins that are run here, in the API server's order, and then the others.",
  },
  defaultNotReadyTolerationSeconds: {
    type: 'int64',
    description: 'How long a pod stays that does not say it, on a node that is not ready.',
    example: 300,
  },
  defaultUnreachableTolerationSeconds: {
    type: 'int64',
    description: 'The same for a node that does not answer.',
    example: 300,
  },
  podTolerationRestriction: {
    type: tolerationRestriction,
    description: 'The configuration of PodTolerationRestriction.',
  },
  podNodeSelector: { type: 'labels', description: 'The configuration of PodNodeSelector.', example: {} },
  limitedResources: { type: limitedResource, list: true, description: 'Of ResourceQuota.', example: [] },
});

export const declaredAdmissionConfiguration = object(
  'DeclaredAdmissionConfiguration',
  'How the API server of a cluster admits pods from now on.',
  {
    ...admissionConfiguration.members,
    changed: { type: 'boolean', description: 'Whether it is another than before.', example: true },
    dryRun: { type: 'boolean', description: 'Whether nothing was stored.', example: false },
  },
);
