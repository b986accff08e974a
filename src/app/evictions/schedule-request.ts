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
import { without } from '../../core/scenario/without.js';
import type { ListIdentity } from '../paging/page-token.js';
import type { RequestOf } from '../request-of.js';

/** Which pods of a schedule are listed; the counts are of all. */
export type ListedPodsFilter = Request<typeof scheduledPodsInput>;

/** Something that happens after the state was seen, as it was given. */
export type GivenEvent = Omit<Request<typeof evictionEventInput>, 'at'> & { readonly at: Date };

/** Nodes that fail, as it was given: exactly one of `nodes`, `labelSelector`, `zone` and `allNodes`. */
export type GivenOutage = Omit<Request<typeof nodeOutageInput>, 'how' | 'from' | 'until'> & {
  readonly how: 'silent' | 'notReady';
  readonly from?: Date;
  readonly until?: Date;
};

/** A question for the eviction schedule, with its defaults, and its texts of times read. */
export interface ScheduleRequest extends Pick<
  RequestOf<typeof scheduleEvictions>,
  'cluster' | 'readAt' | 'nodes' | 'nodeSelector' | 'page' | 'root'
> {
  readonly asOf?: Date;
  readonly pods: ListedPodsFilter;
  readonly events: readonly GivenEvent[];
  readonly outages: readonly GivenOutage[];
  readonly lifecycle: Request<typeof nodeLifecycleInput>;
  readonly controllerStartedAt?: Date;
  readonly horizonSeconds: number;
  readonly landing: boolean;
}

export function scheduleRequestOf(request: RequestOf<typeof scheduleEvictions>): ScheduleRequest {
  const { cluster, readAt, page, root, nodes, nodeSelector, asOf, controllerStartedAt } = request;
  return {
    cluster,
    readAt,
    ...(asOf !== undefined && { asOf: new Date(asOf) }),
    ...defined({ nodes, nodeSelector }),
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
    root,
  };
}

/** All that a page of the same list has to agree in. */
export function scheduleIdentity(request: ScheduleRequest, asOf: Date | undefined): ListIdentity {
  const { cluster, readAt } = request;
  const text = stringifyJson(without(request, 'cluster', 'readAt', 'asOf', 'page', 'root'));
  return ['eviction-schedule', cluster, readAt.scenario?.hash, readAt.intents, asOf?.toISOString(), text];
}
