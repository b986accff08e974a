import { object, enumType, json } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { type JsonObject } from '../../core/json/json-value.js';

export const SOURCE = enumType('SchedulerConfigurationSource', 'The kind of document that contains a configuration.', [
  'KubeSchedulerConfiguration',
  'Policy',
]);

export const STAGE = enumType(
  'SchedulerConfigurationStage',
  'The stage at which a configuration is refused: kube-scheduler decodes it, validates it, or builds its profiles.',
  ['decoding', 'validation', 'building'],
);

export const profileScore = object('ProfileScore', 'A score plugin of a profile.', {
  plugin: { type: 'identifier', description: 'The plugin.', example: 'NodeResourcesFit' },
  weight: { type: 'int64', description: 'Weight of its scores, which range from 0 to 100.', example: 5 },
});

export const profileExtensionPoint = object(
  'ProfileExtensionPoint',
  'The plugins of a profile at one extension point.',
  {
    point: { type: 'identifier', description: 'The extension point.', example: 'postFilter' },
    plugins: {
      type: 'identifier',
      list: true,
      description: 'The plugins, in calling order.',
      example: ['DefaultPreemption'],
    },
  },
  { openApiName: 'ExtensionPoint' },
);

export const outOfTreePlugin = object(
  'OutOfTreePlugin',
  'A plugin that is not part of Kubernetes; its decisions are unknown.',
  {
    name: { type: 'identifier', description: 'Plugin name.', example: 'LoadAwareScheduling' },
    former: { type: 'boolean', description: 'Whether it was part of Kubernetes in the past.', example: false },
    points: {
      type: 'identifier',
      list: true,
      description: 'Extension points where it is called.',
      example: ['filter', 'score'],
    },
  },
);

export const schedulerProfile = object('SchedulerProfile', 'The profile for pods with one scheduler name.', {
  schedulerName: {
    type: 'identifier',
    description: 'The scheduler name in `spec.schedulerName` of pods.',
    example: 'default-scheduler',
  },
  filters: {
    type: 'identifier',
    list: true,
    description: 'The filters, in calling order.',
    example: ['TaintToleration'],
  },
  scores: { type: profileScore, list: true, description: 'The scores, in calling order.' },
  points: { type: profileExtensionPoint, list: true, description: 'The plugins of every extension point.' },
  arguments: {
    type: json<JsonObject>({
      name: 'PluginArguments',
      description: 'Arguments of plugins by the name of the plugin.',
      schema: { type: 'object', additionalProperties: { type: 'object', additionalProperties: true } },
    }),
    description: 'Arguments by plugin name, after defaulting.',
    example: {
      InterPodAffinity: {
        apiVersion: 'kubescheduler.config.k8s.io/v1',
        kind: 'InterPodAffinityArgs',
        hardPodAffinityWeight: 1,
      },
    },
  },
  outOfTreePlugins: { type: outOfTreePlugin, list: true, description: 'Out-of-tree plugins.', example: [] },
  percentageOfNodesToScore: {
    type: 'integer',
    optional: true,
    description: 'The percentage that kube-scheduler would score; this service evaluates every node.',
    example: null,
  },
});

export const WARNING_CODE = enumType('ConfigurationWarningCode', 'Stable code of a warning about a configuration.', [
  'PercentageOfNodesNotApplied',
  'ExtenderNotModelled',
  'OutOfTreePlugin',
  'FormerPlugin',
  'WeightCountsAsOne',
  'NothingToDisable',
  'ArgumentsUnused',
  'PolicyRemoved',
  'UnknownPredicate',
  'UnknownPriority',
  'PluginReplaced',
  'NotModelled',
]);

export const schedulerConfigurationWarning = object(
  'SchedulerConfigurationWarning',
  'A warning about a configuration.',
  {
    code: { type: WARNING_CODE, description: WARNING_CODE.description, example: 'PercentageOfNodesNotApplied' },
    message: {
      type: 'string',
      description: 'The warning, in a sentence.',
      example: 'percentageOfNodesToScore of 50 is not applied: every node is evaluated',
    },
    pointer: {
      type: 'identifier',
      description: 'JSON pointer into the document.',
      example: '/percentageOfNodesToScore',
    },
    plugin: { type: 'identifier', optional: true, description: 'The plugin that the warning concerns.', example: null },
  },
  { openApiName: 'ConfigurationWarning' },
);

export const POLICY_PART = enumType('PolicyPart', 'A part of a legacy Policy.', ['predicate', 'priority']);

