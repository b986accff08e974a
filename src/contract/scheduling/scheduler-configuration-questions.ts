import { READ_ERRORS, SETTING_ERRORS } from '../errors.js';
import { question } from '../question.js';
import { object } from '../schema.js';
import {
  declaredSchedulerConfiguration,
  schedulerConfiguration,
  schedulerConfigurationReview,
} from './scheduler-configuration.js';

const DESCRIPTION =
  'A KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1, a legacy Policy, or a ConfigMap that holds one of them; at most 1 MiB.';

/** The document as kube-scheduler reads it: the whole body of REST. */
const configurationFields = object(
  'SchedulerConfigurationFields',
  '',
  { configuration: { type: 'json', description: DESCRIPTION } },
  { restOnly: true },
);

const DOCUMENT = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  percentageOfNodesToScore: 50,
  profiles: [
    {
      schedulerName: 'default-scheduler',
      plugins: { score: { disabled: [{ name: 'NodeResourcesBalancedAllocation' }] } },
      pluginConfig: [
        {
          name: 'NodeResourcesFit',
          args: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] } },
        },
      ],
    },
  ],
};

const BODY = { type: configurationFields, whole: 'configuration', description: DESCRIPTION } as const;
const HEADERS = { 'If-Match': 'Refuse with 412 unless the cluster is at this revision (`"7"`).' } as const;
const PATH = 'clusters/{cluster}/scheduler-configuration';

const DRY_RUN = {
  dryRun: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Only say what it would be: nothing is stored.',
  },
} as const;

export const readSchedulerConfiguration = question({
  id: 'schedulerConfiguration.read',
  summary: 'Read how the scheduler is configured',
  description:
    'The profiles of the scheduler with their filters, scores and arguments: those of a kube-scheduler v1.36 that was told nothing, until it is declared. It is part of the stored state, so any revision has its own.',
  method: 'GET',
  path: PATH,
  permission: 'read',
  readsRevision: true,
  response: schedulerConfiguration,
  statuses: { 200: 'The configuration.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' }, response: { document: DOCUMENT } },
  graphql: {
    on: 'Cluster',
    name: 'schedulerConfiguration',
    description: 'How its scheduler is configured: as one that was told nothing, until it is declared.',
  },
});

export const declareSchedulerConfiguration = question({
  id: 'schedulerConfiguration.declare',
  summary: 'Declare how the scheduler is configured',
  description:
    'Takes the configuration that kube-scheduler is started with, or a legacy Policy (removed in Kubernetes 1.23), whose predicates and priorities are mapped to plugins. What is wrong with it is named at once, in the words of Kubernetes. It makes a revision of the kind `settings`. A dry run needs the right `evaluate` alone, a declaration needs `change`.',
  method: 'PUT',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: DRY_RUN,
  body: BODY,
  response: declaredSchedulerConfiguration,
  statuses: { 200: 'The configuration from now on.' },
  errors: SETTING_ERRORS,
  examples: {
    parameters: { cluster: 'example', dryRun: true },
    body: DOCUMENT,
    response: { document: DOCUMENT },
  },
  graphql: {
    on: 'Mutation',
    name: 'declareSchedulerConfiguration',
    description: 'Says how the scheduler of a cluster is configured, or what that would be.',
    input: { type: 'SchedulerConfigurationInput', description: 'The whole of it.' },
  },
});

export const resetSchedulerConfiguration = question({
  id: 'schedulerConfiguration.reset',
  summary: 'Take back how the scheduler is configured',
  description: 'From then on it is a scheduler that was told nothing, in a revision of its own.',
  method: 'DELETE',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: DRY_RUN,
  response: declaredSchedulerConfiguration,
  statuses: { 200: 'The configuration from now on.' },
  errors: SETTING_ERRORS,
  examples: {
    parameters: { cluster: 'example', dryRun: true },
    response: { declared: false, warnings: [] },
  },
  graphql: {
    on: 'Mutation',
    name: 'resetSchedulerConfiguration',
    description: 'Takes back what was declared of how the scheduler of a cluster is configured.',
    input: { type: 'ResetSchedulerConfigurationInput', description: 'Where.' },
  },
});

export const reviewSchedulerConfiguration = question({
  id: 'schedulerConfiguration.review',
  summary: 'Check the configuration of a scheduler',
  description:
    'Says whether kube-scheduler would start with it, everything that is wrong with it, what it comes to, and which pods of the cluster it would schedule. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/scheduler-configuration-reviews',
  permission: 'evaluate',
  readsRevision: true,
  body: BODY,
  response: schedulerConfigurationReview,
  statuses: { 200: 'What there is to say of it, also where it is refused.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' }, body: DOCUMENT },
  graphql: {
    on: 'Cluster',
    name: 'schedulerConfigurationReview',
    description: 'What there is to say of a configuration of a scheduler. Nothing is stored.',
  },
});
