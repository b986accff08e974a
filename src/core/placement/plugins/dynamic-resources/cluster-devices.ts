import type { ClusterState } from '../../../cluster/cluster-state.js';
import { DEFAULT_RULES } from '../../../kubernetes/kubernetes-rules.js';
import { ClusterDevices, type DeviceObjects } from '../../../devices/dynamic-resources.js';
import { claimName } from '../../../devices/pod-claims.js';
import type { KeptKind } from '../../../kubernetes/kinds.js';
import type { KubernetesObject } from '../../../kubernetes/objects/meta.js';
import { canBeDevices } from '../../../kubernetes/resource-names.js';
import { schedulerRequest } from '../../../resources/request-vector.js';

const KINDS = ['ResourceClaim', 'ResourceClaimTemplate', 'DeviceClass', 'ResourceSlice'] as const;
const NO_RULES: DeviceObjects['taintRules'] = [];

interface Known {
  readonly lists: readonly (readonly KubernetesObject[])[];
  readonly devices: ClusterDevices;
}

/** By the list of claims, which states share whose claims are the same. */
const known = new WeakMap<object, Known>();

/** The DeviceTaintRules that count: none while the feature gate DRADeviceTaintRules is off. */
export const taintRulesOf = (state: ClusterState): DeviceObjects['taintRules'] =>
  state.rules.featureGates.DRADeviceTaintRules
    ? (state.objects('DeviceTaintRule') as DeviceObjects['taintRules'])
    : NO_RULES;

/** The devices of a state. */
export function clusterDevices(state: ClusterState): ClusterDevices {
  const lists = [...KINDS.map((kind: KeptKind) => state.objects(kind)), taintRulesOf(state)];
  const former = known.get(lists[0]!);
  if (former?.lists.every((list, index) => list === lists[index]) === true) return former.devices;
  const [claims, templates, classes, slices, taintRules] = lists as unknown as [
    DeviceObjects['claims'],
    NonNullable<DeviceObjects['templates']>,
    DeviceObjects['classes'],
    DeviceObjects['slices'],
    DeviceObjects['taintRules'],
  ];
  const devices = new ClusterDevices({ claims, templates, classes, slices, taintRules });
  known.set(lists[0]!, { lists, devices });
  return devices;
}

/** Pods that were put on nodes without an allocation of their devices, so that it is not known which devices they have. */
export interface Unfollowed {
  /** One of these pods, by node index. */
  readonly nodes: ReadonlyMap<number, string>;
  /** The claims that they share, as `namespace/name`. */
  readonly claims: ReadonlySet<string>;
}

/** In a stored cluster there is none: the scheduler writes the allocation before it binds the pod. Those that a run has placed have none. */
export function unfollowedPods(state: ClusterState, devices: ClusterDevices): Unfollowed {
  const nodes = new Map<number, string>();
  const claims = new Set<string>();
  const { pods } = state;
  const bySpec = new Map<number, { readonly hasClaims: boolean; readonly resources: readonly string[] }>();
  pods.forEachPlaced(undefined, (pod, node) => {
    const id = pods.specId(pod);
    let parts = bySpec.get(id);
    if (parts === undefined) {
      const spec = pods.specOf(id);
      const hasClaims = (spec.resourceClaims ?? []).length > 0;
      const resources = devices.classesByResource.size === 0 ? [] : requestedDevices({ spec }, devices);
      bySpec.set(id, (parts = { hasClaims, resources }));
    }
    if (
      parts.resources.some((resource) => state.nodes.allocatable.at(resource, node) <= 0) &&
      pods.statusOf(pods.statusId(pod))?.extendedResourceClaimStatus === undefined
    ) {
      nodes.set(node, pods.key(pod));
    }
    if (!parts.hasClaims) return;
    const object = pods.pod(pod);
    for (const entry of object.spec.resourceClaims ?? []) {
      const found = claimName(object, entry);
      if (!('problem' in found) && found.name === undefined) continue;
      const name = 'problem' in found ? undefined : found.name;
      const claim = name === undefined ? undefined : devices.claim(object.metadata.namespace, name);
      if (claim?.status?.allocation !== undefined) continue;
      nodes.set(node, pods.key(pod));
      if (name !== undefined) claims.add(`${object.metadata.namespace ?? ''}/${name}`);
    }
  });
  return { nodes, claims };
}

const requestedDevices = (pod: Parameters<typeof schedulerRequest>[0], devices: ClusterDevices): readonly string[] =>
  [...schedulerRequest(pod, DEFAULT_RULES).scalars].flatMap(([name, amount]) =>
    amount > 0n && canBeDevices(name) && devices.classesByResource.has(name) ? [name] : [],
  );
