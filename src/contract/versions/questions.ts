import { READ_ERRORS, SETTING_ERRORS } from '../errors.js';
import { question } from '../question.js';
import { changedKubernetesVersion, DRY_RUN, kubernetesVersion, kubernetesVersionInput } from './kubernetes-version.js';

const PATH = 'clusters/{cluster}/kubernetes-version';
const HEADERS = { 'If-Match': 'Refuse with 412 unless the cluster is at this revision (`"7"`).' } as const;

export const readKubernetesVersion = question({
  id: 'kubernetesVersion.read',
  summary: 'Read the Kubernetes version of a cluster',
  description:
    'Returns what is known of the version of a cluster, by which rules its questions are answered, and the feature gates that these rules depend on. The rules are those of the declared version, else of the API server, else of the newest kubelet.',
  method: 'GET',
  path: PATH,
  permission: 'read',
  readsRevision: true,
  response: kubernetesVersion,
  statuses: { 200: 'The version.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' }, response: { declared: null } },
  graphql: {
    on: 'Cluster',
    name: 'kubernetesVersion',
    description: 'The Kubernetes version of the cluster, and its feature gates.',
  },
});

export const declareKubernetesVersion = question({
  id: 'kubernetesVersion.declare',
  summary: 'Declare the Kubernetes version of a cluster',
  description:
    'Declares the version or the feature gates of the control plane where they cannot be seen, or differ from the defaults. It replaces the former declaration and creates a revision of kind `settings`. A dry run requires only the permission `evaluate`, a declaration requires `change`.',
  method: 'PUT',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: DRY_RUN,
  body: { type: kubernetesVersionInput, description: 'The version, feature gates, or both.' },
  response: changedKubernetesVersion,
  statuses: { 200: 'The version from then on.' },
  errors: SETTING_ERRORS,
  examples: {
    parameters: { cluster: 'example', dryRun: true },
    body: { version: '1.34', featureGates: ['PodLevelResources=false'] },
    response: { dryRun: true },
  },
  graphql: {
    on: 'Mutation',
    name: 'declareKubernetesVersion',
    description: 'Declares the Kubernetes version and the feature gates of a cluster, or previews that.',
    input: { type: 'KubernetesVersionInput', description: 'The cluster, and its version, feature gates, or both.' },
  },
});

export const resetKubernetesVersion = question({
  id: 'kubernetesVersion.reset',
  summary: 'Reset the Kubernetes version of a cluster',
  description:
    'Removes the declaration: the version of the API server or of the nodes decides from then on, with every feature gate at its default. Creates a revision.',
  method: 'DELETE',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: DRY_RUN,
  response: changedKubernetesVersion,
  statuses: { 200: 'The version from then on.' },
  errors: SETTING_ERRORS,
  examples: {
    parameters: { cluster: 'example', dryRun: true },
    response: { declared: null, changed: false, dryRun: true },
  },
  graphql: {
    on: 'Mutation',
    name: 'resetKubernetesVersion',
    description: 'Removes the declared Kubernetes version of a cluster.',
    input: { type: 'ResetKubernetesVersionInput', description: 'The cluster.' },
  },
});
