import { object, enumType } from '../schema.js';

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
      description: 'When the state was so in the cluster; the time of receipt unless told.',
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
    kinds: {
      type: 'string',
      list: true,
      optional: true,
      maximumLength: 100,
      description:
        'The kinds that it is complete for: objects of these that it lacks are gone. Unless told: the kinds that occur in ' +
        'it, and Node and Pod (Node only where no namespaces are named).',
    },
    namespaces: {
      type: 'string',
      list: true,
      optional: true,
      description: 'The namespaces that it is complete for; all unless told.',
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
