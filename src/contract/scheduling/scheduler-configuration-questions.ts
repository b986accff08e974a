import { READ_ERRORS, SETTING_ERRORS } from '../errors.js';
import { question } from '../question.js';
import { object } from '../schema.js';
import {
  declaredSchedulerConfiguration,
  schedulerConfiguration,
  schedulerConfigurationReview,
} from './scheduler-configuration.js';

const DESCRIPTION =
  'A KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1, a legacy Policy, or a ConfigMap that contains one of them; at most 1 MiB.';

/** The document as kube-scheduler reads it, which is the whole REST body. */
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
    description: 'Dry run: return the resulting configuration without storing it.',
  },
} as const;

export const readSchedulerConfiguration = question({
  id: 'schedulerConfiguration.read',
  summary: 'Read the scheduler configuration',
  description:
    'The profiles of the scheduler with their filters, scores and arguments. Until a configuration is declared, they are the defaults of kube-scheduler v1.36. The configuration is part of the stored state, so each revision has one.',
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
    description: 'The scheduler configuration; until one is declared, the defaults of kube-scheduler.',
  },
});

export const declareSchedulerConfiguration = question({
  id: 'schedulerConfiguration.declare',
  summary: 'Declare the scheduler configuration',
  description:
    'Takes the configuration that kube-scheduler is started with, or a legacy Policy (removed in Kubernetes 1.23), whose predicates and priorities are mapped to plugins. All errors are reported together, with the messages of Kubernetes. Creates a revision of kind `settings`. A dry run requires only the permission `evaluate`, a declaration requires `change`.',
  method: 'PUT',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: DRY_RUN,
  body: BODY,
  response: declaredSchedulerConfiguration,
  statuses: { 200: 'The new configuration.' },
  errors: SETTING_ERRORS,
  examples: {
    parameters: { cluster: 'example', dryRun: true },
    body: DOCUMENT,
    response: { document: DOCUMENT },
  },
  graphql: {
    on: 'Mutation',
    name: 'declareSchedulerConfiguration',
    description: 'Declares the scheduler configuration of a cluster, or previews it.',
    input: { type: 'SchedulerConfigurationInput', description: 'The cluster and the complete configuration.' },
  },
});

export const resetSchedulerConfiguration = question({
  id: 'schedulerConfiguration.reset',
  summary: 'Reset the scheduler configuration',
  description:
    'Removes the declared configuration: the defaults of kube-scheduler apply from then on. Creates a revision.',
  method: 'DELETE',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: DRY_RUN,
  response: declaredSchedulerConfiguration,
  statuses: { 200: 'The new configuration.' },
  errors: SETTING_ERRORS,
  examples: {
    parameters: { cluster: 'example', dryRun: true },
    response: { declared: false, warnings: [] },
  },
  graphql: {
    on: 'Mutation',
    name: 'resetSchedulerConfiguration',
    description: 'Removes the declared scheduler configuration of a cluster.',
    input: { type: 'ResetSchedulerConfigurationInput', description: 'The cluster.' },
  },
});

export const reviewSchedulerConfiguration = question({
  id: 'schedulerConfiguration.review',
  summary: 'Check a scheduler configuration',
  description:
    'Reports whether kube-scheduler would start with the configuration, all of its errors, the resulting profiles, and which pods of the cluster it would schedule. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/scheduler-configuration-reviews',
  permission: 'evaluate',
  readsRevision: true,
  body: BODY,
  response: schedulerConfigurationReview,
  statuses: { 200: 'The review, even if the configuration is refused.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' }, body: DOCUMENT },
  graphql: {
    on: 'Cluster',
    name: 'schedulerConfigurationReview',
    description: 'A review of a scheduler configuration. Nothing is stored.',
  },
});
