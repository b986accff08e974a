import { queryOptions, useQuery } from '@tanstack/react-query';
import { clusterKey } from './queries.js';
import { service, type Schemas } from './service.js';
import { callerOf } from './session.js';

export type Permission = Schemas['Permission'];

const accessOf = (cluster: string, apply: boolean) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'access', apply],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/access', {
        path: { cluster },
        query: apply ? { apply } : {},
        signal,
      }),
  });

/** Who asks. */
export const useCaller = (cluster: string) => useQuery(callerOf(cluster));

/** Whether the caller may act for others, and sees taint values. */
export const useAccess = (cluster: string) => useQuery(accessOf(cluster, false));

/** Why the caller may not do what needs a permission: nothing if it is allowed, or not known yet (the service has the last word). */
export function useWhyNot(cluster: string): (permission: Permission) => readonly string[] {
  const { data } = useCaller(cluster);
  return (permission) =>
    data === undefined || data.permissions.includes(permission)
      ? []
      : [`${data.name} lacks the permission “${permission}” for cluster ${cluster}.`];
}

/** Everything without which changes cannot be written to the cluster: those of nodes, or of DeviceTaintRules. */
export function useWhyNotApply(cluster: string, isOfRules = false): readonly string[] {
  const { data, error } = useQuery(accessOf(cluster, true));
  if (error !== null) return [error.message];
  if (data === undefined) return ['Whether it can be written to the cluster is being asked.'];
  const missing = isOfRules ? data.missingForDeviceTaintRules : data.missingForApply;
  return (missing ?? []).map(({ message }) => `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}.`);
}
