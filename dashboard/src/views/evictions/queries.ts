import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Moment } from '../../api/moment.js';
import { clusterKey } from '../../api/queries.js';
import { service, type Schemas } from '../../api/service.js';

export type ScheduledPod = Schemas['ScheduledPod'];
export type DrainedNode = Schemas['DrainedNode'];

const PAGE = 200;

/** Which pods NoExecute taints evict, and when: as things are, and with what is assumed. */
export const scheduleOf = (cluster: string, moment: Moment, body: Schemas['EvictionScheduleRequest'] | undefined) =>
  infiniteQueryOptions({
    queryKey: [...clusterKey(cluster), 'eviction-schedule', moment, body],
    enabled: body !== undefined,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      service.post('/api/v1/clusters/{cluster}/eviction-schedules', {
        path: { cluster },
        query: { ...moment },
        body: { ...body, view: 'pods', limit: PAGE, ...(pageParam !== undefined && { continue: pageParam }) },
        signal,
      }),
    getNextPageParam: (last) => last.continue ?? undefined,
  });

export const drainOf = (cluster: string, moment: Moment, body: Schemas['DrainRequest'] | undefined) =>
  infiniteQueryOptions({
    queryKey: [...clusterKey(cluster), 'drain', moment, body],
    enabled: body !== undefined,
    initialPageParam: undefined as { readonly next: string; readonly startsAt: string } | undefined,
    queryFn: ({ signal, pageParam }) =>
      service.post('/api/v1/clusters/{cluster}/drains', {
        path: { cluster },
        query: { ...moment, limit: PAGE, ...(pageParam !== undefined && { continue: pageParam.next }) },
        body: { ...body, ...(pageParam !== undefined && { asOf: pageParam.startsAt }) },
        signal,
      }),
    getNextPageParam: ({ continue: next, startsAt }) => (next === null || next === '' ? undefined : { next, startsAt }),
  });

export const budgetsOf = (cluster: string, moment: Moment) =>
  infiniteQueryOptions({
    queryKey: [...clusterKey(cluster), 'budgets', moment],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      service.get('/api/v1/clusters/{cluster}/disruption-budgets', {
        path: { cluster },
        query: { ...moment, limit: PAGE, ...(pageParam !== undefined && { continue: pageParam }) },
        signal,
      }),
    getNextPageParam: (last) => last.continue ?? undefined,
  });
