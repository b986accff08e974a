import { object } from '../schema.js';
import { CLUSTER_EVENT_TYPE } from './cluster-event.js';

/** The start and the contents of a stream of events. */
export const followParameters = object(
  'FollowParameters',
  '',
  {
    after: {
      type: 'identifier',
      optional: true,
      maximumLength: 100,
      description:
        'Resume after the event with this id, or after this revision (0: from the beginning). Default: only new events.',
      example: '7',
    },
    types: {
      type: CLUSTER_EVENT_TYPE,
      list: true,
      optional: true,
      maximumLength: 5,
      description: 'Only events of these types. Default: all types.',
    },
    follow: {
      type: 'boolean',
      optional: true,
      defaultsTo: true,
      description: 'If false, the stream ends after all past events.',
    },
  },
  { restOnly: true },
);
