import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import type { PoolRequirement } from '../kubernetes/objects/karpenter.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { Quantity } from '../kubernetes/quantity.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { EvaluationQuestion } from '../placement/evaluate-placement.js';
import type { NodeExplanation } from '../placement/node-explanation.js';
import type { DaemonPods } from './daemon-pods.js';
import {
  conflict,
  INSTANCE_TYPE,
  isAllowed,
  isOfInstanceType,
  mayBeAbsent,
  requirementsOf,
  ZONE,
  type LabelRequirements,
} from './label-requirements.js';
import { capacityOf, type GroupReason, type NodeGroup, type NodeShape } from './node-group.js';

/** Machines and zones that are tried of a group. */
const MOST_SHAPES = 50;
const MOST_ZONES = 10;

/** A group that is tried: how it would grow for the pod. */
export interface Attempt {
  readonly group: NodeGroup;
  readonly question: EvaluationQuestion;
  readonly gates: TolerationGates;
  /** The labels that a node of the group may have for the pod; those of the group alone if the two do not agree. */
  readonly requirements: LabelRequirements | undefined;
  /** What the volumes of the pod require; undefined if no node of the group has it. */
  readonly volumes: readonly PoolRequirement[] | undefined;
  readonly daemonSets: DaemonPods;
}

export interface Candidate {
  readonly shape: NodeShape | undefined;
  readonly zone: string | undefined;
  readonly explanation: NodeExplanation;
  readonly daemons: readonly Pod[];
  /** Whether the verdict is about a zone in which the group may have no nodes. */
  readonly isZoneDoubtful: boolean;
  /** Why Karpenter does not choose the machine although the pod fits. */
  readonly overhead: GroupReason | undefined;
}

/**
 * What the volumes of the pod, its node selector, and the first term of its node affinity that the group can meet leave of the labels of a node.
 * Karpenter, too, drops terms from the first on until one fits.
 *
 * Source: sigs.k8s.io/karpenter v1.9.1, pkg/controllers/provisioning/scheduling/preferences.go, `removeRequiredNodeAffinityTerm`; nodeclaim.go, `CanAdd`.
 */
export function requirementsFor(
  { requirements }: NodeGroup,
  pod: Pod,
  ofVolumes: readonly PoolRequirement[],
): Pick<Attempt, 'requirements' | 'volumes'> {
  if (requirements === undefined) return { requirements, volumes: ofVolumes };
  const volumes = conflict(requirements, requirementsOf(ofVolumes)) === undefined ? ofVolumes : undefined;
  const { nodeSelector } = pod.spec;
  for (const expressions of alternativesOf(pod.spec)) {
    const wanted = [...expressions, ...(volumes ?? [])];
    if (conflict(requirements, requirementsOf(wanted, nodeSelector)) === undefined) {
      return { requirements: requirementsOf(wanted, nodeSelector, requirements), volumes };
    }
  }
  return { requirements, volumes };
}

/** The expressions of each required term of a pod's node affinity, of which it needs one. */
export function alternativesOf({ affinity }: PodSpec): readonly (readonly PoolRequirement[])[] {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.length === 0 ? [[]] : terms.map(({ matchExpressions = [] }) => matchExpressions);
}

/** Whether the labels of an instance type are as required; those of zones and contracts do not count. */
export const suits = ({ labels }: NodeShape, requirements: LabelRequirements): boolean =>
  [...requirements].every(([key, values]) => {
    if (!isOfInstanceType(key)) return true;
    const value = labels[key];
    return value === undefined ? mayBeAbsent(values) : isAllowed(values, value);
  });

export interface Shapes {
  /** The machines that the group may choose for the pod. */
  readonly tried: readonly NodeShape[];
  /** Whether there can be no others. */
  readonly isComplete: boolean;
  /** Whether there can be no others, and the limits of the group allow none of them. */
  readonly areAllTooLarge: boolean;
}

export function shapesFor({ group, requirements, question }: Attempt): Shapes {
  const { shapes, kind } = group;
  if (kind !== 'NodePool') return { tried: shapes, isComplete: shapes.length > 0, areAllTooLarge: false };
  const limits = group.limits.map(({ resource, limit, used }) => ({
    resource,
    left: Quantity.parse(limit).sub(Quantity.parse(used)),
  }));
  const byType = new Map<string, NodeShape>();
  let isCut = false;
  const allowed = shapes.filter((shape) => suits(shape, requirements ?? new Map()));
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

export const fits = (amount: string | undefined, left: Quantity): boolean =>
  amount === undefined ? left.sign() >= 0 : Quantity.parse(amount).cmp(left) <= 0;

export interface Zones {
  /** In which a new node may be, those first in which it can be; undefined if none is known. */
  readonly tried: readonly (string | undefined)[];
  /** Whether there may be others. */
  readonly isOpen: boolean;
  /** Whether nothing says that the group has nodes there. */
  readonly isDoubtful: (zone: string | undefined) => boolean;
  /** Whether a pod that each zone would take finds one. */
  readonly isAnyAllowed: boolean;
}

export function zonesFor({ group, requirements }: Attempt): Zones {
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
