import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import { Quantity } from '../kubernetes/quantity.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';
import { fits, type Attempt, type Candidate } from './attempt.js';
import { isOfZone, OF_DEVICES, OF_MACHINES } from './doubts.js';
import { ignoredReasons } from './ignored-pods.js';
import { CAPACITY_TYPE, greatestOf, isOfInstanceType, isOfOffering, ZONE } from './label-requirements.js';
import type { GroupReason, NodeGroup } from './node-group.js';

/** What keeps a group from making a node for this pod, or leaves that open, whatever the filters say. */
export function reasonsFor(attempt: Attempt, daemons: readonly Pod[], areAllTooLarge: boolean): readonly GroupReason[] {
  const { group, question, gates } = attempt;
  const needed = sumOfRequests([question.pod, ...daemons]);
  return [
    ...limitReasons(group, needed, areAllTooLarge),
    ...valueReasons(attempt),
    ...boundReasons(attempt, needed),
    ...taintReasons(group, question.pod, gates),
    ...deviceReasons(group, question.pod),
    ...priorityReasons(group, question.pod),
    ...ignoredReasons(group, question.pod),
  ];
}

/** A machine holds at least the pod and its daemons, so limits that these exceed are reached. */
function limitReasons(
  { kind, limits, reasons }: NodeGroup,
  needed: ResourceList,
  areAllTooLarge: boolean,
): readonly GroupReason[] {
  if (kind !== 'NodePool' || reasons.some(({ code }) => code === 'LimitReached')) return [];
  if (areAllTooLarge) {
    const message = 'each of the instance types that the NodePool allows has more than its limits leave';
    return [{ code: 'LimitReached', verdict: 'infeasible', message }];
  }
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

interface Counted {
  readonly resources: readonly string[];
  readonly unit: string;
}

/** Labels by which cloud providers of Karpenter count what an instance type has. */
const COUNTED: ReadonlyMap<string, Counted> = new Map(
  ['karpenter.k8s.aws/instance-', 'eks.amazonaws.com/instance-', 'karpenter.azure.com/sku-'].flatMap(
    (prefix): readonly (readonly [string, Counted])[] => [
      [`${prefix}cpu`, { resources: ['cpu'], unit: '' }],
      [`${prefix}memory`, { resources: ['memory'], unit: 'Mi' }],
      [`${prefix}gpu-count`, { resources: ['nvidia.com/gpu', 'amd.com/gpu'], unit: '' }],
    ],
  ),
);

/**
 * Requirements that allow only machines with less than the pod and its daemons need.
 *
 * Source: aws/karpenter-provider-aws, pkg/providers/instancetype/types.go, `computeRequirements`, `computeCapacity`; Azure/karpenter-provider-azure,
 * pkg/providers/instancetype/instancetype.go.
 */
function boundReasons({ requirements }: Attempt, needed: ResourceList): readonly GroupReason[] {
  return [...(requirements ?? [])].flatMap(([key, values]): GroupReason[] => {
    const counted = COUNTED.get(key);
    const most = greatestOf(values);
    if (counted === undefined || most === undefined) return [];
    const available = Quantity.parse(`${most}${counted.unit}`);
    return counted.resources
      .filter((resource) => needed[resource] !== undefined && !fits(needed[resource], available))
      .map((resource) => ({
        code: 'InstanceTypeTooSmall',
        verdict: 'infeasible',
        message: `${key} is at most ${most}, and the pod and its daemons need ${needed[resource]!} ${resource}`,
      }));
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
 * Karpenter from 1.7 on adds no node for a pod whose containers have resource claims; before, it did not look at claims. From 1.14 on it can count
 * devices, but does so only if told to. Its flags are not stored, so that what it does is not known.
 *
 * Source: sigs.k8s.io/karpenter v1.6.0, v1.7.0, v1.9.1, v1.13.0 and v1.14.1, pkg/controllers/provisioning/scheduling/scheduler.go, `add`;
 * pkg/utils/pod/scheduling.go, `HasDRARequirements`; pkg/operator/options.
 */
function deviceReasons({ kind, karpenter }: NodeGroup, { spec }: Pod): readonly GroupReason[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  if (kind !== 'NodePool' || containers.every(({ resources }) => (resources?.claims ?? []).length === 0)) return [];
  if (karpenter !== undefined && karpenter < 7) return [];
  const which = karpenter === undefined ? 'from 1.7 on' : `1.${karpenter}`;
  return [
    {
      code: 'DevicesIgnored',
      verdict: 'unknown',
      message: `Karpenter ${which} adds no node for a pod with resource claims, unless it has --ignore-dra-requests=false`,
    },
  ];
}

/**
 * The cluster autoscaler adds no node for a pod whose priority is below a flag of it.
 *
 * Source: kubernetes/autoscaler, cluster-autoscaler 1.36.1, cluster-autoscaler/core/utils/expendable.go; config/flags.
 */
function priorityReasons({ kind }: NodeGroup, { spec: { priority = 0 } }: Pod): readonly GroupReason[] {
  if (kind === 'NodePool' || priority >= PRIORITY_CUTOFF) return [];
  const message = `the cluster autoscaler adds no node for a pod with a priority below --expendable-pods-priority-cutoff (${PRIORITY_CUTOFF} by default), and this one has ${priority}`;
  return [{ code: 'PriorityTooLow', verdict: 'unknown', message }];
}

const PRIORITY_CUTOFF = -10;

/** Of a group without nodes, of which annotations do not name each label. */
export const labelReasons = ({ unseenLabels }: NodeGroup): readonly GroupReason[] => [
  {
    code: 'LabelsUnknown',
    verdict: 'unknown',
    message: `the cluster autoscaler knows ${unseenLabels.join(' and ')} only if it has seen a node of the group: capacity.cluster-autoscaler.kubernetes.io/labels does not name it`,
  },
];

/**
 * Labels of offerings, such as the region, that the pod asks for, and of which neither the NodePool nor its nodes say that the cloud provider has
 * them.
 */
export function offeringReasons({ group, requirements }: Attempt): readonly GroupReason[] {
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

export function unknownReasons(
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

export function sumOfRequests(pods: readonly Pod[]): ResourceList {
  const sums = new Map<string, Quantity>();
  for (const pod of pods) {
    for (const [name, amount] of podRequests(pod)) sums.set(name, (sums.get(name) ?? Quantity.ZERO).add(amount));
  }
  return Object.fromEntries([...sums].map(([name, sum]) => [name, sum.toString()]));
}
