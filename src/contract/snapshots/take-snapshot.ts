import { object, enumType } from '../schema.js';

const MAX_TEXT_CHARACTERS = 16 * 1024 * 1024;

export const INVALID = enumType('InvalidObjects', 'How an invalid object affects its snapshot.', ['refuse', 'keep']);

/** Of the cluster that a snapshot or a delta comes from. */
export const API_SERVER_VERSION = {
  type: 'identifier',
  optional: true,
  maximumLength: 100,
  syntax: 'kubernetesVersion',
  description:
    'The version of the API server, as `kubectl version` prints it. It decides which rules apply; without it, the newest kubelet does.',
  example: 'v1.34.1',
} as const;

/** The parameters of a snapshot, for every transport. */
export const snapshotParameters = object(
  'SnapshotParameters',
  '',
  {
    createCluster: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Create the cluster if it does not exist.',
    },
    capturedAt: {
      type: 'time',
      optional: true,
      description: 'Capture time of the state. Default: the time of receipt.',
    },
    backfill: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Store a snapshot that was captured before the head as a past state. Otherwise it is refused.',
    },
    invalid: {
      type: INVALID,
      optional: true,
      defaultsTo: 'refuse',
      description: 'Whether an invalid object refuses the snapshot, or its readable part is kept and reported.',
    },
    allowRemovals: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description:
        'Let the snapshot remove any number of stored nodes and pods. Otherwise, a snapshot that removes more than a ' +
        'share of them (20 % by default) is refused.',
    },
    kinds: {
      type: 'identifier',
      list: true,
      optional: true,
      maximumLength: 100,
      description:
        'The kinds that the snapshot replaces: stored objects of these kinds that it lacks are removed. Default: the ' +
        'kinds that it contains. Name a kind that it does not contain to state that the cluster has none of it.',
    },
    namespaces: {
      type: 'identifier',
      list: true,
      optional: true,
      description: 'The namespaces that the snapshot replaces. Default: all.',
    },
    apiServerVersion: API_SERVER_VERSION,
    source: {
      type: 'string',
      optional: true,
      maximumLength: 1024,
      description: 'Source of the snapshot, in your own words.',
    },
  },
  { restOnly: true },
);

/** A snapshot as one value, for GraphQL. */
export const takeSnapshotInput = object('TakeSnapshotInput', 'For small snapshots. Use REST to stream large ones.', {
  ...snapshotParameters.members,
  cluster: { type: 'identifier', description: 'Cluster name.' },
  manifests: {
    type: 'json',
    optional: true,
    description: 'Kubernetes objects: one, a List, or an array of either.',
  },
  text: {
    type: 'string',
    optional: true,
    maximumLength: MAX_TEXT_CHARACTERS,
    description:
      'The objects as text: JSON, YAML documents or NDJSON. Exactly one of `text` and `manifests` is required.',
  },
});
