import { object } from '../schema.js';
import { CLUSTER_EVENT_TYPE } from './cluster-event.js';

/** From where on, and what of it, a stream of events is asked for. */
export const followParameters = object(
  'FollowParameters',
  '',
  {
    after: {
      type: 'string',
      optional: true,
      maximumLength: 100,
      description:
        'Go on after the event of this id, or after the revision of this number (0: from the beginning); from now on by default.',
      example: '7',
    },
    types: {
      type: CLUSTER_EVENT_TYPE,
      list: true,
      optional: true,
      maximumLength: 4,
      description: 'Only events of these types; all of them by default.',
    },
    follow: {
      type: 'boolean',
      optional: true,
      defaultsTo: true,
      description: 'False ends the stream when all that happened until now has been told.',
    },
  },
  { restOnly: true },
);
