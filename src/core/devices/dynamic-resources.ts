import { aggregateText } from '../kubernetes/error-aggregate.js';
import {
  compileNodeSelector,
  matchCompiledNodeSelector,
  type CompiledNodeSelector,
} from '../kubernetes/node-selector.js';
import type { DeviceClass, DeviceTaintRule, ResourceClaim, ResourceSlice } from '../kubernetes/objects/dra.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { canBeDevices } from '../kubernetes/resource-names.js';
import { allocatableVector, schedulerRequest } from '../resources/request-vector.js';
import { allocatedDevices } from './allocated-devices.js';
import { BINDING_TIMEOUT, canBind } from './binding-conditions.js';
import { allocate, type AllocatorInput, type ClaimAllocation } from './device-allocator.js';
import { DevicePools } from './device-pools.js';
import { classesByResource, extendedResourceClaim, requestsFor, type RequestMapping } from './extended-resources.js';
import { claimName, isClaimOfPod } from './pod-claims.js';
import { withRuleTaints } from './rule-taints.js';

/** Why the plugin refuses a pod, in Kubernetes' words. */
export interface Refusal {
  readonly code: 'UnschedulableAndUnresolvable' | 'Error';
  readonly message: string;
}

/** What the plugin says of a node. */
export type NodeDevices =
  | {
      readonly code: 'Success';
      /** What the claims would get that are not allocated. */
      readonly allocations: readonly ClaimAllocation[];
      readonly mappings: readonly RequestMapping[];
      readonly score: number;
    }
  | Refusal
  | { readonly code: 'Unknown'; readonly why: string };

const refused = (message: string): Refusal => ({ code: 'UnschedulableAndUnresolvable', message });
const failed = (message: string): Refusal => ({ code: 'Error', message });

/** What a cluster has of devices. */
export interface DeviceObjects {
  /** Of all namespaces. */
  readonly claims: readonly ResourceClaim[];
  readonly classes: readonly DeviceClass[];
  readonly slices: readonly ResourceSlice[];
  /** Empty while the feature gate DRADeviceTaintRules is off, as it is by default. */
  readonly taintRules: readonly DeviceTaintRule[];
}

/** The devices of a cluster, prepared for many pods. */
export class ClusterDevices implements AllocatorInput {
  readonly pools: DevicePools;
  readonly allocated: AllocatorInput['allocated'];
  readonly claims: readonly ResourceClaim[];
  readonly classesByResource: ReadonlyMap<string, DeviceClass>;
  private readonly claimsByName: ReadonlyMap<string, ResourceClaim>;
  private readonly classes: ReadonlyMap<string, DeviceClass>;

  constructor({ claims, classes, slices, taintRules }: DeviceObjects) {
    this.claims = claims;
    this.claimsByName = new Map(claims.map((claim) => [keyOf(claim.metadata.namespace, claim.metadata.name), claim]));
    this.classes = new Map(classes.map((one) => [one.metadata.name, one]));
    this.classesByResource = classesByResource(classes);
    this.pools = new DevicePools(withRuleTaints(slices, taintRules));
    this.allocated = allocatedDevices(claims);
  }

  readonly classOf = (name: string): DeviceClass | undefined => this.classes.get(name);

  claim(namespace: string | undefined, name: string): ResourceClaim | undefined {
    return this.claimsByName.get(keyOf(namespace, name));
  }
}

const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

/** The claims of a pod, or why it cannot be scheduled (`PreEnqueue`, and the first part of `PreFilter`). */
export type PodClaims = { readonly claims: readonly ResourceClaim[] } | Refusal;

/**
 * The claims of a pod that exist, are not being deleted and belong to it.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, `foreachPodResourceClaim`.
 */
