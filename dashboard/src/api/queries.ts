import { infiniteQueryOptions, keepPreviousData, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import type { Moment } from './moment.js';
import { service, ServiceError, type Schemas } from './service.js';

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A token or a session that has ended: whoever is asked again, the page shows the login.
    onError: (error, { queryKey }) => {
      if (error instanceof ServiceError && error.status === 401 && queryKey[0] !== 'caller') {
        void queryClient.resetQueries({ queryKey: ['caller'] });
      }
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // The client does.
      retry: false,
      placeholderData: keepPreviousData,
    },
  },
});

/** The key of everything about a cluster: what follows it makes these stale. */
export const clusterKey = (cluster: string) => ['cluster', cluster] as const;

export const overviewOf = (cluster: string, moment: Moment) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'overview', moment],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/overview', {
        path: { cluster },
        query: { ...moment },
        signal,
      }),
  });

/** A revision that one can go to. */
export type StoredRevision = Pick<Schemas['Snapshot'], 'revision' | 'kind' | 'capturedAt'>;

/** The most that one answer, and so the slider, has. */
export const MOST_REVISIONS = 1000;

/** Revisions that are stored, the oldest first, and how many there are in all: retention may have removed others. */
export interface RevisionList {
  readonly items: readonly StoredRevision[];
  readonly total: number;
}

/** @param before the last revisions below this number; without it, the last ones */
export const revisionsOf = (cluster: string, before?: number) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'revisions', before],
    queryFn: async ({ signal }): Promise<RevisionList> => {
      const path = { cluster };
      const fields = ['revision', 'kind', 'capturedAt'];
      const query = { limit: MOST_REVISIONS, totalCount: true, fields, ...(before !== undefined && { before }) };
      const { items, totalCount } = await service.get('/api/v1/clusters/{cluster}/snapshots', { path, query, signal });
      return { items: items.toReversed(), total: totalCount ?? items.length };
    },
  });

/** The nodes by taints or by pool, with their names. */
export const nodeGroupsOf = (cluster: string, moment: Moment, by: 'taints' | 'pool') =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'node-groups', by, moment],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/node-groups', {
        path: { cluster },
        query: { by, ...moment },
        signal,
      }),
  });

/** What is odd, in groups, errors first. */
export const findingsOf = (cluster: string, moment: Moment) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'findings', moment],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/findings', {
        path: { cluster },
        query: { ...moment },
        signal,
      }),
  });

/** What differs between two revisions. @param from a number, or a time */
export const differenceOf = (cluster: string, from: number | string, to: number) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'difference', from, to],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/diff', {
        path: { cluster },
        query: { from: String(from), to: String(to) },
        signal,
      }),
  });

/** What happens to the pods that wait, and the single changes that would free the most. */
export const pendingOf = (cluster: string, moment: Moment) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'pending', moment],
    queryFn: ({ signal }) =>
      service.post('/api/v1/clusters/{cluster}/queue-runs', {
        path: { cluster },
        query: { ...moment },
        body: { unblocking: true },
        signal,
      }),
  });

/** What the fleet is narrowed to. */
export interface FleetFilter {
  readonly name?: string;
  readonly trouble?: Schemas['ClusterTrouble'];
}

const FLEET_PAGE = 500;
const FLEET_EVERY_MS = 15_000;
/** While there is more to count. */
const FLEET_SOON_MS = 1000;

/** The clusters, the most troubled first. What is kept comes at once; the service counts more while the page is open. */
export const fleetOf = (filter: FleetFilter) =>
  infiniteQueryOptions({
    queryKey: ['fleet', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, client, queryKey, pageParam }) =>
      service.get('/api/v1/fleet', {
        query: {
          ...filter,
          limit: FLEET_PAGE,
          ...(pageParam === undefined ? {} : { continue: pageParam }),
          ...((pageParam !== undefined || client.getQueryData(queryKey) === undefined) && { compute: 0 }),
        },
        signal,
      }),
    getNextPageParam: (last) => last.continue ?? undefined,
    refetchInterval: ({ state: { data } }) => {
      const sums = data?.pages[0]?.sums;
      return sums !== undefined && sums.uncounted + sums.outdated > 0 ? FLEET_SOON_MS : FLEET_EVERY_MS;
    },
  });
