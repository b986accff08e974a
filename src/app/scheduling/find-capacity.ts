import type { JsonObject } from '../../core/json/json-value.js';
import type { Workload } from '../../core/cluster/pod-table.js';
import { Quantity } from '../../core/kubernetes/quantity.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { isQualifiedName } from '../../core/kubernetes/validation/names.js';
import { podRequests } from '../../core/kubernetes/pod-resources/pod-requests.js';
import { stepGroupRooms, stepNodeGroups, stopsOn, type GroupRoom } from '../../core/scheduling/capacity/pool-rooms.js';
import { stepCapacity, type Capacity } from '../../core/scheduling/capacity/step-capacity.js';
import {
  stepTaintCosts,
  type ExactToleration,
  type TaintCosts,
} from '../../core/scheduling/capacity/step-taint-costs.js';
import { DEFAULT_SCHEDULER, stepPendingPods } from '../../core/scheduling/queue/queued-work.js';
import { refusalOf } from '../../core/scheduling/queue/step-queue.js';
import { DEFAULT_GATES } from '../gates.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { Page, PageRequest } from '../../contract/page.js';
import { placedSubject } from '../placements/placed-subject.js';
import { checkSubject, questionHash, type PlacementSubject } from '../placements/placement-request.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { knownSchedulerAnswer, type SchedulerAnswer } from '../schedulers/scheduler-answer.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { refusalTexts, type RefusalTexts } from './refusal-view.js';
import { DEFAULT_TIME_BUDGET_MS } from '../../contract/limits.js';
import { schedulingProfile } from './scheduling-profile.js';

export interface CapacityRequest extends PlacementSubject {
  readonly cluster: string;
  readonly readAt: ReadAt;
  readonly page: PageRequest;
  /** Keys of labels by whose values the nodes are told of together, too. */
  readonly groupBy?: readonly string[] | undefined;
  /** Whether what taints cost is worked out. */
  readonly taints?: boolean | undefined;
  readonly timeBudgetMs?: number | undefined;
  /** As `ProfileChoice`; the scheduler is the one that the pod asks for. */
  readonly configuration?: JsonObject | undefined;
}

export interface NodeRoomView {
  readonly node: string;
  readonly replicas: number;
  /** What the first filter says that refuses the next one there. */
  readonly stops: readonly { readonly plugin: string; readonly message: string }[];
}

export interface TaintCostView {
  readonly taint: string;
  readonly nodes: number;
  readonly toleratingPods: number;
  readonly otherPods: number;
  readonly resources: readonly { readonly resource: string; readonly allocatable: string; readonly free: string }[];
  readonly pendingHelped: number;
  readonly frees: number;
  readonly isCertain: boolean;
  readonly toleration: ExactToleration;
}

export interface CapacityAnswer {
  readonly basis: Basis;
  readonly pod: {
    readonly namespace: string;
    readonly name: string;
    readonly workload: Workload | null;
    readonly requests: Readonly<Record<string, string>>;
  };
  /** As in `QueueAnswer`. */
  readonly scheduler: SchedulerAnswer | null;
  readonly replicas: number;
  /** False where the run was stopped, so that more may fit. */
  readonly isComplete: boolean;
  readonly method: Capacity['method'];
  /** Why the next one finds no node; null where the run was stopped before. */
  readonly next: (RefusalTexts & { readonly error: string | null }) | null;
  readonly groups: readonly GroupRoom[];
  /** Null where nobody asked. */
  readonly taints: (Omit<TaintCosts, 'costs'> & { readonly costs: readonly TaintCostView[] }) | null;
  /** The nodes, those with most room first. */
  readonly page: Page<NodeRoomView>;
}

