import type { ClusterState } from '../cluster/cluster-state.js';
import { compileLabelSelector } from '../kubernetes/label-selector.js';
import type { PoolRequirement } from '../kubernetes/objects/karpenter.js';
import type { Labels, ResourceList } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { NodeReadinessRule } from '../kubernetes/objects/node-readiness.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import { Quantity } from '../kubernetes/quantity.js';
import { matchesTaint } from '../kubernetes/taint.js';
import { gatesOf, indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';
import { evaluateNode, type EvaluationQuestion } from '../placement/evaluate-placement.js';
import type { NodeExplanation } from '../placement/node-explanation.js';
import type { Reason } from '../placement/reason.js';
import type { Verdict } from '../placement/placement.js';
import { namedCsiNode, namedNode } from '../scenario/node-template.js';
import type { DaemonPods } from './daemon-pods.js';
import { karpenterGroups } from './karpenter-groups.js';
import {
  CAPACITY_TYPE,
  conflict,
  FORMER_LABELS,
  INSTANCE_TYPE,
  isAllowed,
  isOfInstanceType,
  isOfOffering,
  isWellKnown,
  requirementsOf,
  someValue,
  ZONE,
  type LabelRequirements,
} from './label-requirements.js';
import { machineGroups } from './machine-groups.js';
import { managedGroups } from './managed-groups.js';
import { capacityOf, type GroupReason, type NodeGroup, type NodeShape } from './node-group.js';

/** Whether a new node of a group would take the pod. */
export interface NewNode {
  readonly group: NodeGroup;
  readonly verdict: Verdict;
  /** Why the group makes no node for the pod, and what is not known of its nodes. */
  readonly groupReasons: readonly GroupReason[];
  /** What the filters say of the node that comes closest, its startup taints aside; those that are only uncertain are unknown. */
  readonly explanation: NodeExplanation;
  /** The machine that the explanation is about; undefined if nothing in the cluster shows one. */
  readonly shape: NodeShape | undefined;
  readonly zone: string | undefined;
  readonly startupTaints: readonly StartupTaint[];
  readonly daemonPods: number;
  /** What these request in all. */
  readonly daemonRequests: ResourceList;
}

export interface StartupTaint {
  readonly taint: Taint;
  readonly tolerated: boolean;
}

/** The groups of a state: those of Karpenter, machine groups, and those of cloud providers. */
export const nodeGroups = (state: ClusterState): readonly NodeGroup[] => [
  ...karpenterGroups(state),
  ...machineGroups(state),
  ...managedGroups(state),
];

/** Machines and zones that are tried of a group. */
const MOST_SHAPES = 50;
const MOST_ZONES = 10;

/** A group that is tried: how it would grow for the pod. */
interface Attempt {
  readonly group: NodeGroup;
  readonly question: EvaluationQuestion;
  /** The labels that a node of the group may have for the pod; those of the group alone if the two do not agree. */
  readonly requirements: LabelRequirements | undefined;
  readonly daemonSets: DaemonPods;
}

interface Candidate {
  readonly shape: NodeShape | undefined;
  readonly zone: string | undefined;
  readonly explanation: NodeExplanation;
  readonly daemons: readonly Pod[];
  /** Whether the verdict is about a zone in which the group may have no nodes. */
  readonly isZoneDoubtful: boolean;
}

/**
 * Whether a new node of a group would take the pod: the filters are asked about a node that the state does not have, with the pods of its
 * DaemonSets. Yields after each node, which costs about as much as a placement on one node.
 */
export function* newNodeOf(
  state: ClusterState,
  group: NodeGroup,
  question: EvaluationQuestion,
  daemonSets: DaemonPods,
): Generator<undefined, NewNode> {
  const { pod, gates = gatesOf(state.rules) } = question;
  const attempt: Attempt = { group, question, requirements: requirementsFor(group, pod), daemonSets };
  const shapes = shapesFor(attempt);
  const zones = zonesFor(attempt);
  const best = yield* stepBest(state, attempt, shapes, zones);
  const { shape, zone, explanation, daemons } = best;
  const requested = sumOfRequests(daemons);
  const reasons = [
    ...group.reasons,
    ...limitReasons(group, pod, daemons, shapes.areAllTooLarge),
    ...valueReasons(attempt),
    ...taintReasons(group, pod, gates),
  ];
  const refusals = reasons.filter((reason) => reason.verdict === 'infeasible');
  const isRefused = refusals.length > 0 || explanation.verdict === 'infeasible';
  const groupReasons = isRefused ? refusals : [...reasons, ...offeringReasons(attempt), ...unknownReasons(group, best)];
  return {
    group,
    verdict: verdictOf(explanation.verdict, groupReasons),
    groupReasons,
    explanation,
    shape,
    zone,
    startupTaints: startupTaintsOf(state, group, explanation.node, shape, zone, attempt).map((taint) => ({
      taint,
      tolerated: indexOfTolerating(pod.spec.tolerations ?? [], taint, gates) >= 0,
    })),
    daemonPods: daemons.length,
    daemonRequests: requested,
  };
}

/**
 * The machine and zone that come closest. What refuses the pod whatever the machine, or whatever the zone, is not tried again with another. A
 * zone of which nothing says that the group has nodes there counts without doubt only if every zone would do.
 */
function* stepBest(
  state: ClusterState,
  attempt: Attempt,
  shapes: Shapes,
  zones: Zones,
): Generator<undefined, Candidate> {
  let best: Candidate | undefined;
  for (const shape of shapes.tried.length === 0 ? [undefined] : shapes.tried) {
    const doubts = { machine: shape === undefined || !shapes.isComplete, zone: zones.isOpen };
    let isOfMachine = false;
    let isEvery = zones.isAnyAllowed;
    for (const zone of zones.tried) {
      const candidate = {
        ...evaluated(state, attempt, shape, zone, doubts),
        isZoneDoubtful: zones.isDoubtful(zone),
      };
      yield undefined;
      if (best === undefined || isBetter(candidate, best)) best = candidate;
      const { verdict, reasons } = candidate.explanation;
      if (verdict === 'feasible' && !candidate.isZoneDoubtful) return candidate;
      if (reasons.some(({ plugin }) => OF_TEMPLATES.includes(plugin))) return best;
      isEvery &&= verdict === 'feasible';
      isOfMachine ||= reasons.some(({ plugin }) => OF_MACHINES.includes(plugin));
      if (reasons.some(({ plugin }) => plugin === OF_RESOURCES)) break;
    }
    if (isEvery) {
      const { explanation } = evaluated(state, attempt, shape, ANOTHER_ZONE, doubts);
      yield undefined;
      return explanation.verdict === 'feasible' ? { ...best!, isZoneDoubtful: false } : best!;
    }
    if (!isOfMachine) break;
  }
  return best!;
}

function verdictOf(ofNode: Verdict, reasons: readonly GroupReason[]): Verdict {
  if (ofNode === 'infeasible' || reasons.some(({ verdict }) => verdict === 'infeasible')) return 'infeasible';
  return reasons.length > 0 ? 'unknown' : ofNode;
}

const RANK: Readonly<Record<Verdict, number>> = { feasible: 0, unknown: 1, infeasible: 2 };

const rankOf = ({ explanation: { verdict }, isZoneDoubtful }: Candidate): number =>
  verdict === 'feasible' && isZoneDoubtful ? RANK.unknown : RANK[verdict];

function isBetter(a: Candidate, b: Candidate): boolean {
  const difference = rankOf(a) - rankOf(b);
  return difference < 0 || (difference === 0 && a.explanation.reasons.length < b.explanation.reasons.length);
}

/**
 * The first terms of the pod's node affinity that the group can meet, and its node selector. Karpenter, too, drops terms from the first on
 * until one fits.
 *
 * Source: sigs.k8s.io/karpenter v1.9.1, pkg/controllers/provisioning/scheduling/preferences.go, `removeRequiredNodeAffinityTerm`.
 */
function requirementsFor({ requirements }: NodeGroup, pod: Pod): LabelRequirements | undefined {
  if (requirements === undefined) return undefined;
  const { nodeSelector, affinity } = pod.spec;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const alternatives: readonly (readonly PoolRequirement[])[] =
    terms.length === 0 ? [[]] : terms.map(({ matchExpressions = [] }) => matchExpressions);
  for (const expressions of alternatives) {
    const ofPod = requirementsOf(expressions, nodeSelector);
    if (conflict(requirements, ofPod) === undefined) return requirementsOf(expressions, nodeSelector, requirements);
  }
  return requirements;
}

interface Shapes {
  /** The machines that the group may choose for the pod. */
  readonly tried: readonly NodeShape[];
  /** Whether there can be no others. */
  readonly isComplete: boolean;
  /** Whether there can be no others, and the limits of the group allow none of them. */
  readonly areAllTooLarge: boolean;
}

function shapesFor({ group, requirements, question }: Attempt): Shapes {
  const { shapes, kind } = group;
  if (kind !== 'NodePool') return { tried: shapes, isComplete: shapes.length > 0, areAllTooLarge: false };
  const limits = group.limits.map(({ resource, limit, used }) => ({
    resource,
    left: Quantity.parse(limit).sub(Quantity.parse(used)),
  }));
  const byType = new Map<string, NodeShape>();
  let isCut = false;
  const allowed = shapes.filter(({ labels }) =>
    [...(requirements ?? [])].every(([key, values]) => {
      if (!isOfInstanceType(key)) return true;
      const value = labels[key];
      return value === undefined ? !isWellKnown(key) || values.complement : isAllowed(values, value);
    }),
  );
  for (const shape of allowed) {
    const type = shape.labels[INSTANCE_TYPE]!;
    if (!byType.has(type)) byType.set(type, shape);
  }
  const within = [...byType.values()].filter((shape) =>
    limits.every(({ resource, left }) => fits(capacityOf(shape)[resource], left)),
  );
  const tried = worthTrying(within, question.pod);
  if (tried.length > MOST_SHAPES) {
    isCut = true;
    tried.length = MOST_SHAPES;
  }
  const types = requirements?.get(INSTANCE_TYPE);
  const isComplete =
    !isCut && types !== undefined && !types.complement && [...types.values].every((type) => byType.has(type));
  return { tried, isComplete, areAllTooLarge: isComplete && within.length === 0 };
}

/** The machines that would hold the pod alone; if there are none, the first. */
function worthTrying(shapes: readonly NodeShape[], pod: Pod): NodeShape[] {
  const needed = [...podRequests(pod)];
  const holding = shapes.filter(({ status: { allocatable = {} } }) =>
    needed.every(([name, amount]) => amount.isZero() || amount.cmp(Quantity.parse(allocatable[name] ?? '0')) <= 0),
  );
  return holding.length > 0 ? holding : shapes.slice(0, 1);
}

const fits = (amount: string | undefined, left: Quantity): boolean =>
  amount === undefined ? left.sign() >= 0 : Quantity.parse(amount).cmp(left) <= 0;

interface Zones {
  /** In which a new node may be, those first in which it can be; undefined if none is known. */
  readonly tried: readonly (string | undefined)[];
  /** Whether there may be others. */
  readonly isOpen: boolean;
  /** Whether nothing says that the group has nodes there. */
  readonly isDoubtful: (zone: string | undefined) => boolean;
  /** Whether a pod that each zone would take finds one. */
  readonly isAnyAllowed: boolean;
}

function zonesFor({ group, requirements }: Attempt): Zones {
  const allowed = requirements?.get(ZONE);
  const isNamed = allowed !== undefined && !allowed.complement;
  const isAnyAllowed = allowed === undefined || (allowed.complement && allowed.values.size === 0);
  const ofGroup = group.requirements?.get(ZONE);
  const sure = new Set(ofGroup === undefined || ofGroup.complement ? group.zones : ofGroup.values);
  const isSure = (zone: string): boolean => group.kind !== 'NodePool' || sure.has(zone);
  const known = isNamed
    ? [...allowed.values].sort()
    : [...group.zones, ...group.otherZones].filter((zone) => allowed === undefined || isAllowed(allowed, zone));
  const tried = [...known.filter(isSure), ...known.filter((zone) => !isSure(zone))];
  return {
    tried: tried.length === 0 ? [undefined] : tried.slice(0, MOST_ZONES),
    isOpen: tried.length === 0 || tried.length > MOST_ZONES || (group.kind === 'NodePool' && !isNamed),
    isDoubtful: (zone) => (zone === undefined ? !isAnyAllowed : !isSure(zone)),
    isAnyAllowed,
  };
}

/** Stands for the zones that nothing shows: no other node is there. */
const ANOTHER_ZONE = 'another-zone';

function evaluated(
  state: ClusterState,
  attempt: Attempt,
  shape: NodeShape | undefined,
  zone: string | undefined,
  doubts: Doubts,
): Omit<Candidate, 'isZoneDoubtful'> {
  const { question, daemonSets } = attempt;
  const node = newNode(state, attempt, shape, zone);
  const { name } = node.metadata;
  const daemons = daemonSets.on(node);
  const grown = state.apply({
    upserts: [node, ...(shape?.csiNode === undefined ? [] : [namedCsiNode(shape.csiNode, name)]), ...daemons],
  });
  const explanation = evaluateNode(grown, question, grown.nodes.indexOf(name));
  return { shape, zone, daemons, explanation: withDoubts(explanation, doubts) };
}

/** A machine that nothing shows has an unknown capacity: the filters see one that would hold any pod. */
const UNKNOWN_CAPACITY = '1000000000000';

/** A node as it is once its startup taints are gone. */
function newNode(
  state: ClusterState,
  { group, requirements }: Attempt,
  shape: NodeShape | undefined,
  zone: string | undefined,
): Node {
  const found = new Map(Object.entries({ ...labelsOfShape(group, shape), ...group.labels }));
  for (const [key, values] of requirements ?? []) {
    const former = found.get(key);
    if (former !== undefined && isAllowed(values, former)) continue;
    const value = someValue(values);
    if (value === undefined) found.delete(key);
    else found.set(key, value);
  }
  const former = shape?.labels[ZONE];
  if (zone !== undefined) {
    // Drivers of volumes repeat the zone under keys of their own.
    for (const [key, value] of found) if (former !== undefined && value === former) found.set(key, zone);
    found.set(ZONE, zone);
  }
  for (const [alias, key] of FORMER_LABELS) {
    const value = found.get(key);
    if (value !== undefined && !found.has(alias)) found.set(alias, value);
  }
  const labels = Object.fromEntries(found);
  const status = shape?.status ?? unknownStatus(labels);
  const template: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: '', labels },
    spec: group.taints.length === 0 ? {} : { taints: group.taints },
    status: { ...status, conditions: [{ type: 'Ready', status: 'True' }] },
  };
  return namedNode(template, freeName(state, group));
}

