import type { ClusterState } from '../cluster/cluster-state.js';
import { compileLabelSelector } from '../kubernetes/label-selector.js';
import type { Labels, ResourceList } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { NodeReadinessRule } from '../kubernetes/objects/node-readiness.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { matchesTaint } from '../kubernetes/taint.js';
import { gatesOf, indexOfTolerating } from '../kubernetes/toleration.js';
import { type EvaluationQuestion, stepAskPod } from '../placement/ask-pod.js';
import { NodeEvaluation } from '../placement/node-evaluation.js';
import type { NodeExplanation } from '../placement/node-explanation.js';
import type { Verdict } from '../placement/placement.js';
import { namedCsiNode, namedNode } from '../scenario/node-template.js';
import {
  requirementsFor,
  shapesFor,
  zonesFor,
  type Attempt,
  type Candidate,
  type Shapes,
  type Zones,
} from './attempt.js';
import { overheadReason } from './daemon-overhead.js';
import type { DaemonPods } from './daemon-pods.js';
import { NO_DOUBTS, OF_DEVICES, OF_MACHINES, OF_RESOURCES, OF_TEMPLATES, withDoubts, type Doubts } from './doubts.js';
import { labelReasons, offeringReasons, reasonsFor, sumOfRequests, unknownReasons } from './group-reasons.js';
import { karpenterGroups } from './karpenter-groups.js';
import { FORMER_LABELS, isAllowed, isWellKnown, someValue, usualKey, ZONE } from './label-requirements.js';
import { machineGroups } from './machine-groups.js';
import { managedGroups } from './managed-groups.js';
import type { GroupReason, NodeGroup, NodeShape } from './node-group.js';
import { staticPodsOn } from './static-pods.js';
import { volumeRequirements } from './volume-requirements.js';

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

/**
 * Whether a new node of a group would take the pod: the filters are asked about a node that the state does not have, with the pods of its
 * DaemonSets. Pauses after each node, and while the filters are asked.
 */
export function* newNodeOf(
  state: ClusterState,
  group: NodeGroup,
  question: EvaluationQuestion,
  daemonSets: DaemonPods,
): Generator<undefined, NewNode> {
  const { pod, gates = gatesOf(state.rules) } = question;
  const found = requirementsFor(group, pod, volumeRequirements(state, pod));
  const attempt: Attempt = { group, question, gates, ...found, daemonSets };
  const shapes = shapesFor(attempt);
  const zones = zonesFor(attempt);
  const best = yield* stepBest(state, attempt, shapes, zones);
  const { shape, zone, explanation, daemons, overhead } = best;
  const requested = sumOfRequests(daemons);
  const reasons = [
    ...group.reasons,
    ...reasonsFor(attempt, daemons, shapes.areAllTooLarge),
    ...(overhead === undefined ? [] : [overhead]),
  ];
  const refusals = reasons.filter((reason) => reason.verdict === 'infeasible');
  const isRefused = refusals.length > 0 || explanation.verdict === 'infeasible';
  const groupReasons = isRefused
    ? refusals
    : [
        ...reasons,
        ...offeringReasons(attempt),
        ...unknownReasons(group, best),
        ...((yield* stepIsUnseen(state, attempt, best)) ? labelReasons(group) : []),
      ];
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
    const machine = shape === undefined || !shapes.isComplete;
    const doubts = { machine, zone: zones.isOpen, volume: attempt.volumes !== undefined };
    let isOfMachine = false;
    let isOverloaded = false;
    let isEvery = zones.isAnyAllowed;
    for (const zone of zones.tried) {
      const candidate = {
        ...(yield* stepEvaluated(state, attempt, shape, zone, doubts)),
        isZoneDoubtful: zones.isDoubtful(zone),
      };
      isOverloaded ||= candidate.overhead !== undefined;
      yield undefined;
      if (best === undefined || isBetter(candidate, best)) best = candidate;
      const { verdict, reasons } = candidate.explanation;
      // In another zone, the same daemons count.
      if (candidate.overhead !== undefined) break;
      if (verdict === 'feasible' && !candidate.isZoneDoubtful) return candidate;
      if (reasons.some(({ plugin }) => OF_TEMPLATES.includes(plugin))) return best;
      isEvery &&= verdict === 'feasible';
      isOfMachine ||= reasons.some(({ plugin }) => OF_MACHINES.includes(plugin));
      if (reasons.some(({ plugin }) => plugin === OF_RESOURCES)) break;
    }
    if (isOverloaded) continue;
    if (isEvery) {
      const { explanation } = yield* stepEvaluated(state, attempt, shape, ANOTHER_ZONE, doubts);
      yield undefined;
      return explanation.verdict === 'feasible' ? { ...best!, isZoneDoubtful: false } : best!;
    }
    if (!isOfMachine) break;
  }
  return best!;
}

