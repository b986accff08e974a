import type { ClusterState } from '../../../cluster/cluster-state.js';
import { releasedClaims, type AssumedClaims, type ReleasedClaims } from '../../../devices/assumed-claims.js';
import type { ClaimAllocation } from '../../../devices/device-allocator.js';
import { preparePod } from '../../../devices/dynamic-resources.js';
import { claimsThere } from '../../../devices/pod-claims.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import type { FilterPlugin, PlacementInput } from '../../plugin.js';
import { clusterDevices } from './cluster-devices.js';
import { askedDevices, NAME } from './dynamic-resources.js';

/**
 * What the scheduler writes about devices when it puts a pod on a node: which ones its claims have. Undefined if the pod has nothing to do
 * with devices there.
 *
 * @param filters of the scheduler's profile: without the plugin nothing is written
 */
export function assumedDevices(
  {
    state,
    pod,
    filters,
  }: { readonly state: ClusterState; readonly pod: Pod; readonly filters: readonly FilterPlugin[] },
  node: number,
): AssumedClaims | undefined {
  if (!state.rules.featureGates.DynamicResourceAllocation || !filters.some(({ name }) => name === NAME))
    return undefined;
  if (askedDevices({ state, pod }) === undefined) return undefined;
  const prepared = preparePod(clusterDevices(state), pod, undefined);
  return prepared.code === 'Success' ? prepared.pod.assumeOn(state.nodes.node(node)) : undefined;
}

/** The devices that a pod's claims would get on nodes; none where they are allocated already. */
export function devicesOnNodes({
  state,
  pod,
  filters,
}: Pick<PlacementInput, 'state' | 'pod' | 'filters'>): (node: number) => readonly ClaimAllocation[] {
  const isAsked =
    state.rules.featureGates.DynamicResourceAllocation &&
    filters.some(({ name }) => name === NAME) &&
    askedDevices({ state, pod }) !== undefined;
  const prepared = isAsked ? preparePod(clusterDevices(state), pod, undefined) : undefined;
  if (prepared?.code !== 'Success') return () => [];
  return (node) => {
    const found = prepared.pod.on(state.nodes.node(node));
    return found.code === 'Success' ? found.allocations : [];
  };
}

/** What becomes of the claims of a pod that is gone; undefined if it has none. */
export function releasedDevices(state: ClusterState, pod: Pod): ReleasedClaims | undefined {
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  if ((pod.spec.resourceClaims ?? []).length === 0 && extended === undefined) return undefined;
  const devices = clusterDevices(state);
  const claims = claimsThere(pod, (name) => devices.claim(pod.metadata.namespace, name));
  const released = releasedClaims(claims, pod);
  return released.changed.length + released.deleted.length === 0 ? undefined : released;
}

/** Whether a pod may have to do with devices, at a glance. */
export const mayUseDevices = (
  state: ClusterState,
  { spec: { resourceClaims = [], containers, initContainers = [] } }: Pod,
): boolean =>
  resourceClaims.length > 0 ||
  (state.count('DeviceClass') > 0 &&
    [...containers, ...initContainers].some(({ resources }) =>
      Object.keys(resources?.requests ?? {}).some((name) => name.includes('/')),
    ));