/** Of the labels of a node of another pool, only those that describe its machine. */
function labelsOfShape({ kind }: NodeGroup, shape: NodeShape | undefined): Labels {
  if (shape === undefined) return {};
  if (kind !== 'NodePool') return shape.labels;
  const former = shape.labels[ZONE];
  return Object.fromEntries(
    Object.entries(shape.labels).filter(
      ([key, value]) => isWellKnown(key) || (former !== undefined && value === former),
    ),
  );
}

function unknownStatus(labels: Labels): NonNullable<Node['status']> {
  const amounts = {
    cpu: UNKNOWN_CAPACITY,
    memory: UNKNOWN_CAPACITY,
    'ephemeral-storage': UNKNOWN_CAPACITY,
    pods: '110',
  };
  const { 'kubernetes.io/os': operatingSystem = 'linux', 'kubernetes.io/arch': architecture = '' } = labels;
  return { capacity: amounts, allocatable: amounts, nodeInfo: { operatingSystem, architecture } };
}

function freeName({ nodes }: ClusterState, { name }: NodeGroup): string {
  let free = `new-node-of-${name}`;
  while (nodes.indexOf(free) >= 0) free += '-';
  return free;
}

/** The filters whose refusals depend on what only a machine shows. */
const OF_RESOURCES = 'NodeResourcesFit';
const OF_MACHINES = [OF_RESOURCES, 'NodeDeclaredFeatures', 'NodeVolumeLimits', 'VolumeBinding', 'VolumeZone'];
/** Those that refuse a pod whatever its machine and zone are. */
const OF_TEMPLATES = ['TaintToleration', 'NodeName', 'SchedulingGates'];
/** The devices of a new node are published after it has started. */
const OF_DEVICES = 'DynamicResources';