/** Whether the cluster autoscaler refuses a node of which it does not know all labels. */
function* stepIsUnseen(
  state: ClusterState,
  attempt: Attempt,
  { shape, explanation }: Candidate,
): Generator<undefined, boolean> {
  const { group } = attempt;
  const { labels, unseenLabels } = group;
  if (unseenLabels.length === 0 || explanation.verdict !== 'feasible') return false;
  const seen = Object.fromEntries(Object.entries(labels).filter(([key]) => !unseenLabels.includes(key)));
  const blind = { ...attempt, group: { ...group, labels: seen } };
  const seenAlone = yield* stepEvaluated(state, blind, shape, undefined, NO_DOUBTS);
  return seenAlone.explanation.verdict !== 'feasible';
}

function verdictOf(ofNode: Verdict, reasons: readonly GroupReason[]): Verdict {
  if (ofNode === 'infeasible' || reasons.some(({ verdict }) => verdict === 'infeasible')) return 'infeasible';
  return reasons.length > 0 ? 'unknown' : ofNode;
}

const RANK: Readonly<Record<Verdict, number>> = { feasible: 0, unknown: 1, infeasible: 2 };

const rankOf = ({ explanation: { verdict }, isZoneDoubtful, overhead }: Candidate): number =>
  Math.max(RANK[verdict], isZoneDoubtful ? RANK.unknown : 0, RANK[overhead?.verdict ?? 'feasible']);

function isBetter(a: Candidate, b: Candidate): boolean {
  const difference = rankOf(a) - rankOf(b);
  return difference < 0 || (difference === 0 && a.explanation.reasons.length < b.explanation.reasons.length);
}

/** Stands for the zones that nothing shows: no other node is there. */
const ANOTHER_ZONE = 'another-zone';

function* stepEvaluated(
  state: ClusterState,
  attempt: Attempt,
  shape: NodeShape | undefined,
  zone: string | undefined,
  doubts: Omit<Doubts, 'devices'>,
): Generator<undefined, Omit<Candidate, 'isZoneDoubtful'>> {
  const { question, daemonSets } = attempt;
  const node = newNode(state, attempt, shape, zone);
  const { name } = node.metadata;
  const daemons = daemonSets.on(node);
  const grown = yield* state.stepApply({
    upserts: [
      node,
      ...(shape?.csiNode === undefined ? [] : [namedCsiNode(shape.csiNode, name)]),
      ...staticPodsOn(state, shape, name),
      ...daemons,
    ],
  });
  const evaluation = new NodeEvaluation(yield* stepAskPod(grown, question));
  const explanation = evaluation.explainNode(grown.nodes.indexOf(name));
  const devices = evaluation.podReasons.every(({ plugin }) => plugin !== OF_DEVICES);
  const explained = withDoubts(explanation, { ...doubts, devices });
  const overhead =
    shape === undefined || explained.verdict === 'infeasible' ? undefined : overheadReason(state, attempt, shape, node);
  // Karpenter may choose another machine.
  const isOpen = overhead !== undefined && doubts.machine;
  return {
    shape,
    zone,
    daemons,
    explanation: explained,
    overhead: isOpen ? { ...overhead, verdict: 'unknown' } : overhead,
  };
}

/** A machine that nothing shows has an unknown capacity: the filters see one that would hold any pod. */
const UNKNOWN_CAPACITY = '1000000000000';

/** A node as it is once its startup taints are gone. */
function newNode(
  state: ClusterState,
  { group, requirements, volumes }: Attempt,
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
    for (const { key } of volumes ?? []) if (usualKey(key) === ZONE && !found.has(key)) found.set(key, zone);
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
