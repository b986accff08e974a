import { ShardedMap } from '../cluster/sharded-map.js';
import { LruCache } from '../collections/lru-cache.js';
import { aggregateText } from '../kubernetes/error-aggregate.js';
import {
  compileNodeSelector,
  matchCompiledNodeSelector,
  type CompiledNodeSelector,
} from '../kubernetes/node-selector.js';
import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import type {
  DeviceClass,
  DeviceRequest,
  DeviceTaintRule,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../kubernetes/objects/dra.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodResourceClaim } from '../kubernetes/objects/pod.js';
import { MARK_OF_EXTENDED } from '../kubernetes/extended-resource-claim.js';
import { canBeDevices } from '../kubernetes/resource-names.js';
import { allocatableVector, schedulerRequest } from '../resources/request-vector.js';
import { allocatorFeatures, type AllocatorFeatures } from './allocator-features.js';
import { allocatedDevices, withAllocated, withoutAllocated, type AllocatedDevices } from './allocated-devices.js';
import { canBind } from './binding-conditions.js';
import { AllocationWork, NotComputed } from './allocation-work.js';
import { allocated, reservedFor, withClaimStatus, type AssumedClaims } from './assumed-claims.js';
import { claimFromTemplate, claimOfPod, type ClaimFromTemplate } from './claim-from-template.js';
import {
  ClaimAllocator,
  claimText,
  type Allocation,
  type AllocatorInput,
  type ClaimAllocation,
  type Searched,
} from './device-allocator.js';
import type { DeviceShortage } from './device-shortage.js';
import { DevicePools } from './device-pools.js';
import { KnownAllocations } from './known-allocations.js';
import { classesByResource, extendedResourceClaim, requestsFor, type RequestMapping } from './extended-resources.js';
import { claimName, isClaimOfPod } from './pod-claims.js';
import { withRuleTaints } from './rule-taints.js';

/** Why the plugin refuses a pod, in Kubernetes' words. */
export interface Refusal {
  readonly code: 'UnschedulableAndUnresolvable' | 'Error';
  readonly message: string;
  /** What it is about; `devices` where claims find none. */
  readonly about: RefusalSubject;
  /** Claims that are allocated and cannot be used on the node. */
  readonly unavailable?: readonly ResourceClaim[];
}

export interface RefusalSubject {
  /** `namespace/name`. */
  readonly claim?: string;
  readonly resource?: string;
  readonly devices?: true;
  /** `namespace/name` of the ResourceClaimTemplate from which no claim can be made. */
  readonly template?: string;
  /** Why no claim can be made from it. */
  readonly because?: string;
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

const refused = (message: string, about: RefusalSubject): Refusal => ({
  code: 'UnschedulableAndUnresolvable',
  message,
  about,
});
const failed = (message: string, about: RefusalSubject = {}): Refusal => ({ code: 'Error', message, about });

/** What a cluster has of devices. */
export interface DeviceObjects {
  /** Of all namespaces. */
  readonly claims: readonly ResourceClaim[];
  readonly classes: readonly DeviceClass[];
  readonly slices: readonly ResourceSlice[];
  /** Empty while the feature gate DRADeviceTaintRules is off, as it is by default. */
  readonly taintRules: readonly DeviceTaintRule[];
  /** Present where a claim that is still to be made from a template counts as if it were there. */
  readonly templates?: readonly ResourceClaimTemplate[];
  /** Those of Kubernetes 1.36 by default. */
  readonly features?: AllocatorFeatures;
  /** Present where claims with admin access are made only in namespaces that allow it. */
  readonly namespaces?: readonly Namespace[];
}

/** Requests for extended resources that are remembered. */
const MAX_EXTENDED_SPECS = 32;

/** What a cluster's slices, classes and rules amount to, whatever its claims. */
class Offer {
  readonly pools: DevicePools;
  readonly classesByResource: ReadonlyMap<string, DeviceClass>;
  readonly known = new KnownAllocations<Searched>();
  readonly features: AllocatorFeatures;
  /** Whether all devices are in slices of single nodes. */
  readonly areLocal: boolean;
  /** Why it is not known which devices are tainted. */
  readonly unknown: string | undefined;
  private readonly classes: ReadonlyMap<string, DeviceClass>;
  private readonly extendedSpecs = new LruCache<ResourceClaimSpec>(MAX_EXTENDED_SPECS);

