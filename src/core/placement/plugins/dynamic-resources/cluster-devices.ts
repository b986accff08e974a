import type { ClusterState } from '../../../cluster/cluster-state.js';
import { DEFAULT_RULES, type KubernetesRules } from '../../../kubernetes/kubernetes-rules.js';
import { withoutNames } from '../../../collections/without.js';
import { allocatorFeatures, deviceReads, type DeviceReads } from '../../../devices/allocator-features.js';
import { ClusterDevices, type DeviceObjects } from '../../../devices/dynamic-resources.js';
import { claimName } from '../../../devices/pod-claims.js';
import { haveFormerFields, ruleAsRead } from '../../../devices/rule-taints.js';
import type { KeptKind } from '../../../kubernetes/kinds.js';
import type { Device, ResourceClaim, ResourceSlice } from '../../../kubernetes/objects/dra.js';
import type { KubernetesObject } from '../../../kubernetes/objects/meta.js';
import { checksAdminAccess } from '../../../kubernetes/validation/admin-access.js';
import { canBeDevices } from '../../../kubernetes/resource-names.js';
import { schedulerRequest } from '../../../resources/request-vector.js';

const KINDS = ['ResourceClaim', 'ResourceClaimTemplate', 'DeviceClass'] as const;
const NO_NAMESPACES: readonly KubernetesObject[] = [];
const NO_RULES: DeviceObjects['taintRules'] = [];

interface Known {
  readonly lists: readonly (readonly KubernetesObject[])[];
  readonly devices: ClusterDevices;
}

/** By the list of claims, which states share whose claims are the same; and by the list of slices, for what does not depend on claims. */
const known = new WeakMap<object, Known>();
/** Of states that were made by placing pods. */
const followed = new WeakMap<
  ClusterState,
  { readonly devices: ClusterDevices; readonly unfollowed: Unfollowed | undefined }
>();

/** Whether DeviceTaintRules count. Before 1.35, the gate DRADeviceTaints turned them on, too. */
export const countsTaintRules = ({ minor, featureGates }: KubernetesRules): boolean =>
  minor >= 35 ? featureGates.DRADeviceTaintRules : featureGates.DRADeviceTaints;

/** The DeviceTaintRules that count, as the version reads them: none while their feature gate is off. */
export function taintRulesOf(state: ClusterState): DeviceObjects['taintRules'] {
  const { rules } = state;
  if (!countsTaintRules(rules)) return NO_RULES;
  const stored = state.objects('DeviceTaintRule') as DeviceObjects['taintRules'];
  if (haveFormerFields(rules)) return stored;
  let read = readRules.get(stored);
  if (read === undefined) readRules.set(stored, (read = stored.map((rule) => ruleAsRead(rule, rules))));
  return read;
}

const readRules = new WeakMap<object, DeviceObjects['taintRules']>();

/** By the list of slices, and by what is read of it. */
const readSlices = new WeakMap<object, Map<string, readonly ResourceSlice[]>>();

/** The ResourceSlices as the gates of the rules let the scheduler read them. */
export function slicesOf(state: ClusterState): readonly ResourceSlice[] {
  const slices = state.objects('ResourceSlice') as readonly ResourceSlice[];
  const reads = deviceReads(state.rules);
  if (READ_FIELDS.every((name) => reads[name])) return slices;
  let byReads = readSlices.get(slices);
  if (byReads === undefined) readSlices.set(slices, (byReads = new Map<string, readonly ResourceSlice[]>()));
  const key = JSON.stringify(reads);
  let known = byReads.get(key);
  if (known === undefined) byReads.set(key, (known = slices.map((slice) => asRead(slice, reads))));
  return known;
}

const READ_FIELDS = [
  'taints',
  'consumesCounters',
  'allowMultipleAllocations',
  'bindingConditions',
  'bindsToNode',
] as const satisfies readonly (keyof Device & keyof DeviceReads)[];
type Unread = NonNullable<Device['unread']> extends ReadonlySet<infer Name> ? Name : never;