/** What may be otherwise than it was tried. */
interface Doubts {
  readonly machine: boolean;
  readonly zone: boolean;
}

/** Refusals that another zone would not know; a pod that needs others near it finds them in no zone without nodes. */
const isOfZone = (reason: Reason): boolean =>
  ((reason.code === 'TopologyLabelMissing' || reason.code === 'TopologySpreadSkew') &&
    reason.facts.topology.key === ZONE) ||
  ((reason.code === 'PodAntiAffinityConflict' || reason.code === 'ExistingPodAntiAffinity') &&
    reason.facts.affinityTerms.every(({ topology }) => topology.key === ZONE));

/** The explanation with the reasons that may not hold for a real node as unknown ones. */
function withDoubts(explanation: NodeExplanation, { machine, zone }: Doubts): NodeExplanation {
  const isDoubtful = (reason: Reason): boolean =>
    reason.plugin === OF_DEVICES || (machine && OF_MACHINES.includes(reason.plugin)) || (zone && isOfZone(reason));
  const reasons = explanation.reasons.map((reason) =>
    isDoubtful(reason) ? { ...reason, status: 'Unknown' as const } : reason,
  );
  const refusing = reasons.findIndex(({ status }) => status !== 'Unknown');
  return {
    ...explanation,
    verdict: refusing >= 0 ? 'infeasible' : reasons.length > 0 ? 'unknown' : explanation.verdict,
    reasons: reasons.map((reason, index) => ({ ...reason, first: index === refusing })),
  };
}