export const policyMapping = object('PolicyMapping', 'The plugins for one predicate or priority of a legacy Policy.', {
  kind: { type: POLICY_PART, description: '`predicate` or `priority`.', example: 'predicate' },
  name: { type: 'identifier', description: 'Name of the predicate or priority.', example: 'PodFitsResources' },
  given: {
    type: 'boolean',
    description: 'Whether the Policy names it; false if it applies without being named.',
    example: true,
  },
  plugins: {
    type: 'identifier',
    list: true,
    description: 'The plugins that replaced it in Kubernetes 1.22; none for an unknown name.',
    example: ['NodeResourcesFit'],
  },
  today: {
    type: 'identifier',
    list: true,
    description: 'The plugins that do the same today.',
    example: ['NodeResourcesFit'],
  },
  weight: { type: 'int64', optional: true, description: 'Weight of a priority; null for a predicate.', example: null },
});

export const readSchedulerConfiguration = object(
  'ReadSchedulerConfiguration',
  'The result of reading a scheduler configuration.',
  {
    source: { type: SOURCE, description: SOURCE.description, example: 'KubeSchedulerConfiguration' },
    profiles: { type: schedulerProfile, list: true, description: 'The profiles.' },
    warnings: { type: schedulerConfigurationWarning, list: true, description: 'Warnings about the configuration.' },
    mapping: {
      type: policyMapping,
      list: true,
      description: 'For a Policy: the plugins for each predicate and priority.',
      example: [],
    },
  },
);

export const schedulerConfiguration = object('SchedulerConfiguration', 'The scheduler configuration of a cluster.', {
  ...readSchedulerConfiguration.members,
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  declared: {
    type: 'boolean',
    description: 'Whether a configuration is declared; if false, the defaults of kube-scheduler apply.',
    example: true,
  },
  document: {
    type: 'kubernetesObject',
    optional: true,
    description: 'The declared document.',
    example: null,
  },
});

export const declaredSchedulerConfiguration = object(
  'DeclaredSchedulerConfiguration',
  'The new scheduler configuration of a cluster.',
  {
    ...schedulerConfiguration.members,
    changed: { type: 'boolean', description: 'Whether the configuration changed.', example: true },
    dryRun: { type: 'boolean', description: 'True for a dry run: nothing was stored.', example: false },
  },
);

export const schedulerConfigurationFault = object(
  'SchedulerConfigurationFault',
  'An error in a configuration.',
  {
    message: { type: 'string', description: 'The Kubernetes message.', example: 'unknown field "profiles[0].plugin"' },
    pointer: { type: 'identifier', description: 'JSON pointer into the document.', example: '/profiles/0/plugin' },
  },
  { openApiName: 'ConfigurationFault' },
);

export const schedulerPods = object('SchedulerPods', 'The pods of a cluster that request one scheduler.', {
  schedulerName: {
    type: 'identifier',
    description: 'The scheduler name that they request.',
    example: 'default-scheduler',
  },
  pods: { type: 'integer', description: 'Number of these pods, excluding terminated pods.', example: 12 },
  pending: { type: 'integer', description: 'Number of these pods without a node.', example: 1 },
  scheduled: {
    type: 'boolean',
    optional: true,
    description: 'Whether a profile of the configuration schedules them; null if the configuration is refused.',
    example: true,
  },
});

const READ_EXAMPLE = {
  source: 'KubeSchedulerConfiguration',
  profiles: [
    {
      schedulerName: 'default-scheduler',
      filters: ['NodeUnschedulable', 'NodeName', 'TaintToleration'],
      scores: [{ plugin: 'TaintToleration', weight: 3 }],
      points: [{ point: 'postFilter', plugins: ['DefaultPreemption'] }],
      arguments: {},
      outOfTreePlugins: [],
      percentageOfNodesToScore: null,
    },
  ],
  warnings: [],
  mapping: [],
};

export const schedulerConfigurationReview = object(
  'SchedulerConfigurationReview',
  'A review of a scheduler configuration.',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    accepted: { type: 'boolean', description: 'Whether kube-scheduler would start with it.', example: true },
    stage: {
      type: STAGE,
      optional: true,
      description: 'Stage at which it is refused; null if accepted.',
      example: null,
    },
    message: {
      type: 'string',
      optional: true,
      description: 'The message with which kube-scheduler exits; null if accepted.',
      example: null,
    },
    faults: {
      type: schedulerConfigurationFault,
      list: true,
      description: 'All errors in the configuration.',
      example: [],
    },
    configuration: {
      type: readSchedulerConfiguration,
      optional: true,
      description: 'The resulting configuration; null if it is refused.',
      example: READ_EXAMPLE,
    },
    pods: { type: schedulerPods, list: true, description: 'The pods of the cluster by scheduler name.' },
  },
);