/** How many replicas of a pod fit, where, and what stops the next one. */
export class FindCapacity {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState.runPage` and `placedSubject`; `cancelled` */
  async run(request: CapacityRequest, edge: RequestContext): Promise<CapacityAnswer> {
    const { cluster, readAt, page, groupBy = [], taints = false, timeBudgetMs = DEFAULT_TIME_BUDGET_MS } = request;
    const { field, details } = checkSubject(request);
    const faults = [...details, ...keyFaults(groupBy)];
    if (field === undefined || faults.length > 0) throw new InvalidRequestError(faults);
    const identity = ['capacity', questionHash(request)];
    const { basis, state: stored, list } = await this.readState.runPage(cluster, readAt, identity, page, edge);
    const subject = placedSubject(request, field, stored, DEFAULT_GATES);
    const { pod: given, state, unknowns } = subject;
    const name = given.metadata.name === '' ? 'pod' : given.metadata.name;
    const pod = { ...given, metadata: { ...given.metadata, name } };
    const slices = new TimeSlices({ signal: edge.signal });
    const started = performance.now();
    const options = { isOverdue: () => performance.now() - started > timeBudgetMs };
    const schedulerName = pod.spec.schedulerName ?? DEFAULT_SCHEDULER;
    const chosen = schedulingProfile(state, { schedulerName, configuration: request.configuration });
    const question = { pod, profile: chosen.plugins, unknowns };
    const capacity = await runSteps(stepCapacity(state, question, options), slices);
    const { replicas, total, method, next, stopped, error } = capacity;
    const groups = await runSteps(
      stepGroupRooms(await runSteps(stepNodeGroups(state, groupBy), slices), capacity),
      slices,
    );
    let costs: CapacityAnswer['taints'] = null;
    if (taints) {
      const { work: pending } = await runSteps(stepPendingPods(state, DEFAULT_SCHEDULER), slices);
      const found = await runSteps(stepTaintCosts(state, question, capacity, pending, options), slices);
      costs = { ...found, costs: found.costs.map(costView) };
    }
    const order = Int32Array.from(replicas.keys()).sort((a, b) => replicas[b]! - replicas[a]! || a - b);
    const told = pageByPosition([...order], page, list, basis.revision);
    return {
      basis,
      pod: {
        namespace: pod.metadata.namespace ?? '',
        name,
        workload: subject.workload,
        requests: Object.fromEntries([...podRequests(pod)].map(([resource, amount]) => [resource, amount.toString()])),
      },
      scheduler: knownSchedulerAnswer(chosen, 'this pod'),
      replicas: total,
      isComplete: stopped === undefined,
      method,
      next:
        next !== undefined
          ? { ...refusalTexts(refusalOf(next)), error: null }
          : error === undefined
            ? null
            : { message: null, preemption: null, reasons: [], error },
      groups,
      taints: costs,
      page: mapPage(told, (node) => ({
        node: state.nodes.name(node),
        replicas: replicas[node]!,
        stops: next === undefined ? [] : stopsOn(next, node).map(({ plugin, message }) => ({ plugin, message })),
      })),
    };
  }
}

function costView({ taint, resources, ...cost }: TaintCosts['costs'][number]): TaintCostView {
  const amount = (resource: string, value: Int64): string =>
    (resource === 'cpu'
      ? Quantity.of(BigInt(value), 'DecimalSI', -3)
      : Quantity.of(BigInt(value), resource === 'memory' ? 'BinarySI' : 'DecimalSI')
    ).toString();
  return {
    ...cost,
    taint: formatTaint(taint),
    resources: resources.map(({ resource, allocatable, free }) => ({
      resource,
      allocatable: amount(resource, allocatable),
      free: amount(resource, free),
    })),
  };
}

/** What is no key of a label. */
const keyFaults = (keys: readonly string[]): readonly ErrorDetail[] =>
  keys.flatMap((key, index) =>
    isQualifiedName(key).map((message) => ({
      pointer: `/groupBy/${index}`,
      field: `groupBy[${index}]`,
      code: 'FieldValueInvalid',
      message,
    })),
  );
