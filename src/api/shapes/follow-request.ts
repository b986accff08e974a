import { defined } from '../../core/collections/defined.js';
import { ArgsType } from '@nestjs/graphql';
import type { ClusterEventType } from '../../app/live/cluster-events.js';
import { faultOfAfter, type FollowRequest } from '../../app/live/follow-cluster.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { CLUSTER_EVENT_TYPE } from './cluster-event-shape.js';
import { Given } from './property.js';

/** From where on, and what of it, a stream of events is asked for. */
@ArgsType()
export abstract class FollowParameters {
  @Given({
    type: 'string',
    optional: true,
    maximumLength: 100,
    description:
      'Go on after the event of this id, or after the revision of this number (0: from the beginning); from now on unless told.',
    example: '7',
  })
  after?: string;

  @Given({
    type: CLUSTER_EVENT_TYPE,
    list: true,
    optional: true,
    maximumLength: 4,
    description: 'Only events of these types; all of them unless told.',
  })
  types?: ClusterEventType[];

  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: true,
    description: 'False ends the stream when all that happened until now has been told.',
  })
  follow?: boolean;

  static furtherFaults({ after }: { readonly after?: unknown }): readonly ErrorDetail[] {
    const fault = typeof after === 'string' ? faultOfAfter(after, 'after') : undefined;
    return fault === undefined ? [] : [{ pointer: '/after', ...fault }];
  }
}

export function followRequest(
  cluster: string,
  { after, types, follow }: FollowParameters,
  lastEventId = '',
): FollowRequest {
  const had = lastEventId === '' ? after : lastEventId;
  return {
    cluster,
    afterName: lastEventId === '' ? 'after' : 'Last-Event-ID',
    ...defined({ after: had, types, follow }),
  };
}