export function claimsOfPod(devices: ClusterDevices, pod: Pod): PodClaims {
  const { namespace = '' } = pod.metadata;
  const claims: ResourceClaim[] = [];
  for (const entry of pod.spec.resourceClaims ?? []) {
    const found = claimName(pod, entry);
    if ('problem' in found) return refused(found.problem);
    if (found.name === undefined) continue;
    const claim = devices.claim(namespace, found.name);
    if (claim === undefined) return refused(`could not find ResourceClaim "${namespace}/${found.name}"`);
    if (claim.metadata.deletionTimestamp !== undefined) {
      return refused(`resourceclaim "${found.name}" is being deleted`);
    }
    if (found.isFromTemplate && !isClaimOfPod(pod, claim)) {
      const names = [`${namespace}/${found.name}`, `${namespace}/${pod.metadata.name}`] as const;
      return refused(`ResourceClaim ${names[0]} was not created for Pod ${names[1]} (Pod is not owner)`);
    }
    claims.push(claim);
  }
  return { claims };
}

/** A claim of the pod; with the nodes on which it can be used, if it is allocated. */
interface OwnClaim {
  readonly claim: ResourceClaim;
  readonly isAllocated: boolean;
  readonly nodes: CompiledNodeSelector | undefined;
}

/** The pod's extended resources that are not zero, and the claim for them. */
interface ExtendedResources {
  readonly amounts: ReadonlyMap<string, bigint>;
  /** That of an earlier attempt, or one that would be made. */
  readonly claim: ResourceClaim;
}

/** What `PreFilter` says of a pod. */
export type PodDevices = Refusal | { readonly code: 'Skip' } | { readonly code: 'Success'; readonly pod: PreparedPod };

/**
 * The plugin DynamicResources asked about a pod.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, `PreFilter`.
 *
 * @param now in nanoseconds since 1970
 */
export function preparePod(
  devices: ClusterDevices,
  pod: Pod,
  now: bigint,
  bindingTimeout = BINDING_TIMEOUT,
): PodDevices {
  const found = claimsOfPod(devices, pod);
  if ('code' in found) return found;
  const extended = extendedResources(devices, pod);
  if (found.claims.length === 0 && extended === undefined) return { code: 'Skip' };
  const own: OwnClaim[] = [];
  for (const claim of [...found.claims, ...(extended === undefined ? [] : [extended.claim])]) {
    const { allocation } = claim.status ?? {};
    const nodes = allocation?.nodeSelector === undefined ? undefined : compileNodeSelector(allocation.nodeSelector);
    const errors = (nodes?.terms ?? []).flatMap((term) => term.errors);
    if (errors.length > 0) return failed(aggregateText(errors));
    own.push({ claim, isAllocated: allocation !== undefined, nodes });
    if (allocation !== undefined || claim === extended?.claim) continue;
    const refusal = refusalOfRequests(devices, claim);
    if (refusal !== undefined) return refusal;
  }
  const canBeBound = (claim: ResourceClaim): boolean => canBind(claim, now, bindingTimeout);
  return { code: 'Success', pod: new PreparedPod(devices, pod, own, extended, canBeBound) };
}

/** Whether all requests are of a known type, and all classes exist. */
function refusalOfRequests(devices: ClusterDevices, { metadata, spec }: ResourceClaim): Refusal | undefined {
  for (const { name, exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    if (exactly === undefined && firstAvailable.length === 0) {
      return refused(
        `resource claim ${metadata.namespace ?? ''}/${metadata.name}, request ${name}: unknown request type`,
      );
    }
    const named =
      exactly === undefined
        ? firstAvailable.map((one) => [`${name}/${one.name}`, one.deviceClassName] as const)
        : [[name, exactly.deviceClassName] as const];
    for (const [request, className = ''] of named) {
      if (className === '') return failed(`request ${request}: unsupported request type`);
      if (devices.classOf(className) === undefined) {
        return refused(`request ${request}: device class ${className} does not exist`);
      }
    }
  }
  return undefined;
}

/** The name of a claim that would be made for extended resources. */
export const EXTENDED_RESOURCES_CLAIM = '<extended-resources>';

/** Undefined unless a class stands behind one of them (`preFilterExtendedResources`). */
function extendedResources(devices: ClusterDevices, pod: Pod): ExtendedResources | undefined {
  const requested = [...schedulerRequest(pod).scalars].filter(([name, amount]) => amount !== 0n && canBeDevices(name));
  if (!requested.some(([name]) => devices.classesByResource.has(name))) return undefined;
  const claim = extendedResourceClaim(pod, devices.claims) ?? {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: EXTENDED_RESOURCES_CLAIM, namespace: pod.metadata.namespace ?? '' },
  };
  return { amounts: new Map(requested), claim };
}

