import { enumType, object } from '../schema.js';

export const API_USER = enumType('ApiUser', 'How the service proves who it is to an API server.', [
  'token',
  'certificate',
  'serviceAccount',
]);

const SERVER = 'https://10.0.0.1:6443';

export const EXAMPLE_KUBECONFIG = {
  'current-context': 'prod',
  contexts: [{ name: 'prod', context: { cluster: 'prod', user: 'kube-placement' } }],
  clusters: [{ name: 'prod', cluster: { server: SERVER } }],
  users: [{ name: 'kube-placement', user: { token: 'eyJhbGciOi' } }],
};

export const connectionInput = object(
  'ConnectionInput',
  'How to reach the API server. Exactly one of `kubeconfig` and `inCluster` is required.',
  {
    kubeconfig: {
      type: 'json',
      optional: true,
      description:
        'A kubeconfig, as an object or as YAML. Only credentials that it contains itself are accepted: a token, or a client certificate with its key.',
      example: EXAMPLE_KUBECONFIG,
    },
    context: {
      type: 'identifier',
      optional: true,
      description: 'The context of the kubeconfig; by default its `current-context`.',
      example: 'prod',
    },
    inCluster: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Use the service account of the pod that this service runs in.',
      example: false,
    },
    dryRuns: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Let questions send dry runs (`confirm=dryRun`).',
      example: true,
    },
    writes: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Let the service write taint changes to the cluster (`apply`). Read only unless this is set.',
      example: true,
    },
    follow: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Follow the cluster: read it once, and then what changes. Snapshots of it need no longer be sent.',
      example: true,
    },
  },
  { openApiName: 'PutConnection' },
);

const FOLLOW_STATE = enumType('FollowState', 'How a kind of a followed cluster is doing.', [
  'listing',
  'watching',
  'denied',
  'notServed',
  'retrying',
]);

const followedKind = object('FollowedKind', 'How a kind of a followed cluster is doing.', {
  kind: { type: 'identifier', description: 'Kind.', example: 'Pod' },
  state: { type: FOLLOW_STATE, description: FOLLOW_STATE.description, example: 'watching' },
  since: { type: 'time', description: 'Since when.', example: '2026-05-04T03:02:01.000Z' },
  resourceVersion: {
    type: 'identifier',
    optional: true,
    description: 'Everything up to this version has come.',
    example: '48211',
  },
  lastSeenAt: {
    type: 'time',
    optional: true,
    description: 'When the last event or bookmark came. Where nothing changes, a bookmark comes about each minute.',
    example: '2026-05-04T03:02:01.000Z',
  },
  behindSeconds: {
    type: 'integer',
    optional: true,
    description: 'Seconds since `lastSeenAt`.',
    example: 12,
  },
  message: { type: 'string', optional: true, description: 'What is wrong; else null.', example: null },
  nextTry: {
    type: 'time',
    optional: true,
    description: 'When the API server is asked again; null while nothing is wrong.',
    example: null,
  },
  rule: {
    type: 'json',
    optional: true,
    description: 'With `denied`: the rule that a ClusterRole lacks; null if the credentials themselves were refused.',
    example: null,
  },
});

const followedCluster = object('FollowedCluster', 'How a cluster is followed.', {
  since: {
    type: 'time',
    optional: true,
    description: 'Since when a replica of the service follows it; null if none does yet.',
    example: '2026-05-04T03:02:01.000Z',
  },
  message: {
    type: 'string',
    optional: true,
    description: 'Why the cluster as a whole cannot be followed just now; else null.',
    example: null,
  },
  kinds: { type: followedKind, list: true, description: 'The kinds that it serves and that are kept.' },
  rules: {
    type: 'json',
    description: 'The rules of a ClusterRole with which all kinds can be read.',
    example: [{ apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['get', 'list', 'watch'] }],
  },
});

const connectionPermission = object('ConnectionPermission', 'A permission that the user needs in the cluster.', {
  verb: { type: 'identifier', description: 'Verb.', example: 'create' },
  group: { type: 'identifier', description: 'API group; empty for the core group.', example: '' },
  resource: { type: 'identifier', description: 'Resource.', example: 'pods' },
  allowed: { type: 'boolean', description: 'Whether the user has it.', example: true },
  rule: {
    type: 'json',
    optional: true,
    description: 'The rule that a ClusterRole lacks; null if it is allowed.',
    example: null,
  },
});

export const connection = object(
  'Connection',
  'How the service reaches the API server of a cluster. It has no credentials.',
  {
    server: { type: 'identifier', description: 'URL of the API server.', example: SERVER },
    context: { type: 'identifier', optional: true, description: 'Context of the kubeconfig.', example: 'prod' },
    user: { type: API_USER, description: API_USER.description, example: 'token' },
    dryRuns: { type: 'boolean', description: 'Whether questions may send dry runs.', example: true },
    writes: { type: 'boolean', description: 'Whether the service may write taint changes.', example: false },
    follow: { type: 'boolean', description: 'Whether the service follows the cluster.', example: true },
    createdAt: { type: 'time', description: 'When it was put.', example: '2026-05-04T03:02:01.000Z' },
    createdBy: { type: 'identifier', description: 'Who put it.', example: 'ada@example.com' },
    reachable: { type: 'boolean', description: 'Whether the API server answers just now.', example: true },
    version: { type: 'identifier', optional: true, description: 'Version of the API server.', example: 'v1.36.2' },
    message: { type: 'string', optional: true, description: 'Why it does not answer; else null.', example: null },
    permissions: {
      type: connectionPermission,
      list: true,
      description: 'What the user needs; empty if the API server does not answer.',
    },
    following: {
      type: followedCluster,
      optional: true,
      description: 'How the cluster is followed; null without `follow`.',
    },
  },
);

export const deletedConnection = object('DeletedConnection', 'The connection that was deleted.', {
  cluster: { type: 'identifier', description: 'The cluster.', example: 'example' },
  deleted: { type: 'boolean', description: 'False if there was none.', example: true },
});