/** A machine holds at least the pod and its daemons, so limits that these exceed are reached. */
function limitReasons(
  { kind, limits, reasons }: NodeGroup,
  pod: Pod,
  daemons: readonly Pod[],
  areAllTooLarge: boolean,
): readonly GroupReason[] {
  if (kind !== 'NodePool' || reasons.some(({ code }) => code === 'LimitReached')) return [];
  if (areAllTooLarge) {
    const message = 'each of the instance types that the NodePool allows has more than its limits leave';
    return [{ code: 'LimitReached', verdict: 'infeasible', message }];
  }
  const needed = sumOfRequests([pod, ...daemons]);
  return limits.flatMap(({ resource, limit, used }) => {
    const amount = needed[resource];
    if (amount === undefined || fits(amount, Quantity.parse(limit).sub(Quantity.parse(used)))) return [];
    const message = `the NodePool has ${used} of at most ${limit} ${resource}, and the pod and its daemons need ${amount}`;
    return [{ code: 'LimitReached', verdict: 'infeasible', message } as const];
  });
}

/**
 * Requirements of the pod that leave fewer values of a label than the NodePool wants to choose from.
 *
 * Source: sigs.k8s.io/karpenter v1.9.1, pkg/cloudprovider/types.go, `SatisfiesMinValues`; with --min-values-policy=BestEffort it would launch a
 * node nevertheless.
 */