const NOTHING_TO_DO: NodeDevices = { code: 'Success', allocations: [], mappings: [], score: 0 };

/** `resourceapi.FirstAvailableDeviceRequestMaxSize`. */
const MAX_ALTERNATIVES = 8;

/** A pod that passed `PreFilter`. */
export class PreparedPod {
  constructor(
    private readonly devices: ClusterDevices,
    private readonly pod: Pod,
    private readonly own: readonly OwnClaim[],
    private readonly extended: ExtendedResources | undefined,
    private readonly canBeBound: (claim: ResourceClaim) => boolean,
  ) {}

  /** Whether a node has the devices (`Filter`), and how well it does (`Score`, before it is normalized). */
  on(node: Node): NodeDevices {
    const forNode = this.extendedOn(node);
    if ('code' in forNode) return forNode;
    const isOnlyExtended = this.own.every(({ claim }) => claim === this.extended?.claim);
    if (isOnlyExtended && forNode.claim === undefined) return NOTHING_TO_DO;

    const isUnavailable = this.own.some(
      ({ claim, isAllocated, nodes }) =>
        isAllocated &&
        ((nodes !== undefined && !matchCompiledNodeSelector(nodes, node).matches) || !this.canBeBound(claim)),
    );
    const wanted = this.own
      .filter(({ isAllocated }) => !isAllocated)
      .map(({ claim }) => (claim === this.extended?.claim ? (forNode.claim ?? claim) : claim));
    let allocations: readonly ClaimAllocation[] = [];
    if (wanted.length > 0) {
      const found = allocate(this.devices, node, wanted);
      if (found.outcome === 'unknown') return { code: 'Unknown', why: found.why };
      if (found.outcome === 'error') return failed(found.message);
      if (found.outcome === 'failed') {
        return refused(found.invalidPool ? 'invalid resource pools were encountered' : 'cannot allocate all claims');
      }
      allocations = found.claims;
    }
    if (isUnavailable) return refused('resourceclaim not available on the node');
    return { code: 'Success', allocations, mappings: forNode.mappings, score: scoreOf(allocations) };
  }

  /** The claim for extended resources that this node has as devices only (`filterExtendedResources`). */
  private extendedOn(
    node: Node,
  ): Refusal | { readonly claim: ResourceClaim | undefined; readonly mappings: readonly RequestMapping[] } {
    if (this.extended === undefined) return { claim: undefined, mappings: [] };
    const { claim, amounts } = this.extended;
    if (claim.spec?.devices?.requests !== undefined) return refused('cannot schedule extended resource claim');
    const { scalars } = allocatableVector(node.status?.allocatable);
    const provided = new Map<string, DeviceClass>();
    for (const name of amounts.keys()) {
      const deviceClass = this.devices.classesByResource.get(name);
      if (deviceClass !== undefined && (scalars.get(name) ?? 0n) === 0n) provided.set(name, deviceClass);
      else if (!scalars.has(name)) return refused('cannot fit resource');
    }
    const isOnlyExtended = this.own.every((one) => one.claim === claim);
    if ((isOnlyExtended && provided.size === 0) || claim.status?.allocation !== undefined) {
      return { claim: undefined, mappings: [] };
    }
    const { requests, mappings } = requestsFor(this.pod, provided);
    return { claim: { ...claim, spec: { devices: { requests } } }, mappings };
  }
}

/** `computeScore`: for each choice of several subrequests, the earlier the one that was taken, the more. */
function scoreOf(allocations: readonly ClaimAllocation[]): number {
  let score = 0;
  for (const { claim, devices } of allocations) {
    const taken = new Set(devices.map(({ request }) => request));
    for (const { name, exactly, firstAvailable = [] } of claim.spec?.devices?.requests ?? []) {
      if (exactly !== undefined) continue;
      for (const [index, one] of firstAvailable.entries()) {
        if (taken.has(`${name}/${one.name}`)) score += MAX_ALTERNATIVES - index;
      }
    }
  }
  return score;
}
