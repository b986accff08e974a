import { object, enumType } from '../schema.js';

const LONGEST_TEXT = 16 * 1024 * 1024;

export const INVALID = enumType('InvalidObjects', 'What an invalid object does to its snapshot.', ['refuse', 'keep']);

/** What a sender may say of a snapshot, over whichever transport. */
export const snapshotParameters = object(
  'SnapshotParameters',
  '',
  {
    createCluster: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Create the cluster with the snapshot if it is absent.',
    },
    capturedAt: {
      type: 'time',
      optional: true,
      description: 'When the state was so in the cluster; the time of receipt by default.',
    },
    backfill: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Store it as past state if it was captured before the head was. Without it that is refused.',
    },
    invalid: {
      type: INVALID,
      optional: true,
      defaultsTo: 'refuse',
      description: 'Whether one invalid object refuses the snapshot, or what can be decoded is kept and reported.',
    },
    allowRemovals: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description:
        'Let the snapshot remove any number of stored nodes and pods. Without it, one that removes more than a share of them (20 % ' +
        'by default) is refused.',
    },
    kinds: {
      type: 'string',
      list: true,
      optional: true,
      maximumLength: 100,
      description:
        'The kinds that it replaces: stored objects of these that it lacks are removed. By default the kinds that it contains; ' +
        'a kind that it does not contain is named here to say that the cluster has none of it.',
    },
    namespaces: {
      type: 'string',
      list: true,
      optional: true,
      description: 'The namespaces that it replaces; all by default.',
    },
    source: {
      type: 'string',
      optional: true,
      maximumLength: 1024,
      description: 'Where it comes from, in your own words.',
    },
  },
  { restOnly: true },
);

/** A snapshot in one piece, as GraphQL takes it. */
export const takeSnapshotInput = object(
  'TakeSnapshotInput',
  'For small snapshots; large ones are streamed over REST.',
  {
    ...snapshotParameters.members,
    cluster: { type: 'string', description: 'The cluster.' },
    manifests: {
      type: 'json',
      optional: true,
      description: 'Kubernetes objects: one, a List, or an array of either.',
    },
    text: {
      type: 'string',
      optional: true,
      maximumLength: LONGEST_TEXT,
      description: 'The same as text: JSON, YAML documents or NDJSON. Either this or `manifests`.',
    },
  },
);