function valueReasons({ requirements }: Attempt): readonly GroupReason[] {
  return [...(requirements ?? [])].flatMap(([key, { values, complement, minValues }]): GroupReason[] => {
    if (minValues === undefined || !isOfInstanceType(key) || complement || values.size >= minValues) return [];
    const message = `the NodePool wants at least ${minValues} values of ${key}, and the pod leaves ${values.size}`;
    return [{ code: 'TooFewValues', verdict: 'infeasible', message }];
  });
}

/** Startup taints that the cluster autoscaler counts as long as no flag of it names them, and that the pod does not tolerate. */
function taintReasons({ undeclaredTaints }: NodeGroup, pod: Pod, gates: TolerationGates): readonly GroupReason[] {
  return undeclaredTaints
    .filter(({ effect }) => effect !== 'PreferNoSchedule')
    .filter((taint) => indexOfTolerating(pod.spec.tolerations ?? [], taint, gates) < 0)
    .map(({ key, effect }) => ({
      code: 'StartupTaintUnknown',
      verdict: 'unknown',
      message: `the cluster autoscaler adds no node for a pod that does not tolerate ${key}:${effect}, unless it has --startup-taint=${key}`,
    }));
}

/**
 * Labels of offerings, such as the region, that the pod asks for, and of which neither the NodePool nor its nodes say that the cloud provider has
 * them.
 */
