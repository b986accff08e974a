import { NOTHING } from '../../core/collections/nothing.js';
import { PolicyWork } from '../../core/admission/policies/policy-work.js';
import type { roomGroup, taintCost } from '../../contract/scheduling/capacity.js';
import type { AnswerTo } from '../../contract/question.js';
import type { findCapacity } from '../../contract/scheduling/questions.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { AlikeGroups, type AlikeGroup } from '../../core/collections/alike-groups.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { quantityOf } from '../../core/kubernetes/quantity-of.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { isQualifiedName } from '../../core/kubernetes/validation/names.js';
import { podRequests } from '../../core/kubernetes/pod-resources/pod-requests.js';
import { stepGroupRooms, stepNodeGroups, stopsOn } from '../../core/scheduling/capacity/pool-rooms.js';
import { isComplete, stepCapacity } from '../../core/scheduling/capacity/step-capacity.js';
import { stepTaintCosts, type TaintCosts } from '../../core/scheduling/capacity/step-taint-costs.js';
import { DEFAULT_SCHEDULER, stepPendingPods } from '../../core/scheduling/queue/queued-work.js';
import { refusalOf } from '../../core/scheduling/queue/step-queue.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { groupedPages, listInView } from '../paging/grouped-pages.js';
import { placedSubject } from '../placements/placed-subject.js';
import { checkSubject, questionHash } from '../placements/placement-request.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { ReadState } from '../reads/read-state.js';
import { stateUnderGates } from '../reads/state-under-gates.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { knownSchedulerResponse } from '../schedulers/scheduler-response.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { refusalTexts } from './refusal-response.js';
import { DEFAULT_TIME_BUDGET_MS } from '../../contract/limits.js';
import { schedulingProfile } from './scheduling-profile.js';

type CapacityResponse = AnswerTo<typeof findCapacity>;
type RoomGroup = Response<typeof roomGroup>;

const ROOMS_ALIKE = { identity: ['node'], varying: ['replicas'] };

/** Calculates how many replicas of a pod fit and where, and what prevents the next one. */
export class FindCapacity {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState.runPage` and `placedSubject`; `cancelled` */
  async run(request: RequestOf<typeof findCapacity>, context: RequestContext): Promise<CapacityResponse> {
    const { cluster, readAt, page, groupBy = [], taints = false, timeBudgetMs = DEFAULT_TIME_BUDGET_MS } = request;
    const { field, details } = checkSubject(request);
    const faults = [...details, ...keyFaults(groupBy)];
    if (field === undefined || faults.length > 0) throw new InvalidRequestError(faults);
    const { configuration } = request;
    const options = stringifyJson([configuration ?? null, groupBy, taints, timeBudgetMs], { sortKeys: true });
    const identity = listInView(['capacity', questionHash(request), options], request.view);
    const { basis, state: read, list } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const stored = stateUnderGates(read, request.featureGates);
    const slices = new TimeSlices({ signal: context.signal });
    const work = new PolicyWork();
    const subject = await runSteps(
      work.steps(() => placedSubject(request, field, stored, gatesOf(stored.rules), work)),
      slices,
    );
    const { pod: given, state, unknowns } = subject;
    const name = given.metadata.name === '' ? 'pod' : given.metadata.name;
    const pod = { ...given, metadata: { ...given.metadata, name } };
    const started = performance.now();
    const limits = { isOverdue: () => performance.now() - started > timeBudgetMs };
    const schedulerName = pod.spec.schedulerName ?? DEFAULT_SCHEDULER;
    const chosen = schedulingProfile(state, { schedulerName, configuration });
    const { claimTemplates } = subject;
    const question = {
      pod,
      profile: chosen.plugins,
      unknowns,
      ...(claimTemplates.length > 0 && { claimTemplates, replicaPrefix: subject.workload!.name }),
    };
    const capacity = await runSteps(stepCapacity(state, question, limits), slices);
    const { replicas, total, method, next, error } = capacity;
    const breakdown = await runSteps(
      stepGroupRooms(await runSteps(stepNodeGroups(state, groupBy), slices), capacity),
      slices,
    );
    let costs: CapacityResponse['taints'] = null;
    if (taints) {
      const { work: pending } = await runSteps(stepPendingPods(state, DEFAULT_SCHEDULER), slices);
      const found = await runSteps(stepTaintCosts(state, question, capacity, pending, limits), slices);
      costs = { ...found, costs: found.costs.map(costResponse) };
    }
    const order = Int32Array.from(replicas.keys()).sort((a, b) => replicas[b]! - replicas[a]! || a - b);
    const roomOf = (node: number) => ({
      node: state.nodes.name(node),
      replicas: replicas[node]!,
      stops: next === undefined ? [] : stopsOn(next, node).map(({ plugin, message }) => ({ plugin, message })),
    });
    return {
      basis,
      pod: {
        namespace: pod.metadata.namespace ?? '',
        name,
        workload: subject.workload,
        requests: Object.fromEntries([...podRequests(pod)].map(([resource, amount]) => [resource, amount.toString()])),
      },
      scheduler: knownSchedulerResponse(chosen, 'this pod'),
      replicas: total,
      isComplete: isComplete(capacity),
      method,
      next:
        next !== undefined
          ? { ...refusalTexts(refusalOf(next)), error: null }
          : error === undefined
            ? null
            : { message: null, preemption: null, reasons: [], error },
      breakdown,
      taints: costs,
      pages: groupedPages({
        list,
        view: 'nodes',
        revision: basis.revision,
        items: [...order],
        renderItem: roomOf,
        groups: async () => {
          const alike = new AlikeGroups(ROOMS_ALIKE);
          for (const node of order) {
            if (slices.due()) await slices.pause();
            alike.add(roomOf(node));
          }
          return runSteps(alike.stepGroups(), slices);
        },
        renderGroup: (group) => stepRoomGroup(group, { state, order, replicas }),
        slices,
      }),
    };
  }
}

interface Rooms {
  readonly state: ClusterState;
  /** Nodes in the order of the list. */
  readonly order: ArrayLike<number>;
  readonly replicas: ArrayLike<number>;
}

function* stepRoomGroup(
  { members, shared, columns }: AlikeGroup,
  { state, order, replicas }: Rooms,
): Generator<undefined, RoomGroup> {
  yield;
  return {
    ...NOTHING,
    ...(shared as Pick<RoomGroup, 'replicas' | 'stops'>),
    count: members.length,
    totalReplicas: members.reduce((sum, member) => sum + replicas[order[member]!]!, 0),
    nodes: members.map((member) => state.nodes.name(order[member]!)),
    columns,
  };
}

function costResponse({ taint, resources, ...cost }: TaintCosts['costs'][number]): Response<typeof taintCost> {
  const amount = (resource: string, value: Int64): string => quantityOf(resource, value).toString();
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

/** Errors for invalid label keys. */
const keyFaults = (keys: readonly string[]): readonly ErrorDetail[] =>
  keys.flatMap((key, index) =>
    isQualifiedName(key).map((message) => ({
      pointer: `/groupBy/${index}`,
      field: `groupBy[${index}]`,
      code: 'FieldValueInvalid',
      message,
    })),
  );