function asRead(slice: ResourceSlice, reads: DeviceReads): ResourceSlice {
  const { spec } = slice;
  if (spec?.devices === undefined) return slice;
  const devices = spec.devices.map((device) => deviceAsRead(device, reads));
  return devices.every((device, index) => device === spec.devices![index])
    ? slice
    : { ...slice, spec: { ...spec, devices } };
}

function deviceAsRead(device: Device, reads: DeviceReads): Device {
  const dropped = new Set<string>(READ_FIELDS.filter((name) => !reads[name] && device[name] !== undefined));
  if (dropped.size === 0) return device;
  const unread = new Set<Unread>();
  if (dropped.has('allowMultipleAllocations') && device.allowMultipleAllocations === true) {
    unread.add('allowMultipleAllocations');
  }
  if (reads.refusesUnread) {
    for (const name of ['consumesCounters', 'bindingConditions'] as const) {
      if (!dropped.delete(name)) continue;
      if (device[name]!.length > 0) unread.add(name);
    }
  }
  if (dropped.size === 0 && unread.size === 0) return device;
  return {
    ...withoutNames(device, dropped),
    ...(unread.size > 0 && { unread }),
  };
}

/** The devices of a state. */
export function clusterDevices(state: ClusterState): ClusterDevices {
  const ofRun = followed.get(state);
  if (ofRun !== undefined) return ofRun.devices;
  const allowing = checksAdminAccess(state.rules) ? state.objects('Namespace') : NO_NAMESPACES;
  const lists = [...KINDS.map((kind: KeptKind) => state.objects(kind)), slicesOf(state), taintRulesOf(state), allowing];
  const [ofClaims, , , ofSlices] = lists as [object, object, object, object];
  const features = allocatorFeatures(state.rules);
  const former = known.get(ofClaims);
  const isSame = former?.devices.features === features && former.lists.every((list, index) => list === lists[index]);
  if (isSame) return former.devices;
  const [claims, templates, classes, slices, taintRules, namespaces] = lists as unknown as [
    DeviceObjects['claims'],
    NonNullable<DeviceObjects['templates']>,
    DeviceObjects['classes'],
    DeviceObjects['slices'],
    DeviceObjects['taintRules'],
    NonNullable<DeviceObjects['namespaces']>,
  ];
  const objects = {
    ...{ claims, templates, classes, slices, taintRules, features },
    ...(allowing !== NO_NAMESPACES && { namespaces }),
  };
  const devices = ClusterDevices.of(objects, (former ?? known.get(ofSlices))?.devices);
  for (const list of [ofClaims, ofSlices]) known.set(list, { lists, devices });
  return devices;
}

/**
 * Notes the devices of a state that was made from another by placing pods and by their claims. So they are not worked out again for each
 * pod of a run.
 */
export function followDevices(state: ClusterState, before: ClusterState, claims: readonly ResourceClaim[]): void {
  const former = followed.get(before);
  const devices = clusterDevices(before).withClaims(claims);
  followed.set(state, {
    devices,
    unfollowed: former === undefined ? unfollowedPods(before, devices) : former.unfollowed,
  });
}

/** Pods that were put on nodes without an allocation of their devices, so that it is not known which devices they have. */
export interface Unfollowed {
  /** One of these pods, by node index. */
  readonly nodes: ReadonlyMap<number, string>;
  /** The claims that they share, as `namespace/name`. */
  readonly claims: ReadonlySet<string>;
}

/** The scheduler writes the allocation before it binds a pod, and so do runs; there are such pods where somebody else has chosen the node. */
export function unfollowedPods(state: ClusterState, devices: ClusterDevices): Unfollowed {
  const ofRun = followed.get(state)?.unfollowed;
  if (ofRun !== undefined) return ofRun;
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