  constructor(private readonly objects: OfferObjects) {
    const { classes, slices } = objects;
    this.features = featuresIn(objects);
    this.classes = new Map(classes.map((one) => [one.metadata.name, one]));
    this.classesByResource = classesByResource(classes);
    const tainted = this.tainted();
    this.pools = new DevicePools('unknown' in tainted ? slices : tainted, this.features.capacity === 'consumed');
    this.unknown = 'unknown' in tainted ? tainted.unknown : undefined;
    this.areLocal = slices.every(({ spec }) => (spec?.nodeName ?? '') !== '');
  }

  isOf(others: OfferObjects): boolean {
    const { objects } = this;
    return (
      objects.classes === others.classes &&
      objects.slices === others.slices &&
      objects.taintRules === others.taintRules &&
      this.features === featuresIn(others)
    );
  }

  readonly classOf = (name: string): DeviceClass | undefined => this.classes.get(name);

  private tainted(): readonly ResourceSlice[] | { readonly unknown: string } {
    const { slices, taintRules } = this.objects;
    try {
      return withRuleTaints(slices, taintRules, this.classOf);
    } catch (error) {
      if (error instanceof NotComputed) return { unknown: `in DeviceTaintRules, ${error.message}` };
      throw error;
    }
  }

  extendedSpec(requests: readonly DeviceRequest[]): ResourceClaimSpec {
    const key = JSON.stringify(
      requests.map(({ name, exactly }) => [name, exactly?.deviceClassName, `${exactly?.count}`]),
    );
    return this.extendedSpecs.get(key, () => ({ devices: { requests } }));
  }
}

type OfferObjects = Pick<DeviceObjects, 'classes' | 'slices' | 'taintRules' | 'features'>;

const featuresIn = ({ features = allocatorFeatures(DEFAULT_RULES) }: OfferObjects): AllocatorFeatures => features;

/** The devices of a cluster, prepared for many pods. */
export class ClusterDevices {
  private constructor(
    private readonly offer: Offer,
    private readonly claims: ShardedMap<ResourceClaim>,
    private readonly templates: ReadonlyMap<string, ResourceClaimTemplate>,
    private readonly allocated: AllocatedDevices,
    private readonly namespaces: readonly Namespace[] | undefined,
  ) {}

  /** @param former those of a similar state, whose preparations are used where they are the same */
  static of(objects: DeviceObjects, former?: ClusterDevices): ClusterDevices {
    const { claims, templates = [], namespaces } = objects;
    const offer = former?.offer.isOf(objects) === true ? former.offer : new Offer(objects);
    const byKey = ShardedMap.empty<ResourceClaim>().edit();
    for (const claim of claims) byKey.set(keyOf(claim.metadata.namespace, claim.metadata.name), claim);
    return new ClusterDevices(
      offer,
      byKey.finish(),
      new Map(templates.map((one) => [keyOf(one.metadata.namespace, one.metadata.name), one])),
      allocatedDevices(offer.pools.poolNumbers, claims),
      namespaces,
    );
  }

  /** The same cluster with some claims changed or new. The cost depends on these, unless devices are given back. */
  withClaims(changed: readonly ResourceClaim[]): ClusterDevices {
    const edit = this.claims.edit();
    const added: ResourceClaim[] = [];
    const givenBack: ResourceClaim[] = [];
    for (const claim of changed) {
      const key = keyOf(claim.metadata.namespace, claim.metadata.name);
      const former = edit.get(key);
      edit.set(key, claim);
      if (former?.status?.allocation === claim.status?.allocation) continue;
      added.push(claim);
      if (former?.status?.allocation !== undefined) givenBack.push(former);
    }
    const claims = edit.finish();
    const numbers = this.offer.pools.poolNumbers;
    const allocated =
      givenBack.length === 0
        ? withAllocated(this.allocated, numbers, added)
        : withoutAllocated(this.allocated, numbers, [...givenBack, ...added], claims.values());
    return new ClusterDevices(this.offer, claims, this.templates, allocated, this.namespaces);
  }

  get pools(): DevicePools {
    return this.offer.pools;
  }

  get classesByResource(): ReadonlyMap<string, DeviceClass> {
    return this.offer.classesByResource;
  }

  get areLocal(): boolean {
    return this.offer.areLocal;
  }

  /** The spec of a claim for extended resources: the same object for the same requests, by which searches are remembered. */
  extendedSpec(requests: readonly DeviceRequest[]): ResourceClaimSpec {
    return this.offer.extendedSpec(requests);
  }

