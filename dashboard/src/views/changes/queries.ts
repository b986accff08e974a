import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { clusterKey } from '../../api/queries.js';
import { service, type Schemas } from '../../api/service.js';

export type Change = Schemas['TaintChange'];
export type Outcome = Schemas['TaintChangeResponse'];

export const UNMADE = ['waiting', 'rejected', 'expired'] as const;
export type Unmade = (typeof UNMADE)[number];

const PAGE = 50;
/** While the service writes to the cluster, its progress is asked for; no event of the stream tells of a single node. */
const PROGRESS_MS = 1000;
/** Nor of approvals. */
const WAITING_MS = 5000;

export const changesOf = (cluster: string, approval: Unmade | undefined) =>
  infiniteQueryOptions({
    queryKey: [...clusterKey(cluster), 'changes', approval],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      service.get('/api/v1/clusters/{cluster}/taint-changes', {
        path: { cluster },
        query: {
          limit: PAGE,
          ...(approval !== undefined && { approval }),
          ...(pageParam !== undefined && { continue: pageParam }),
        },
        signal,
      }),
    getNextPageParam: (last) => last.continue ?? undefined,
  });

export const changeOf = (cluster: string, id: string) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'change', id],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/taint-changes/{id}', { path: { cluster, id }, signal }),
    placeholderData: () => undefined,
    refetchInterval: ({ state: { data } }) => {
      if (data?.change?.application?.state === 'running') return PROGRESS_MS;
      return data?.change?.status === 'awaitingApproval' ? WAITING_MS : false;
    },
  });

type Request = Schemas['TaintChangeRequest'];

/** What a change would do; nothing is stored. */
export const previewOf = (cluster: string, request: Request | undefined) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'change-preview', request],
    enabled: request !== undefined,
    queryFn: ({ signal }) =>
      service.post('/api/v1/clusters/{cluster}/taint-changes', {
        path: { cluster },
        body: { ...request, dryRun: true },
        signal,
      }),
    placeholderData: () => undefined,
  });

export const revertPreviewOf = (cluster: string, id: string, request: Schemas['RevertRequest'] | undefined) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'revert-preview', id, request],
    enabled: request !== undefined,
    queryFn: ({ signal }) =>
      service.post('/api/v1/clusters/{cluster}/taint-changes/{id}/revert', {
        path: { cluster, id },
        body: { ...request, dryRun: true },
        signal,
      }),
    placeholderData: () => undefined,
  });

/** Where the pods go that a change evicts. */
export const landingOf = (cluster: string, edit: Schemas['EditNodesRequest'] | undefined) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'change-landing', edit],
    enabled: edit !== undefined,
    queryFn: ({ signal }) =>
      service.post('/api/v1/clusters/{cluster}/eviction-schedules', {
        path: { cluster },
        body: { scenario: { changes: [{ editNodes: edit! }] }, landing: true, limit: 1 },
        signal,
      }),
  });

/** Nodes by their taints, with all names, in one call. */
export const nodeMatrixOf = (cluster: string) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'node-matrix'],
    queryFn: ({ signal }) => service.get('/api/v1/clusters/{cluster}/node-matrix', { path: { cluster }, signal }),
    placeholderData: keepPreviousData,
  });

export interface NodeSet {
  /** The taints as kubectl writes them, without that of a cordon. */
  readonly text: string;
  readonly names: readonly string[];
}

/** Nodes with the same taints. @param matrix names are front-coded there */
export function nodeSets({ taints, nodeGroups }: Schemas['NodeMatrix']): readonly NodeSet[] {
  return nodeGroups.map((group) => ({
    text: [
      ...group.taints.map((at) => taints[at]?.text ?? '?'),
      ...(group.unschedulable && group.taints.length === 0 ? ['cordoned'] : []),
    ].join(', '),
    names: namesOf(group.names),
  }));
}

function namesOf({ shared, rest }: Schemas['FrontCodedNames']): string[] {
  const names: string[] = [];
  rest.forEach((end, at) => names.push((names.at(-1) ?? '').slice(0, shared[at]) + end));
  return names;
}
