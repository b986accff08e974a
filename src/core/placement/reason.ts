import type { DeviceShortage } from '../devices/device-shortage.js';
import { escapePointer } from '../json/escape-pointer.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { Taint } from '../kubernetes/objects/taints.js';

/** Stable codes of reasons, for machines. */
export const REASON_CODES = [
  'SchedulingGated',
  'PodGroupNotFound',
  'NodeUnschedulable',
  'NodeNameMismatch',
  'UntoleratedTaint',
  'NodeSelectorMismatch',
  'NodeAffinityMismatch',
  'NodeAffinityConflict',
  'EnforcedNodeAffinityMismatch',
  'ExcludedByPreFilter',
  'HostPortConflict',
  'TooManyPods',
  'InsufficientResource',
  'SidecarsDisabled',
  'InvalidTopologySpread',
  'TopologyLabelMissing',
  'TopologySpreadSkew',
  'InvalidPodAffinity',
  'PodAffinityUnmet',
  'PodAntiAffinityConflict',
  'ExistingPodAntiAffinity',
  'NodeFeatureMissing',
  'DiskInUse',
  'ClaimInUse',
  'ClaimNotUsable',
  'ClaimNotBound',
  'VolumeLimitReached',
  'VolumeNodeMismatch',
  'NoVolumeToBind',
  'NoStorageCapacity',
  'BoundVolumeMissing',
  'VolumeZoneMismatch',
  'ResourceClaimNotUsable',
  'DevicesNotAllocatable',
  'DeviceAllocationFailed',
  'NotImplemented',
  'OutOfTreePlugin',
  'KindNotLoaded',
  'RuntimeClassNotFound',
  'AdmissionUnknown',
] as const;

export type ReasonCode = (typeof REASON_CODES)[number];

/** `fwk.Code` of a rejection. Unschedulable: preemption may help. Unknown is ours: a rule that is not built, or lacks data. */
export const REJECTION_STATUSES = ['Unschedulable', 'UnschedulableAndUnresolvable', 'Error', 'Unknown'] as const;

export type RejectionStatus = (typeof REJECTION_STATUSES)[number];

/** A place in the pod of the request, or in the node. */
export interface FieldReference {
  readonly object: 'pod' | 'node';
  /** As Kubernetes writes it: `spec.tolerations[0]`. */
  readonly path: string;
  /** RFC 6901: `/spec/tolerations/0`. */
  readonly pointer: string;
}

/** A requirement on a label or field that a node does not meet. */
export interface UnmetRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
  /** The node's value; null where it has no such label. */
  readonly actual: string | null;
  readonly field: FieldReference;
}

/** Nothing: the code and the message say it all. */
export type NoFacts = Readonly<Record<string, never>>;

export interface TaintFacts {
  readonly taint: Taint;
  /** The taint is not on the node: `spec.unschedulable` stands for it. */
  readonly implied?: boolean;
}

export interface GatesFacts {
  readonly gates: readonly string[];
}

export interface PodGroupFacts {
  /** `namespace/name`. */
  readonly podGroup: string;
}

export interface NodeNameFacts {
  readonly nodeName: string;
}

export interface LabelFact {
  readonly key: string;
  readonly wanted: string;
  readonly actual: string | null;
}

export interface LabelFacts {
  readonly label: LabelFact;
}

export interface UnmetTerm {
  readonly index: number;
  readonly unmet: readonly UnmetRequirement[];
}

/** Of node affinity: each term, and what of it is not met. */
export interface NodeAffinityFacts {
  readonly terms: readonly UnmetTerm[];
}

export interface HostPortFacts {
  readonly hostPort: { readonly port: number; readonly protocol: string; readonly hostIP: string };
  /** `namespace/name` of the pods that stand in the way. */
  readonly pods: readonly string[];
}

/** Quantities are in Kubernetes' notation. */
export interface ResourceFacts {
  readonly resource: string;
  /** What the pod asks for. */
  readonly requested: string;
  /** What the node's pods hold. */
  readonly used: string;
  /** What the node has for pods in all. */
  readonly allocatable: string;
  /** Allocatable minus used. */
  readonly available: string;
}