  /** What the allocator works with for one pod. */
  inputOf(): AllocatorInput {
    const { pools, known, classOf, features, unknown } = this.offer;
    const { allocated } = this;
    return { pools, allocated, classOf, features, known, unknown, work: new AllocationWork(pools.columns) };
  }

  classOf(name: string): DeviceClass | undefined {
    return this.offer.classOf(name);
  }

  get features(): AllocatorFeatures {
    return this.offer.features;
  }

  /** The claim that an earlier attempt to schedule a pod has made for its extended resources. */
  extendedClaimOf(pod: Pod): ResourceClaim | undefined {
    return extendedResourceClaim(pod, this.claims.values());
  }

  claim(namespace: string | undefined, name: string): ResourceClaim | undefined {
    return this.claims.get(keyOf(namespace, name));
  }

  /** The claim that will be made for a pod from a template. */
  claimToMake(pod: Pod, entry: PodResourceClaim): ClaimFromTemplate {
    const { namespace = '' } = pod.metadata;
    return claimFromTemplate(pod, entry, {
      features: this.features,
      template: (name) => this.templates.get(keyOf(namespace, name)),
      namespaceLabels: this.namespaces === undefined ? undefined : this.labelsOf(namespace),
      isTaken: (name) => this.claim(namespace, name) !== undefined,
    });
  }

  private labelsOf(namespace: string): Labels {
    return this.namespaces?.find(({ metadata }) => metadata.name === namespace)?.metadata.labels ?? {};
  }

