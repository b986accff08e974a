import type { NodeResources, NodeTable, ResourceColumn } from '../../../cluster/node-table.js';
import { addInt64, int64 } from '../../../cluster/resource-table.js';
import type { KubernetesRules } from '../../../kubernetes/kubernetes-rules.js';
import type { Int64 } from '../../../kubernetes/objects/meta.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import { podRequests } from '../../../kubernetes/pod-resources/pod-requests.js';
import { Quantity } from '../../../kubernetes/quantity.js';
import { isScalarResource } from '../../../kubernetes/resource-names.js';
import type { WeightedResource } from '../../weighted-resources.js';

/** A resource that is scored: what the pod asks of it, and the nodes' columns. */
export interface ScoredResource extends WeightedResource {
  readonly request: Int64;
  readonly allocatable: ResourceColumn | undefined;
  /** What the pods of each node hold, without the one that is scored. */
  readonly used: ResourceColumn | undefined;
}

/** What scores of resources look at of the nodes. */
export type ResourceColumns = Pick<NodeTable, 'allocatable' | 'requested' | 'nonZeroRequested'>;

/**
 * How missing requests count: as nothing; or as the least that a container is taken to need, and then the pod's own pod-level
 * requests are not looked at (NodeResourcesFit's scorer is made without `enablePodLevelResources`).
 */
export type Counting = 'requested' | 'nonZero';

const LEAST: ReadonlyMap<string, Quantity> = new Map([
  ['cpu', Quantity.of(100, 'DecimalSI', -3)],
  ['memory', Quantity.of(200 * 1024 * 1024)],
]);

/**
 * The resources of a scorer with what the pod asks of each, in the scorer's order. A scalar resource that the pod does not ask
 * for is not scored, nor is one that the scheduler does not count.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/resource_allocation.go,
 * `calculatePodResourceRequest` and `calculateResourceAllocatableRequest`.
 *
 * @throws QuantityError for a request that is no quantity
 */
export function scoredResources(
  { allocatable, requested, nonZeroRequested }: ResourceColumns,
  pod: Pod,
  resources: readonly WeightedResource[],
  counting: Counting,
  { featureGates }: KubernetesRules,
): readonly ScoredResource[] {
  const requests = podRequests(pod, {
    useStatusResources: featureGates.InPlacePodVerticalScaling,
    skipPodLevelResources: counting === 'nonZero' || !featureGates.PodLevelResources,
    ...(counting === 'nonZero' ? { nonMissingContainerRequests: LEAST } : {}),
  });
  return resources.map(({ name, weight }): ScoredResource => {
    const asked = requests.get(name);
    const request = asked === undefined ? 0 : int64(name === 'cpu' ? asked.milliValue() : asked.value());
    const scalar = isScalarResource(name);
    const counts = scalar ? request !== 0 : COUNTED.has(name);
    const held: NodeResources = counting === 'nonZero' && LEAST.has(name) ? nonZeroRequested : requested;
    return {
      name,
      weight,
      request,
      allocatable: counts ? allocatable.column(name) : undefined,
      used: counts ? held.column(name) : undefined,
    };
  });
}

const COUNTED: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** A node's allocatable of a resource; 0 where it is not scored. */
export const allocatableAt = ({ allocatable }: ScoredResource, node: number): Int64 => allocatable?.at(node) ?? 0;

/** What would be requested of a node with the pod on it. */
export const requestedAt = ({ used, request }: ScoredResource, node: number): Int64 =>
  addInt64(used?.at(node) ?? 0, request);
