import { defined } from '../../core/collections/defined.js';
import { DEFAULT_HORIZON, evictionScheduleInput } from '../../contract/evictions/eviction-schedule-request.js';
import { requestClass, crossFieldErrors } from '../contract/object-classes.js';
import type { Request } from '../../contract/schema.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { scheduleFieldErrors } from '../../app/evictions/schedule-field-errors.js';
import type { ScheduleRequest } from '../../app/evictions/schedule-request.js';
import type { PageRequest } from '../../contract/page.js';
import type { ReadAt } from '../../app/reads/read-at.js';

export const EvictionScheduleInputBody = requestClass(evictionScheduleInput);
export type EvictionScheduleInputBody = Request<typeof evictionScheduleInput>;
crossFieldErrors(evictionScheduleInput, function (body: EvictionScheduleInputBody): readonly ErrorDetail[] {
  return scheduleFieldErrors(body, '');
});

/** @param root where the members stand: `input` among the arguments of GraphQL, nothing in a body of REST */
export function scheduleRequest(
  cluster: string,
  readAt: ReadAt,
  body: EvictionScheduleInputBody,
  { page, root }: { readonly page: PageRequest; readonly root: '' | 'input' },
): ScheduleRequest {
  const { nodes, nodeSelector, asOf, controllerStartedAt } = body;
  return {
    cluster,
    readAt,
    ...(asOf !== undefined && { asOf: new Date(asOf) }),
    ...defined({ nodes, nodeSelector }),
    pods: body.pods ?? {},
    events: (body.events ?? []).map(({ at, ...event }) => ({ ...event, at: new Date(at) })),
    outages: (body.outages ?? []).map(({ how, from, until, ...outage }) => ({
      ...outage,
      how: how ?? 'silent',
      ...(from !== undefined && { from: new Date(from) }),
      ...(until !== undefined && { until: new Date(until) }),
    })),
    lifecycle: body.lifecycle ?? {},
    ...(controllerStartedAt !== undefined && { controllerStartedAt: new Date(controllerStartedAt) }),
    horizonSeconds: body.horizonSeconds ?? DEFAULT_HORIZON,
    landing: body.landing ?? false,
    page,
    root,
  };
}