  /** A claim of a pod, which owns it; its name is not one that another claim has. */
  made(
    pod: Pod,
    end: string,
    spec: ResourceClaimSpec | undefined,
    annotations?: Readonly<Record<string, string>>,
  ): ResourceClaim {
    const isTaken = (name: string): boolean => this.claim(pod.metadata.namespace, name) !== undefined;
    return claimOfPod(pod, end, spec, isTaken, annotations);
  }
}

const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

/** The claims of a pod, or why it cannot be scheduled (`PreEnqueue`, and the first part of `PreFilter`). */
export type PodClaims =
  | {
      readonly claims: readonly ResourceClaim[];
      /** Those of them that are still to be made, by the name in the pod. */
      readonly made: ReadonlyMap<string, ResourceClaim>;
    }
  | Refusal;

/**
 * The claims of a pod that exist, are not being deleted and belong to it.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, `foreachPodResourceClaim`.
 */
export function claimsOfPod(devices: ClusterDevices, pod: Pod): PodClaims {
  const { namespace = '' } = pod.metadata;
  const claims: ResourceClaim[] = [];
  const toMake = new Map<string, ResourceClaim>();
  for (const entry of pod.spec.resourceClaims ?? []) {
    const found = claimName(pod, entry);
    if ('problem' in found) {
      const made = devices.claimToMake(pod, entry);
      if (!('claim' in made)) return refused(found.problem, made);
      claims.push(made.claim);
      toMake.set(entry.name, made.claim);
      continue;
    }
    if (found.name === undefined) continue;
    const claim = devices.claim(namespace, found.name);
    const about = { claim: `${namespace}/${found.name}` };
    if (claim === undefined) return refused(`could not find ResourceClaim "${namespace}/${found.name}"`, about);
    if (claim.metadata.deletionTimestamp !== undefined) {
      return refused(`resourceclaim "${found.name}" is being deleted`, about);
    }
    if (found.isFromTemplate && !isClaimOfPod(pod, claim)) {
      const names = [`${namespace}/${found.name}`, `${namespace}/${pod.metadata.name}`] as const;
      return refused(`ResourceClaim ${names[0]} was not created for Pod ${names[1]} (Pod is not owner)`, about);
    }
    claims.push(claim);
  }
  return { claims, made: toMake };
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
 * @param now in nanoseconds since 1970; undefined where the time is not known
 */
export function preparePod(devices: ClusterDevices, pod: Pod, now: bigint | undefined): PodDevices {
  const found = claimsOfPod(devices, pod);
  if ('code' in found) return found;
  const extended = extendedResources(devices, pod);
  if (found.claims.length === 0 && extended === undefined) return { code: 'Skip' };
  const own: OwnClaim[] = [];
  for (const claim of [...found.claims, ...(extended === undefined ? [] : [extended.claim])]) {
    const { allocation } = claim.status ?? {};
    const nodes = allocation?.nodeSelector === undefined ? undefined : compileNodeSelector(allocation.nodeSelector);
    const errors = (nodes?.terms ?? []).flatMap((term) => term.errors);
    if (errors.length > 0) return failed(aggregateText(errors), { claim: claimText(claim) });
    own.push({ claim, isAllocated: allocation !== undefined, nodes });
    if (allocation !== undefined || claim === extended?.claim) continue;
    const refusal = refusalOfRequests(devices, claim);
    if (refusal !== undefined) return refusal;
  }
  return { code: 'Success', pod: new PreparedPod(devices, pod, own, found.made, extended, now) };
}

/** Whether all requests are of a known type, and all classes exist. */
function refusalOfRequests(devices: ClusterDevices, claim: ResourceClaim): Refusal | undefined {
  const { spec } = claim;
  const about = { claim: claimText(claim) };
  const { alternatives } = devices.features;
  for (const { name, exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    if (exactly === undefined) {
      if (alternatives === 'unread') return failed(`request ${name}: unsupported request type`, about);
      if (firstAvailable.length === 0) {
        return refused(`resource claim ${claimText(claim)}, request ${name}: unknown request type`, about);
      }
      if (alternatives === 'refused') {
        const why = 'has subrequests, but the DRAPrioritizedList feature is disabled';
        return refused(`resource claim ${claimText(claim)}, request ${name}: ${why}`, about);
      }
    }
    const named =
      exactly === undefined
        ? firstAvailable.map((one) => [`${name}/${one.name}`, one.deviceClassName] as const)
        : [[name, exactly.deviceClassName] as const];
    for (const [request, className = ''] of named) {
      if (className === '') return failed(`request ${request}: unsupported request type`, about);
      if (devices.classOf(className) === undefined) {
        return refused(`request ${request}: device class ${className} does not exist`, about);
      }
    }
  }
  return undefined;
}

/** The name of a claim that would be made for extended resources. */
export const EXTENDED_RESOURCES_CLAIM = '<extended-resources>';

/** Undefined unless a class stands behind one of them (`preFilterExtendedResources`). Extended resources count alike in every version. */
function extendedResources(devices: ClusterDevices, pod: Pod): ExtendedResources | undefined {
  const requested = [...schedulerRequest(pod, DEFAULT_RULES).scalars].filter(
    ([name, amount]) => amount !== 0n && canBeDevices(name),
  );
  if (!requested.some(([name]) => devices.classesByResource.has(name))) return undefined;
  const claim = devices.extendedClaimOf(pod) ?? {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: EXTENDED_RESOURCES_CLAIM, namespace: pod.metadata.namespace ?? '' },
  };
  return { amounts: new Map(requested), claim };
}

/** `resourceapi.FirstAvailableDeviceRequestMaxSize`. */
const MAX_ALTERNATIVES = 8;

/** What the plugin does for extended resources on a node. */
interface ExtendedOnNode {
  /** The claim for those that the node has as devices only. */
  readonly claim: ResourceClaim | undefined;
  readonly mappings: readonly RequestMapping[];
}

const NOT_EXTENDED: ExtendedOnNode = { claim: undefined, mappings: [] };
const NOTHING_TO_ALLOCATE: Searched = { outcome: 'allocated', claims: [] };
const NOTHING_TO_DO: NodeVerdict = { code: 'Success', found: NOTHING_TO_ALLOCATE };

/** What the plugin says of a node, without what it would do there. */
type NodeVerdict = { readonly code: 'Success'; readonly found: Searched } | Exclude<NodeDevices, { code: 'Success' }>;

const CANNOT_ALLOCATE = refused('cannot allocate all claims', { devices: true });
const INVALID_POOLS = refused('invalid resource pools were encountered', { devices: true });

/** A pod that passed `PreFilter`. */
export class PreparedPod {
  private readonly input: AllocatorInput;
  private readonly isOnlyExtended: boolean;
  private readonly allocatedClaims: readonly OwnClaim[];
  /** By the claim for extended resources. */
  private readonly allocators = new Map<ResourceClaim | undefined, ClaimAllocator>();
  /** By the extended resources that devices provide. */
  private readonly ofExtended = new Map<string, ExtendedOnNode>();

  constructor(
    private readonly devices: ClusterDevices,
    private readonly pod: Pod,
    private readonly own: readonly OwnClaim[],
    private readonly made: ReadonlyMap<string, ResourceClaim>,
    private readonly extended: ExtendedResources | undefined,
    private readonly now: bigint | undefined,
  ) {
    this.input = devices.inputOf();
    this.isOnlyExtended = own.every(({ claim }) => claim === extended?.claim);
    this.allocatedClaims = own.filter(({ isAllocated }) => isAllocated);
  }

  /** Whether a node has the devices (`Filter`), and how well it does (`Score`, before it is normalized). */
  on(node: Node): NodeDevices {
    const forNode = this.extendedOn(node);
    const verdict = this.verdictOn(node, forNode);
    if (verdict.code !== 'Success') return verdict;
    const { claims } = this.allocatorFor('code' in forNode ? undefined : forNode.claim);
    const found = verdict.found.outcome === 'allocated' ? verdict.found.claims : [];
    const allocations = found.map((one, index) => ({ ...one, claim: claims[index]! }));
    const mappings = 'code' in forNode ? [] : forNode.mappings;
    return { code: 'Success', allocations, mappings, score: scoreOf(allocations) };
  }

  /** The code of `on`. */
  codeOn(node: Node): NodeDevices['code'] {
    return this.verdictOn(node, this.extendedOn(node)).code;
  }

  private verdictOn(node: Node, forNode: Refusal | ExtendedOnNode): NodeVerdict {
    if ('code' in forNode) return forNode;
    if (this.isOnlyExtended && forNode.claim === undefined) return NOTHING_TO_DO;
    const allocator = this.allocatorFor(forNode.claim);
    let found: Allocation = NOTHING_TO_ALLOCATE;
    if (allocator.claims.length > 0) {
      found = allocator.on(node);
      if (found.outcome === 'unknown') return { code: 'Unknown', why: found.why };
      if (found.outcome === 'error') return failed(found.message);
      if (found.outcome === 'failed')
        return this.withoutDevices(node, found.invalidPool ? INVALID_POOLS : CANNOT_ALLOCATE);
    }
    return this.refusalOfAllocated(node) ?? { code: 'Success', found };
  }

  /** A node may have devices that are not known; claims that are allocated have theirs. */
  private withoutDevices(node: Node, refusal: Refusal): NodeVerdict {
    if (node.unknownDevices === undefined) return refusal;
    const ofAllocated = this.refusalOfAllocated(node);
    if (ofAllocated?.code === 'UnschedulableAndUnresolvable') return ofAllocated;
    return { code: 'Unknown', why: node.unknownDevices };
  }

  /** Why the claims that are allocated cannot be used on a node. */
  private refusalOfAllocated(node: Node): Exclude<NodeDevices, { code: 'Success' }> | undefined {
    if (this.allocatedClaims.length === 0) return undefined;
    const unavailable = this.allocatedClaims.filter(
      ({ claim, nodes }) =>
        (nodes !== undefined && !matchCompiledNodeSelector(nodes, node).matches) || this.canBind(claim) === 'no',
    );
    const [first] = unavailable;
    if (first !== undefined) {
      const refusal = refused('resourceclaim not available on the node', { claim: claimText(first.claim) });
      return { ...refusal, unavailable: unavailable.map(({ claim }) => claim) };
    }
    const waiting = this.allocatedClaims.find(({ claim }) => this.canBind(claim) === 'unknown');
    if (waiting === undefined) return undefined;
    const what = `the devices of the claim ${claimText(waiting.claim)} are not ready`;
    return {
      code: 'Unknown',
      why: `${what}, and whether they still have time for that depends on when it is looked at`,
    };
  }

  private canBind(claim: ResourceClaim): ReturnType<typeof canBind> {
    return this.input.features.bindingConditions ? canBind(claim, this.now) : 'yes';
  }

  /** For the claims that a node would have to have devices for; the one for extended resources as it is for the node. */
  private allocatorFor(extended: ResourceClaim | undefined): ClaimAllocator {
    let allocator = this.allocators.get(extended);
    if (allocator === undefined) {
      const claims = this.own
        .filter(({ isAllocated }) => !isAllocated)
        .map(({ claim }) => (claim === this.extended?.claim ? (extended ?? claim) : claim));
      this.allocators.set(extended, (allocator = new ClaimAllocator(this.input, claims)));
    }
    return allocator;
  }

  /**
   * What is written when the pod is put on a node; undefined where it has nothing to do with devices there, or does not pass.
   *
   * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, `PreBind`.
   */
  assumeOn(node: Node): AssumedClaims | undefined {
    const found = this.on(node);
    if (found.code !== 'Success') return undefined;
    const results = new Map(found.allocations.map((one) => [one.claim.metadata.name, allocated(one)]));
    const claims = this.own.flatMap(({ claim, isAllocated }) => {
      const now = isAllocated ? claim : results.get(claim.metadata.name);
      return now === undefined || claim === this.extended?.claim ? [] : [reservedFor(now, this.pod)];
    });
    const made = new Map(
      [...this.made].flatMap(([entry, { metadata }]) => {
        const claim = claims.find((one) => one.metadata.name === metadata.name);
        return claim === undefined ? [] : [[entry, claim] as const];
      }),
    );
    const extended = this.extendedClaimFrom(results.get(EXTENDED_RESOURCES_CLAIM));
    if (extended !== undefined) claims.push(extended);
    if (claims.length === 0) return undefined;
    const own = extended && { claim: extended, mappings: found.mappings };
    return { claims, allocations: found.allocations, pod: withClaimStatus(this.pod, made, own) };
  }

  private extendedClaimFrom(result: ResourceClaim | undefined): ResourceClaim | undefined {
    if (result === undefined) return undefined;
    const { metadata, ...made } = this.devices.made(this.pod, 'extended-resources', result.spec, MARK_OF_EXTENDED);
    return reservedFor({ ...result, ...made, metadata }, this.pod);
  }

  /** Why the claims find no devices on a node. */
  shortagesOn(node: Node): readonly DeviceShortage[] {
    const forNode = this.extendedOn(node);
    return 'code' in forNode ? [] : this.allocatorFor(forNode.claim).shortagesOn(node);
  }

  /**
   * What is done for a pod that fits nowhere: a claim is deallocated that cannot be used on one of the nodes and that nobody else uses, or
   * that of an earlier attempt is deleted (`PostFilter`).
   *
   * @param nodes those that other filters passed
   */
  afterFilter(nodes: readonly Node[]): 'deallocation' | 'deletion' | 'nothing' {
    const isOwn = ({ uid }: { readonly uid: string }): boolean => uid === this.pod.metadata.uid;
    const isFree = nodes.some((node) => {
      const found = this.verdictOn(node, this.extendedOn(node));
      if (found.code !== 'UnschedulableAndUnresolvable' || found.unavailable === undefined) return false;
      return found.unavailable.some(({ status }) => {
        const users = status?.reservedFor ?? [];
        return users.length === 0 || (users.length === 1 && users.every(isOwn));
      });
    });
    if (isFree) return 'deallocation';
    const { name = EXTENDED_RESOURCES_CLAIM } = this.extended?.claim.metadata ?? {};
    return name === EXTENDED_RESOURCES_CLAIM ? 'nothing' : 'deletion';
  }

  /** The pod's claims that are not allocated; without the one for extended resources. */
  unallocated(): readonly ResourceClaim[] {
    return this.own.flatMap(({ claim, isAllocated }) => (isAllocated || claim === this.extended?.claim ? [] : [claim]));
  }

  /** Whether an alternative may be taken that others are preferred to. */
  hasAlternatives(): boolean {
    return this.unallocated().some(({ spec }) =>
      (spec?.devices?.requests ?? []).some(({ firstAvailable = [] }) => firstAvailable.length > 0),
    );
  }

  /** The claim for extended resources that this node has as devices only (`filterExtendedResources`). */
  private extendedOn(node: Node): Refusal | ExtendedOnNode {
    if (this.extended === undefined) return NOT_EXTENDED;
    const { claim, amounts } = this.extended;
    if (claim.spec?.devices?.requests !== undefined)
      return refused('cannot schedule extended resource claim', { claim: claimText(claim) });
    const { scalars } = allocatableVector(node.status?.allocatable);
    const provided = new Map<string, DeviceClass>();
    for (const name of amounts.keys()) {
      const deviceClass = this.devices.classesByResource.get(name);
      if (deviceClass !== undefined && (scalars.get(name) ?? 0n) === 0n) provided.set(name, deviceClass);
      else if (!scalars.has(name)) return refused('cannot fit resource', { resource: name });
    }
    if ((this.isOnlyExtended && provided.size === 0) || claim.status?.allocation !== undefined) return NOT_EXTENDED;
    const key = [...provided.keys()].join();
    let known = this.ofExtended.get(key);
    if (known === undefined) {
      const { requests, mappings } = requestsFor(this.pod, provided);
      known = { claim: { ...claim, spec: this.devices.extendedSpec(requests) }, mappings };
      this.ofExtended.set(key, known);
    }
    return known;
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
