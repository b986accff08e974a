import { object, enumType, json } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { type JsonObject } from '../../core/json/json-value.js';

export const SOURCE = enumType('SchedulerConfigurationSource', 'The kind of document that says it.', [
  'KubeSchedulerConfiguration',
  'Policy',
]);

export const STAGE = enumType(
  'SchedulerConfigurationStage',
  'Where a configuration is refused: while kube-scheduler decodes it, validates it, or builds its profiles.',
  ['decoding', 'validation', 'building'],
);

export const profileScore = object('ProfileScore', 'A score of a profile.', {
  plugin: { type: 'string', description: 'The plugin.', example: 'NodeResourcesFit' },
  weight: { type: 'int64', description: 'How much its scores of 0 to 100 count.', example: 5 },
});

export const profileExtensionPoint = object(
  'ProfileExtensionPoint',
  'The plugins of a profile at one extension point.',
  {
    point: { type: 'string', description: 'The point.', example: 'postFilter' },
    plugins: { type: 'string', list: true, description: 'In calling order.', example: ['DefaultPreemption'] },
  },
  { openApiName: 'ExtensionPoint' },
);

export const outOfTreePlugin = object(
  'OutOfTreePlugin',
  "A plugin that is not one of Kubernetes' own: what it says is not known.",
  {
    name: { type: 'string', description: 'Its name.', example: 'LoadAwareScheduling' },
    former: { type: 'boolean', description: 'Whether Kubernetes had it once.', example: false },
    points: { type: 'string', list: true, description: 'Where it is called.', example: ['filter', 'score'] },
  },
);

export const schedulerProfile = object('SchedulerProfile', 'How the pods of one scheduler name are placed.', {
  schedulerName: { type: 'string', description: 'The name that pods ask for.', example: 'default-scheduler' },
  filters: { type: 'string', list: true, description: 'The filters, in calling order.', example: ['TaintToleration'] },
  scores: { type: profileScore, list: true, description: 'The scores, in calling order.' },
  points: { type: profileExtensionPoint, list: true, description: 'The plugins of every extension point.' },
  arguments: {
    type: json<JsonObject>(),
    description: 'The arguments of every plugin that has some, by its name, after defaulting.',
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
    description: 'What kube-scheduler would look at; every node is looked at here.',
    example: null,
  },
});

export const schedulerConfigurationWarning = object(
  'SchedulerConfigurationWarning',
  'Something worth knowing of a configuration.',
  {
    code: { type: 'string', description: 'What it is, for programs.', example: 'PercentageOfNodesNotApplied' },
    message: {
      type: 'string',
      description: 'In a sentence.',
      example: 'percentageOfNodesToScore of 50 is not applied: every node is evaluated',
    },
    pointer: { type: 'string', description: 'The place, as a JSON pointer.', example: '/percentageOfNodesToScore' },
    plugin: { type: 'string', optional: true, description: 'The plugin that it is about.', example: null },
  },
  { openApiName: 'ConfigurationWarning' },
);

export const policyMapping = object('PolicyMapping', 'What became of one predicate or priority of a legacy Policy.', {
  kind: { type: 'string', description: '`predicate` or `priority`.', example: 'predicate' },
  name: { type: 'string', description: 'Its name.', example: 'PodFitsResources' },
  given: { type: 'boolean', description: 'False of one that stands there without being named.', example: true },
  plugins: {
    type: 'string',
    list: true,
    description: 'The plugins that Kubernetes 1.22 put in its place; none of a name that is unknown.',
    example: ['NodeResourcesFit'],
  },
  today: { type: 'string', list: true, description: 'Those that do it today.', example: ['NodeResourcesFit'] },
  weight: { type: 'int64', optional: true, description: 'Of a priority.', example: null },
});

export const readSchedulerConfiguration = object(
  'ReadSchedulerConfiguration',
  'What a configuration of a scheduler comes to.',
  {
    source: { type: SOURCE, description: 'The kind of document that says it.', example: 'KubeSchedulerConfiguration' },
    profiles: { type: schedulerProfile, list: true, description: 'The profiles.' },
    warnings: { type: schedulerConfigurationWarning, list: true, description: 'What is worth knowing.' },
    mapping: {
      type: policyMapping,
      list: true,
      description: 'Of a Policy: what became of each predicate and priority.',
      example: [],
    },
  },
);

export const schedulerConfiguration = object(
  'SchedulerConfiguration',
  'How the scheduler of a cluster is configured.',
  {
    ...readSchedulerConfiguration.members,
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    declared: {
      type: 'boolean',
      description: 'False where nobody has said anything: then it is that of a scheduler that was told nothing.',
      example: true,
    },
    document: { type: 'json', optional: true, description: 'The document as it was declared.', example: null },
  },
);

export const declaredSchedulerConfiguration = object(
  'DeclaredSchedulerConfiguration',
  'How the scheduler of a cluster is configured from now on.',
  {
    ...schedulerConfiguration.members,
    changed: { type: 'boolean', description: 'Whether it is another than before.', example: true },
    dryRun: { type: 'boolean', description: 'Whether nothing was stored.', example: false },
  },
);

export const schedulerConfigurationFault = object(
  'SchedulerConfigurationFault',
  'One thing that is wrong with a configuration.',
  {
    message: { type: 'string', description: "In Kubernetes' words.", example: 'unknown field "profiles[0].plugin"' },
    pointer: { type: 'string', description: 'The place, as a JSON pointer.', example: '/profiles/0/plugin' },
  },
  { openApiName: 'ConfigurationFault' },
);

export const schedulerPods = object('SchedulerPods', 'The pods of a cluster that ask for one scheduler.', {
  schedulerName: { type: 'string', description: 'The name that they ask for.', example: 'default-scheduler' },
  pods: { type: 'integer', description: 'How many they are, those that have ended left out.', example: 12 },
  pending: { type: 'integer', description: 'Those of them that are on no node.', example: 1 },
  scheduled: {
    type: 'boolean',
    optional: true,
    description: 'Whether a profile of the configuration schedules them; null where it is refused.',
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
  'What there is to say of a configuration of a scheduler.',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    accepted: { type: 'boolean', description: 'Whether kube-scheduler would start with it.', example: true },
    stage: { type: STAGE, optional: true, description: 'Where it is refused.', example: null },
    message: { type: 'string', optional: true, description: 'What kube-scheduler says as it ends.', example: null },
    faults: {
      type: schedulerConfigurationFault,
      list: true,
      description: 'Everything that is wrong with it.',
      example: [],
    },
    configuration: {
      type: readSchedulerConfiguration,
      optional: true,
      description: 'What it comes to; null where it is refused.',
      example: READ_EXAMPLE,
    },
    pods: { type: schedulerPods, list: true, description: 'The pods of the cluster by their scheduler.' },
  },
);