/** The label that the rule goes by, and the node's value of it; null where it has no such label. */
export interface TopologyFacts {
  readonly topology: TopologyFact;
}

export interface TopologySpreadFacts extends TopologyFacts {
  /** The arithmetic of `matching + self - minimum > maxSkew`. */
  readonly spread: SpreadFact;
}

export interface PodAffinityFacts {
  /** The terms that decide, by their place in the list; those of the existing pods where they are theirs. */
  readonly affinityTerms: readonly AffinityTermFact[];
  /** `namespace/name` of the pods that stand in the way. */
  readonly pods?: readonly string[];
}

/** Features that the node does not declare. */
export interface FeatureFacts {
  readonly features: readonly string[];
}

export interface DiskFacts {
  /** `namespace/name` of the pods that stand in the way. */
  readonly pods: readonly string[];
}

export interface ClaimInUseFacts extends DiskFacts {
  /** `namespace/name` of the PersistentVolumeClaim. */
  readonly claim: string;
}

export interface ClaimFacts {
  /** `namespace/name` of the PersistentVolumeClaim. */
  readonly claim?: string;
  readonly persistentVolume?: string;
  readonly storageClass?: string;
  /** The node that was selected for the claim. */
  readonly nodeName?: string;
}

/** Of attached volumes: what of the driver's limit is taken, and what the pod adds. */
export interface VolumeLimitFacts {
  readonly volumeLimit: {
    readonly driver: string;
    readonly attached: number;
    readonly added: number;
    readonly limit: number;
  };
}

export interface VolumeZoneFacts extends LabelFacts {
  /** `namespace/name` of the PersistentVolumeClaim. */
  readonly claim: string;
  readonly persistentVolume: string;
}

export interface ResourceClaimFacts {
  /** `namespace/name` of the ResourceClaim. */
  readonly claim?: string;
  /** An extended resource that the node does not know. */
  readonly resource?: string;
  /** `namespace/name` of the ResourceClaimTemplate from which no claim can be made. */
  readonly template?: string;
  /** Why no claim can be made from the template. */
  readonly because?: string;
}

/** A request for which the node has too few devices. */
export interface DeviceFacts extends Omit<DeviceShortage, 'wanted'> {
  /** Null for all devices. */
  readonly wanted: number | null;
}

export interface MissingKindFacts {
  /** Kinds that the rule needs and that were never loaded. */
  readonly missingKinds: readonly KeptKind[];
  readonly runtimeClass?: string;
}

export interface RuntimeClassFacts {
  readonly runtimeClass: string;
}

/** What a reason rests on, by its code. */
export interface FactsByCode {
  readonly SchedulingGated: GatesFacts;
  readonly PodGroupNotFound: PodGroupFacts;
  readonly NodeUnschedulable: TaintFacts;
  readonly NodeNameMismatch: NodeNameFacts;
  readonly UntoleratedTaint: TaintFacts;
  readonly NodeSelectorMismatch: LabelFacts;
  readonly NodeAffinityMismatch: NodeAffinityFacts;
  readonly NodeAffinityConflict: NoFacts;
  readonly EnforcedNodeAffinityMismatch: NoFacts;
  readonly ExcludedByPreFilter: NodeNameFacts;
  readonly HostPortConflict: HostPortFacts;
  readonly TooManyPods: ResourceFacts;
  readonly InsufficientResource: ResourceFacts;
  readonly InvalidTopologySpread: NoFacts;
  readonly TopologyLabelMissing: TopologyFacts;
  readonly TopologySpreadSkew: TopologySpreadFacts;
  readonly InvalidPodAffinity: NoFacts;
  readonly PodAffinityUnmet: PodAffinityFacts;
  readonly PodAntiAffinityConflict: PodAffinityFacts;
  readonly ExistingPodAntiAffinity: PodAffinityFacts;
  readonly NodeFeatureMissing: FeatureFacts;
  readonly DiskInUse: DiskFacts;
  readonly ClaimInUse: ClaimInUseFacts;
  readonly ClaimNotUsable: ClaimFacts;
  readonly ClaimNotBound: ClaimFacts;
  readonly VolumeLimitReached: VolumeLimitFacts;
  readonly VolumeNodeMismatch: ClaimFacts;
  readonly NoVolumeToBind: ClaimFacts;
  readonly NoStorageCapacity: ClaimFacts;
  readonly BoundVolumeMissing: ClaimFacts;
  readonly VolumeZoneMismatch: VolumeZoneFacts;
  readonly ResourceClaimNotUsable: ResourceClaimFacts;
  readonly DevicesNotAllocatable: DeviceFacts;
  readonly DeviceAllocationFailed: NoFacts;
  readonly NotImplemented: NoFacts;
  readonly OutOfTreePlugin: NoFacts;
  readonly KindNotLoaded: MissingKindFacts;
  readonly RuntimeClassNotFound: RuntimeClassFacts;
  readonly SidecarsDisabled: NoFacts;
  readonly AdmissionUnknown: NoFacts;
}

