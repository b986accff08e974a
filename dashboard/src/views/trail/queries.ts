import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { clusterKey } from '../../api/queries.js';
import { ask, service, type Schemas } from '../../api/service.js';

export type TrailRecord = Schemas['TrailRecord'];
export type Interval = Schemas['TaintInterval'];

export interface RecordFilters {
  readonly node?: string;
  readonly key?: string;
  readonly effect?: string;
  readonly author?: string;
  readonly kind?: Schemas['TrailRecordKind'];
  readonly change?: string;
  readonly from?: string;
  readonly to?: string;
  readonly current?: boolean;
  readonly order?: 'newest' | 'oldest';
}

const trailKey = (cluster: string) => [...clusterKey(cluster), 'trail'] as const;

export const recordsOf = (cluster: string, filters: RecordFilters, limit: number) =>
  infiniteQueryOptions({
    queryKey: [...trailKey(cluster), 'records', filters, limit],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) => {
      const { kind, ...rest } = filters;
      return ask(
        service.GET('/api/v1/clusters/{cluster}/taint-trail/records', {
          params: {
            path: { cluster },
            query: {
              ...rest,
              limit,
              ...(kind !== undefined && { kind: [kind] }),
              ...(pageParam !== undefined && { continue: pageParam }),
            },
          },
          signal,
        }),
      );
    },
    getNextPageParam: (last) => last.continue ?? undefined,
  });

export const recordOf = (cluster: string, sequence: number, effects: boolean) =>
  queryOptions({
    queryKey: [...trailKey(cluster), 'record', sequence, effects],
    queryFn: ({ signal }) =>
      ask(
        service.GET('/api/v1/clusters/{cluster}/taint-trail/records/{sequence}', {
          params: { path: { cluster, sequence: String(sequence) }, query: effects ? { effects } : {} },
          signal,
        }),
      ),
  });

export const historyOf = (
  cluster: string,
  node: string,
  filters: { readonly key?: string; readonly effect?: string; readonly at?: string },
) =>
  queryOptions({
    queryKey: [...trailKey(cluster), 'history', node, filters],
    queryFn: ({ signal }) =>
      ask(
        service.GET('/api/v1/clusters/{cluster}/taint-trail/nodes/{node}/history', {
          params: { path: { cluster, node }, query: filters },
          signal,
        }),
      ),
  });

export const fightsOf = (
  cluster: string,
  filters: { readonly node?: string; readonly key?: string; readonly window: string; readonly min: number },
) =>
  queryOptions({
    queryKey: [...trailKey(cluster), 'fights', filters],
    queryFn: ({ signal }) =>
      ask(
        service.GET('/api/v1/clusters/{cluster}/taint-trail/fights', {
          params: { path: { cluster }, query: filters },
          signal,
        }),
      ),
  });

export interface Checkpoint {
  readonly sequence: number;
  readonly hash: string;
}

export const verify = (cluster: string, checkpoint: Checkpoint | undefined, signal: AbortSignal) =>
  ask(
    service.GET('/api/v1/clusters/{cluster}/taint-trail/verify', {
      params: { path: { cluster }, query: { ...checkpoint } },
      signal,
    }),
  );

export const headOf = (cluster: string, signal: AbortSignal) =>
  ask(service.GET('/api/v1/clusters/{cluster}/taint-trail/head', { params: { path: { cluster } }, signal }));
