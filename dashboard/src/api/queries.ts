import { keepPreviousData, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import type { Moment } from './moment.js';
import { ask, service, ServiceError } from './service.js';

const MOST_RETRIES = 3;

/** Questions are asked again after what may pass: a service that is gone, or overloaded. */
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
      retry: (failures, error) =>
        failures < MOST_RETRIES && error instanceof ServiceError && (error.status === 0 || error.status >= 500),
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
      ask(
        service.GET('/api/v1/clusters/{cluster}/overview', {
          params: { path: { cluster }, query: { ...moment } },
          signal,
        }),
      ),
  });

/** The oldest and the newest revision that a cluster has. */
export const revisionsOf = (cluster: string) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'revisions'],
    queryFn: async ({ signal }) => {
      const path = { cluster };
      const { items } = await ask(
        service.GET('/api/v1/clusters/{cluster}/snapshots', { params: { path, query: { limit: 1 } }, signal }),
      );
      return { newest: items[0]?.revision, oldest: 1 };
    },
  });

export const clustersAfter = (continued: string | undefined) =>
  queryOptions({
    queryKey: ['clusters', continued],
    queryFn: ({ signal }) =>
      ask(
        service.GET('/api/v1/clusters', {
          params: { query: { limit: 100, ...(continued !== undefined && { continue: continued }) } },
          signal,
        }),
      ),
  });