export interface TopologyFact {
  readonly key: string;
  readonly value: string | null;
}

/** How the pods that a spread constraint selects lie over the values of its label. */
export interface SpreadFact {
  readonly maxSkew: number;
  /** The pods that count on nodes with this node's value. */
  readonly matching: number;
  /** 1 where the pod itself is selected, else 0. */
  readonly self: 0 | 1;
  /** The fewest pods of any value that counts; 0 where there are fewer values than `minDomains`. */
  readonly minimum: number;
  /** `matching + self - minimum`. */
  readonly skew: number;
  readonly minDomains: number;
  /** How many values count. */
  readonly domains: number;
  /** The values with the fewest pods, up to ten. */
  readonly fewest: readonly { readonly value: string; readonly pods: number }[];
}

export interface AffinityTermFact {
  readonly index: number;
  readonly topology: TopologyFact;
  readonly selector: string;
  /** Of existing pods' terms: whose it is, as `namespace/name`; else absent. */
  readonly pod?: string;
}

/** One reason against one node, with the facts that belong to its code. */
export type Reason<Code extends ReasonCode = ReasonCode> = {
  readonly [One in Code]: {
    readonly plugin: string;
    readonly code: One;
    readonly status: RejectionStatus;
    /** In Kubernetes' own words; in ours where Kubernetes has none. */
    readonly message: string;
    readonly facts: FactsByCode[One];
    /** The places that the reason is about, in the pod and in the node. */
    readonly fields: readonly FieldReference[];
  };
}[Code];

/** A reason without what is particular to a node, for counting. */
export interface CommonReason<Code extends ReasonCode = ReasonCode> {
  readonly code: Code;
  readonly message: string;
  /** Distinguishes reasons with the same code and message: the taint, as `taint`. */
  readonly taint?: Taint;
}

/** A place in the pod: `podField('spec', 'tolerations', 0)`. */
export function podField(...segments: readonly (string | number)[]): FieldReference {
  return reference('pod', segments);
}

export function nodeField(...segments: readonly (string | number)[]): FieldReference {
  return reference('node', segments);
}

/** An entry of a map in a node: `nodeMapField(['metadata', 'labels'], key)`. */
export function nodeMapField(path: readonly [string, ...string[]], key: string): FieldReference {
  return mapReference('node', path, key);
}

export function podMapField(path: readonly [string, ...string[]], key: string): FieldReference {
  return mapReference('pod', path, key);
}

function mapReference(object: 'pod' | 'node', path: readonly [string, ...string[]], key: string): FieldReference {
  const { path: at, pointer } = reference(object, path);
  return { object, path: `${at}[${key}]`, pointer: `${pointer}/${escapePointer(key)}` };
}

/** As `FieldPath` writes it, without a path in between: a page of nodes has hundreds of them. No name needs escaping. */
function reference(object: 'pod' | 'node', segments: readonly (string | number)[]): FieldReference {
  let path = '';
  let pointer = '';
  for (const segment of segments) {
    path += typeof segment === 'number' ? `[${segment}]` : path === '' ? segment : `.${segment}`;
    pointer += `/${segment}`;
  }
  return { object, path, pointer };
}

/** Whether a request for devices has too few of them. */
export const isOfDevices = <One extends { readonly code: ReasonCode }>(
  reason: One,
): reason is Extract<One, { readonly code: 'DevicesNotAllocatable' }> => reason.code === 'DevicesNotAllocatable';
