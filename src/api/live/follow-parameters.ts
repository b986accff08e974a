import type { ErrorDetail } from '../../app/errors/service-error.js';
import { faultOfAfter } from '../../app/live/follow-cluster.js';
import { followParameters } from '../../contract/clusters/follow-request.js';
import { crossFieldErrors, requestClass } from '../contract/object-classes.js';

crossFieldErrors(followParameters, ({ after }: { readonly after?: unknown }): readonly ErrorDetail[] => {
  const fault = typeof after === 'string' ? faultOfAfter(after, 'after') : undefined;
  return fault === undefined ? [] : [{ pointer: '/after', ...fault }];
});

/** The parameters of an event stream in both transports. */
export class FollowParameters extends requestClass(followParameters) {}
