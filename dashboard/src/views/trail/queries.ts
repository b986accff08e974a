import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { clusterKey } from '../../api/queries.js';
import { service, type Schemas } from '../../api/service.js';

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

/** Filters as query parameters of the trail. */
export const asQuery = <Filters extends Omit<RecordFilters, 'order'>>({ kind, ...others }: Filters) => ({
  ...others,
  ...(kind !== undefined && { kind: [kind] }),
});

const trailKey = (cluster: string) => [...clusterKey(cluster), 'trail'] as const;

export const recordsOf = (cluster: string, filters: RecordFilters, limit: number) =>
  infiniteQueryOptions({
    queryKey: [...trailKey(cluster), 'records', filters, limit],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      service.get('/api/v1/clusters/{cluster}/taint-trail/records', {
        path: { cluster },
        query: { ...asQuery(filters), limit, continue: pageParam },
        signal,
      }),
    getNextPageParam: (last) => last.continue ?? undefined,
  });

export const recordOf = (cluster: string, sequence: number, effects: boolean) =>
  queryOptions({
    queryKey: [...trailKey(cluster), 'record', sequence, effects],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/taint-trail/records/{sequence}', {
        path: { cluster, sequence: String(sequence) },
        query: effects ? { effects } : {},
        signal,
      }),
  });

export const historyOf = (
  cluster: string,
  node: string,
  filters: { readonly key?: string; readonly effect?: string; readonly at?: string },
) =>
  queryOptions({
    queryKey: [...trailKey(cluster), 'history', node, filters],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/taint-trail/nodes/{node}/history', {
        path: { cluster, node },
        query: filters,
        signal,
      }),
  });

export const fightsOf = (
  cluster: string,
  filters: { readonly node?: string; readonly key?: string; readonly window: string; readonly min: number },
) =>
  queryOptions({
    queryKey: [...trailKey(cluster), 'fights', filters],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/taint-trail/fights', {
        path: { cluster },
        query: filters,
        signal,
      }),
  });

export interface Checkpoint {
  readonly sequence: number;
  readonly hash: string;
}

export const verify = (cluster: string, checkpoint: Checkpoint | undefined, signal: AbortSignal) =>
  service.get('/api/v1/clusters/{cluster}/taint-trail/verify', {
    path: { cluster },
    query: { ...checkpoint },
    signal,
  });

export const headOf = (cluster: string, signal: AbortSignal) =>
  service.get('/api/v1/clusters/{cluster}/taint-trail/head', { path: { cluster }, signal });
