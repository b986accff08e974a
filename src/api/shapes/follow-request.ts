import { defined } from '../../core/collections/defined.js';
import { followParameters } from '../../contract/clusters/follow-request.js';
import { requestClass, crossFieldErrors } from '../contract/object-classes.js';
import type { Request } from '../../contract/schema.js';
import { faultOfAfter, type FollowRequest } from '../../app/live/follow-cluster.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';

export const FollowParameters = requestClass(followParameters);
export type FollowParameters = Request<typeof followParameters>;
crossFieldErrors(followParameters, function ({ after }: { readonly after?: unknown }): readonly ErrorDetail[] {
  const fault = typeof after === 'string' ? faultOfAfter(after, 'after') : undefined;
  return fault === undefined ? [] : [{ pointer: '/after', ...fault }];
});

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
