import { defined } from '../collections/defined.js';
import { compare } from '../json/compare.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Container, Pod, ResourceRequirements } from '../kubernetes/objects/pod.js';
import { isSidecar, statusesByName } from '../kubernetes/pod-resources/aggregate-containers.js';
import {
  hasPodLevelLimits,
  hasPodLevelRequests,
  isPodLevelResource,
  isResizeInfeasible,
} from '../kubernetes/pod-resources/pod-level-resources.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import type { Quantity } from '../kubernetes/quantity.js';

/** The source of an amount: the spec (`desired`), the kubelet's admission (`allocated`), or the runtime (`actual`). */
export type AmountSource = 'desired' | 'allocated' | 'actual';

/** One resource of a container, or of the pod itself, from the three sources. */
export interface ResizedAmount {
  /** Empty for pod-level resources. */
  readonly container: string;
  readonly list: 'requests' | 'limits';
  readonly resource: string;
  readonly desired?: Quantity;
  /** Only for requests. */
  readonly allocated?: Quantity;
  readonly actual?: Quantity;
  /** The amount that counts for the scheduler and for quotas: the largest, without the desired one while it is infeasible. */
  readonly counted?: Quantity;
  /** The first source with the counted amount. */
  readonly countedFrom?: AmountSource;
}

/** The progress of an in-place resize of a pod. */
export interface ResizeState {
  /** Deferred: the node has no room at present; Infeasible: it never will; Unknown: any other reason. */
  readonly pending?: 'Deferred' | 'Infeasible' | 'Unknown';
  readonly inProgress: boolean;
  /** The reason of the condition of a resize in progress, such as `Error`. */
  readonly inProgressReason?: string;
  /** `status.resize`, which releases before v1.33 set instead of conditions. */
  readonly former?: string;
  /** Every resource of a part whose status has resources or allocated resources. */
  readonly amounts: readonly ResizedAmount[];
}

/**
 * The desired, allocated and actual amounts of a pod's resources, and which of them counts: for containers and sidecars whose
 * status has `resources`, and for the pod if its spec has pod-level resources.
 *
 * Source: k8s.io/component-helpers v0.36.2, resource/helpers.go; conditions PodResizePending and PodResizeInProgress as in
 * k8s.io/kubernetes v1.36.2, pkg/kubelet/status/status_manager.go.
 *
 * @throws QuantityError for an invalid quantity
 */
export function resizeState(pod: Pick<Pod, 'spec' | 'status'>): ResizeState {
  const condition = (wanted: string): { readonly reason?: string } | undefined =>
    pod.status?.conditions?.find(({ type, status }) => type === wanted && status === 'True');
  const pending = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending');
  const inProgress = condition('PodResizeInProgress');
  const former = pod.status?.resize ?? '';
  return {
    ...(pending !== undefined && { pending: pendingOf(pending.reason) }),
    inProgress: inProgress !== undefined,
    ...(inProgress?.reason !== undefined && { inProgressReason: inProgress.reason }),
    ...(former !== '' && { former }),
    amounts: [...amountsOfContainers(pod), ...amountsOfPod(pod)],
  };
}

const pendingOf = (reason: string | undefined): NonNullable<ResizeState['pending']> =>
  reason === 'Deferred' || reason === 'Infeasible' ? reason : 'Unknown';

function amountsOfContainers(pod: Pick<Pod, 'spec' | 'status'>): readonly ResizedAmount[] {
  const statuses = statusesByName(pod);
  const infeasible = isResizeInfeasible(pod);
  const kept: readonly Container[] = [...pod.spec.containers, ...(pod.spec.initContainers ?? []).filter(isSidecar)];
  return kept.flatMap(({ name, resources = {} }) => {
    const status = statuses.get(name);
    if (status?.resources === undefined) return [];
    const { resources: actual, allocatedResources: allocated } = status;
    return [
      ...compared({ container: name, list: 'requests', infeasible }, [resources.requests, allocated, actual.requests]),
      ...compared({ container: name, list: 'limits', infeasible }, [resources.limits, undefined, actual.limits]),
    ];
  });
}

/**
 * Only resources in the pod's spec count. If the status has no limits, those of the spec remain in force despite an infeasible
 * resize.
 */
function amountsOfPod(pod: Pick<Pod, 'spec' | 'status'>): readonly ResizedAmount[] {
  const { spec, status } = pod;
  const own: ResourceRequirements = spec.resources ?? {};
  const reported = status?.resources;
  if (reported === undefined) return [];
  const infeasible = isResizeInfeasible(pod);
  const named = (list: ResourceList | undefined): readonly string[] =>
    Object.keys(list ?? {}).filter(isPodLevelResource);
  const lists: readonly (readonly ResizedAmount[])[] = [
    hasPodLevelRequests(pod)
      ? compared({ container: '', list: 'requests', infeasible, only: named(own.requests) }, [
          own.requests,
          status?.allocatedResources,
          reported.requests,
        ])
      : [],
    hasPodLevelLimits(pod)
      ? compared(
          {
            container: '',
            list: 'limits',
            infeasible: infeasible && reported.limits !== undefined,
            only: named(own.limits),
          },
          [own.limits, undefined, reported.limits],
        )
      : [],
  ];
  return lists.flat();
}

interface Compared {
  readonly container: string;
  readonly list: 'requests' | 'limits';
  readonly infeasible: boolean;
  readonly only?: readonly string[];
}

type Lists = readonly [
  desired: ResourceList | undefined,
  allocated: ResourceList | undefined,
  actual: ResourceList | undefined,
];

function compared({ container, list, infeasible, only }: Compared, lists: Lists): readonly ResizedAmount[] {
  const [desired, allocated, actual] = lists.map(parseResourceList) as [
    ResourceAmounts,
    ResourceAmounts,
    ResourceAmounts,
  ];
  const names = only ?? [...new Set([...desired.keys(), ...allocated.keys(), ...actual.keys()])];
  return [...names].sort(compare).map((resource) => {
    const places = { desired: desired.get(resource), allocated: allocated.get(resource), actual: actual.get(resource) };
    let counted: Quantity | undefined;
    let countedFrom: AmountSource | undefined;
    for (const source of ['desired', 'actual', 'allocated'] as const) {
      const amount = source === 'desired' && infeasible ? undefined : places[source];
      if (amount === undefined || (counted !== undefined && amount.cmp(counted) <= 0)) continue;
      [counted, countedFrom] = [amount, source];
    }
    return {
      container,
      list,
      resource,
      ...defined({ desired: places.desired, allocated: places.allocated, actual: places.actual, counted, countedFrom }),
    };
  });
}
