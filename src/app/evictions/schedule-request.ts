import {
  DEFAULT_HORIZON,
  type evictionEventInput,
  type nodeLifecycleInput,
  type nodeOutageInput,
  type scheduledPodsInput,
} from '../../contract/evictions/eviction-schedule-request.js';
import type { scheduleEvictions } from '../../contract/evictions/questions.js';
import type { Request } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { without } from '../../core/collections/without.js';
import type { ListIdentity } from '../paging/page-token.js';
import { listInView } from '../paging/grouped-pages.js';
import type { RequestOf } from '../request-of.js';

/** Selects the pods to list; the counts cover all pods. */
export type ListedPodsFilter = Request<typeof scheduledPodsInput>;

/** An event after the state was captured, as in the request. */
export type GivenEvent = Omit<Request<typeof evictionEventInput>, 'at'> & { readonly at: Date };

/** A node outage as in the request, with exactly one of `nodes`, `labelSelector`, `zone` and `allNodes`. */
export type GivenOutage = Omit<Request<typeof nodeOutageInput>, 'how' | 'from' | 'until'> & {
  readonly how: 'silent' | 'notReady';
  readonly from?: Date;
  readonly until?: Date;
};

/** A request for an eviction schedule, with defaults filled in and times parsed. */
export interface ScheduleRequest extends Pick<
  RequestOf<typeof scheduleEvictions>,
  'cluster' | 'readAt' | 'nodes' | 'nodeSelector' | 'page' | 'view' | 'root'
> {
  readonly asOf?: Date;
  readonly pods: ListedPodsFilter;
  readonly events: readonly GivenEvent[];
  readonly outages: readonly GivenOutage[];
  readonly lifecycle: Request<typeof nodeLifecycleInput>;
  readonly controllerStartedAt?: Date;
  readonly horizonSeconds: number;
  readonly landing: boolean;
  readonly featureGates?: NonNullable<RequestOf<typeof scheduleEvictions>['featureGates']>;
}

export function scheduleRequestOf(request: RequestOf<typeof scheduleEvictions>): ScheduleRequest {
  const { cluster, readAt, page, view, root, nodes, nodeSelector, asOf, controllerStartedAt, featureGates } = request;
  return {
    cluster,
    readAt,
    ...(asOf !== undefined && { asOf: new Date(asOf) }),
    ...defined({ nodes, nodeSelector, featureGates }),
    pods: request.pods ?? {},
    events: (request.events ?? []).map(({ at, ...event }) => ({ ...event, at: new Date(at) })),
    outages: (request.outages ?? []).map(({ how, from, until, ...outage }) => ({
      ...outage,
      how: how ?? 'silent',
      ...(from !== undefined && { from: new Date(from) }),
      ...(until !== undefined && { until: new Date(until) }),
    })),
    lifecycle: request.lifecycle ?? {},
    ...(controllerStartedAt !== undefined && { controllerStartedAt: new Date(controllerStartedAt) }),
    horizonSeconds: request.horizonSeconds ?? DEFAULT_HORIZON,
    landing: request.landing ?? false,
    page,
    view,
    root,
  };
}

/** Events whose text is made in one step. */
const STEP = 512;

/** All parameters that pages of the same list share. */
export function* stepScheduleIdentity(
  request: ScheduleRequest,
  asOf: Date | undefined,
): Generator<undefined, ListIdentity> {
  const { cluster, readAt, events } = request;
  const others = without(request, 'cluster', 'readAt', 'asOf', 'page', 'view', 'root');
  let text = stringifyJson({ ...others, events: [] });
  for (let index = 0; index < events.length; index += STEP) {
    yield undefined;
    text += stringifyJson(events.slice(index, index + STEP));
  }
  const list = ['eviction-schedule', cluster, readAt.scenario?.hash, readAt.intents, asOf?.toISOString(), text];
  return listInView(list, request.view);
}
