import type { KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';
import { admissionConfigurationIn } from '../../core/admission/surroundings-in.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { compare } from '../../core/json/compare.js';
import { QuantityError } from '../../core/kubernetes/quantity.js';
import { evaluatePlacement } from '../../core/placement/evaluate-placement.js';
import {
  boundsNodes,
  namespaceCapacity,
  waitingPods,
  type NamespaceCapacity,
} from '../../core/quota-capacity/namespace-capacity.js';
import { NodeRooms } from '../../core/quota-capacity/node-rooms.js';
import type { QuotaUsages } from '../../core/quota/step-quota-usage.js';
import { DEFAULT_SCHEDULER } from '../../core/scheduling/queue/queued-work.js';
import { refusalOf } from '../../core/scheduling/queue/step-queue.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import type { AnswerTo } from '../../contract/question.js';
import type { listQuotaCapacity } from '../../contract/quotas/questions.js';
import type { quotaCapacity, quotaWaitingPods } from '../../contract/quotas/quota-capacity.js';
import type { Response } from '../../contract/schema.js';
import { pageOf } from '../paging/page.js';
import { tolerationResponse } from '../pods/toleration-response.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { NO_REFUSAL, refusalTexts } from '../scheduling/refusal-response.js';
import { schedulingProfile } from '../scheduling/scheduling-profile.js';
import { notLoaded } from './list-quotas.js';

type QuotaCapacityResponse = Response<typeof quotaCapacity>;
type WaitingPodsResponse = Response<typeof quotaWaitingPods>;

const BUDGET_MS = 60_000;
/** Maximum number of groups of pending pods in a namespace for which the reason is given. */
const MAX_WAITING = 5;
/** Maximum number of toleration groups in the response. */
const MAX_GROUPS = 50;

const ASSUMPTIONS = [
  "the nodes of a namespace are those whose taints and cordon allow a new pod after admission, or one of the existing pods; the pods' own nodeSelector and affinity are ignored, but new pods get the node selector of the namespace",
  'free is allocatable minus the requests of pods, node by node; fragmentation is ignored, and other namespaces may take the free capacity first',
  'nodes do not bound limits, so limits are omitted',
];

/**
 * Lists namespaces whose quotas allow more than the nodes available to their pods can hold, with their pending pods.
 */
export class ListQuotaCapacity {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} as `ReadState.runPage`; `budget-exceeded` */
  async run(
    { cluster, readAt, namespace, holds, page }: RequestOf<typeof listQuotaCapacity>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof listQuotaCapacity>> {
    const identity = ['quota-capacity', namespace, holds?.join()];
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const now = context.now.getTime();
    const usages = await this.digests.quotaUsages(state, now);
    const pods = await this.digests.namespacePods(state);
    const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal: context.signal });
    const rooms = new NodeRooms(state, gatesOf(state.rules));
    const configuration = admissionConfigurationIn(state);
    const found: NamespaceCapacity[] = [];
    for (const name of namespacesOf(usages, state.rules, namespace)) {
      if (slices.due()) await slices.pause();
      const own = (usages.byNamespace.get(name) ?? []).map((row) => usages.usages[row]!);
      const question = { namespace: name, usages: own, pods: pods.get(name) ?? [], configuration, now };
      const capacity = namespaceCapacity(state, rooms, question);
      if (holds === undefined || holds.includes(capacity.holds)) found.push(capacity);
    }
    const cut = pageOf(found, (one) => one.namespace, page, list, basis.revision);
    const items: { item: QuotaCapacityResponse; token: string }[] = [];
    for (const { item, token } of cut.items) {
      const groups = waitingPods(state, pods.get(item.namespace) ?? []);
      const responses: WaitingPodsResponse[] = [];
      for (const group of groups.slice(0, MAX_WAITING)) {
        if (slices.due()) await slices.pause();
        responses.push(waitingResponse(state, group.pods));
      }
      const waiting = groups.reduce((sum, group) => sum + group.pods.length, 0);
      items.push({ item: { ...capacityResponse(item), waiting, waitingPods: responses }, token });
    }
    return { basis, notLoaded: notLoaded(state.loadedKinds), assumptions: ASSUMPTIONS, page: { ...cut, items } };
  }
}

function namespacesOf(
  { byNamespace, usages }: QuotaUsages,
  rules: KubernetesRules,
  wanted: string | undefined,
): readonly string[] {
  return [...byNamespace]
    .filter(([name, rows]) => (wanted ?? name) === name && rows.some((row) => boundsNodes(usages[row]!, rules)))
    .map(([name]) => name)
    .sort(compare);
}

function capacityResponse({
  namespace,
  holds,
  nodes,
  groups,
  resources,
  refusal,
  undecided,
}: NamespaceCapacity): Omit<QuotaCapacityResponse, 'waiting' | 'waitingPods'> {
  return {
    namespace,
    holds,
    nodes: nodes.size,
    groups: groups.slice(0, MAX_GROUPS).map((group) => ({
      of: group.of,
      pods: group.pods,
      tolerations: group.tolerations.map(tolerationResponse),
      nodeSelector: group.nodeSelector,
      nodes: group.nodes.length,
    })),
    resources: resources.map((one) => {
      const [hard, allocatable, free] = [one.hard.toString(), one.allocatable.toString(), one.free.toString()];
      const quotaFree = one.quotaFree?.toString() ?? null;
      const text =
        one.holds === 'beyond'
          ? `${one.quota} allows ${hard} ${one.resource}, but the ${nodes.size} nodes available to its pods have ${allocatable}`
          : one.holds === 'beyondFree'
            ? `${one.quota} leaves ${quotaFree ?? '?'} ${one.resource}, but the ${nodes.size} nodes available to its pods have only ${free} free`
            : `the ${nodes.size} nodes available to its pods have enough free capacity for the ${one.resource} that ${one.quota} leaves`;
      const used = one.used?.toString() ?? null;
      return {
        quota: one.quota,
        resource: one.resource,
        hard,
        used,
        quotaFree,
        allocatable,
        free,
        holds: one.holds,
        text,
      };
    }),
    refusal: refusal?.message ?? null,
    undecided,
  };
}

function waitingResponse(state: ClusterState, pods: readonly number[]): WaitingPodsResponse {
  const [first] = pods;
  const pod = state.pods.pod(first!);
  const view = { pods: pods.length, example: pod.metadata.name };
  try {
    const { schedulerName = DEFAULT_SCHEDULER } = pod.spec;
    const { gates, filters } = schedulingProfile(state, { schedulerName }).plugins;
    const placement = evaluatePlacement(state, { pod, gates, filters });
    const { feasible, unknown } = placement.counts;
    const { message, reasons } = feasible > 0 ? NO_REFUSAL : refusalTexts(refusalOf(placement));
    return { ...view, feasibleNodes: feasible, unknownNodes: unknown, message, reasons };
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return { ...view, feasibleNodes: 0, unknownNodes: 0, message: error.message, reasons: [] };
  }
}