function offeringReasons({ group, requirements }: Attempt): readonly GroupReason[] {
  return [...(requirements ?? [])].flatMap(([key, { values, complement }]): GroupReason[] => {
    if (key === ZONE || !isOfOffering(key) || complement || values.size === 0) return [];
    const named = group.requirements?.get(key);
    if (named !== undefined && !named.complement) return [];
    if ([...values].some((value) => group.offered.get(key)?.has(value))) return [];
    const code = key === CAPACITY_TYPE ? 'InstanceTypeUnknown' : 'ZoneUnknown';
    const message = `whether Karpenter can launch nodes with ${key}=${[...values].sort().join(' or ')} is not known`;
    return [{ code, verdict: 'unknown', message }];
  });
}

function unknownReasons(
  { kind }: NodeGroup,
  { shape, explanation, zone, isZoneDoubtful }: Candidate,
): readonly GroupReason[] {
  const reasons: GroupReason[] = [];
  const doubt = (code: GroupReason['code'], message: string): void => {
    reasons.push({ code, verdict: 'unknown', message });
  };
  const doubtful = explanation.reasons.filter(({ status }) => status === 'Unknown');
  if (shape === undefined) {
    doubt(
      'InstanceTypeUnknown',
      kind === 'NodePool'
        ? 'Karpenter chooses an instance type of the cloud provider, and no node of the cluster shows one that the NodePool allows: whether its resources are enough is not known'
        : 'no node of the group and no annotation shows the resources of a machine',
    );
  } else if (doubtful.some(({ plugin }) => OF_MACHINES.includes(plugin))) {
    doubt(
      'InstanceTypeUnknown',
      'the machines that nodes of the cluster show are refused, but Karpenter may choose others',
    );
  }
  if (isZoneDoubtful && zone !== undefined) {
    doubt('ZoneUnknown', `whether Karpenter can launch nodes of the NodePool in zone ${zone} is not known`);
  } else if (isZoneDoubtful || doubtful.some(isOfZone)) {
    doubt('ZoneUnknown', 'in which zones new nodes may be is not known');
  }
  if (doubtful.some(({ plugin }) => plugin === OF_DEVICES)) {
    doubt('DevicesUnknown', 'the devices of a new node are known once its drivers have published them');
  }
  return reasons;
}

/** The taints of a new node that whoever adds it does not count, those of the Node Readiness Controller included. */
function startupTaintsOf(
  state: ClusterState,
  group: NodeGroup,
  name: string,
  shape: NodeShape | undefined,
  zone: string | undefined,
  attempt: Attempt,
): readonly Taint[] {
  const { labels = {} } = newNode(state, attempt, shape, zone).metadata;
  const taints = [...group.startupTaints];
  for (const { spec } of state.objects('NodeReadinessRule') as readonly NodeReadinessRule[]) {
    if (spec?.taint === undefined || spec.dryRun === true) continue;
    const compiled = compileLabelSelector(spec.nodeSelector);
    if (!('selector' in compiled) || !compiled.selector.matches({ ...labels, 'kubernetes.io/hostname': name }))
      continue;
    const { key, value, effect } = spec.taint;
    const taint = value === undefined ? { key, effect } : { key, value, effect };
    if (!taints.some((one) => matchesTaint(one, taint))) taints.push(taint);
  }
  return taints;
}

function sumOfRequests(pods: readonly Pod[]): ResourceList {
  const sums = new Map<string, Quantity>();
  for (const pod of pods) {
    for (const [name, amount] of podRequests(pod)) sums.set(name, (sums.get(name) ?? Quantity.ZERO).add(amount));
  }
  return Object.fromEntries([...sums].map(([name, sum]) => [name, sum.toString()]));
}
