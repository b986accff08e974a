import type { allocatedAmount } from '../../contract/resources/allocation.js';
import type {
  nodeTableLine,
  podQos,
  podResize,
  podResources,
  resourcesTogether,
  resourceSum,
  resourceVector,
  schedulerResources,
} from '../../contract/resources/pod-resources.js';
import type { Response } from '../../contract/schema.js';
import type { Addition } from '../../core/admission/additions.js';
import { allocationTable, type Allocated } from '../../core/allocation/allocation-table.js';
import { podAmounts } from '../../core/allocation/pod-share.js';
import { int64 } from '../../core/cluster/resource-table.js';
import { compare } from '../../core/json/compare.js';
import { describeNodePods } from '../../core/kubectl-text/describe-node.js';
import type { KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { Quantity } from '../../core/kubernetes/quantity.js';
import { podMetricLines } from '../../core/metrics/kube-state-metrics.js';
import { podQuotaUsage } from '../../core/quota/pod-usage.js';
import { explainQos, qosReasonText } from '../../core/resources/explain-qos.js';
import { goMapText } from '../../core/resources/go-map-text.js';
import {
  podResourceVector,
  schedulerOptions,
  schedulerRequest,
  type ResourceVector,
} from '../../core/resources/request-vector.js';
import type { ResourceAmounts } from '../../core/kubernetes/pod-resources/resource-amounts.js';
import { resizeState } from '../../core/resources/resize-state.js';
import { resourceSumText } from '../../core/resources/resource-sum-text.js';
import { limitSums, requestSums, type ResourceSum, type Together } from '../../core/resources/resource-sum.js';
import { allocatedResponse } from './allocation-response.js';
import { cgroupResponse } from './cgroup-response.js';
import type { GivenKubelet } from './resources-request.js';

type TogetherResponse = Response<typeof resourcesTogether>;
type ResourceSumResponse = Response<typeof resourceSum>;
type QosResponse = Response<typeof podQos>;
type ResizeResponse = Response<typeof podResize>;
type VectorResponse = Response<typeof resourceVector>;
type SchedulerResponse = Response<typeof schedulerResources>;
type AllocatedResponse = Response<typeof allocatedAmount>;
type NodeLineResponse = Response<typeof nodeTableLine>;
type PodResourcesResponse = Omit<Response<typeof podResources>, 'basis' | 'source' | 'notKnown'>;

export interface ViewedPod {
  readonly pod: Pod;
  readonly added: readonly Addition[];
  readonly rules: KubernetesRules;
  /** The node whose allocatable amounts the shares refer to; undefined for none. */
  readonly node: { readonly name: string; readonly allocatable: ResourceAmounts } | undefined;
  readonly kubelet: GivenKubelet;
  readonly valueMask: string | undefined;
}

/**
 * Runs in steps, since a pod may have thousands of containers.
 *
 * @param now in milliseconds since the epoch
 * @throws {QuantityError} for a text that is not a quantity
 */
export function* stepPodResourcesResponse(
  { pod, added, rules, node, kubelet, valueMask }: ViewedPod,
  now: number,
): Generator<undefined, PodResourcesResponse> {
  const { metadata, spec, status } = pod;
  const counted = schedulerOptions(rules);
  const requests = requestSums(pod, counted).map(sumResponse);
  yield;
  const limits = limitSums(pod, counted).map(sumResponse);
  yield;
  const qos = qosResponse(pod);
  yield;
  const resize = resizeResponse(pod);
  yield;
  const scheduler = schedulerResponse(pod, rules);
  yield;
  const nodeTable = nodeLineResponse(pod, node, now);
  yield;
  const quota = texts(podQuotaUsage(pod, now, rules));
  yield;
  const cgroup = cgroupResponse(pod, kubelet);
  yield;
  return {
    pod: {
      namespace: metadata.namespace ?? 'default',
      name: metadata.name,
      uid: metadata.uid ?? null,
      node: textOrNull(spec.nodeName),
      phase: status?.phase ?? null,
    },
    admission: {
      runtimeClassName: spec.runtimeClassName ?? null,
      overhead: spec.overhead ?? null,
      text: spec.overhead === undefined ? null : goMapText(spec.overhead),
      added: added.map((addition) => ({ ...addition, value: addition.value ?? null })),
    },
    requests,
    limits,
    qos,
    resize,
    scheduler,
    nodeTable,
    quota,
    cgroup,
    metrics: podMetricLines(pod, { valueMask }),
  };
}

const textOrNull = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);
const quantityOrNull = (quantity: Quantity | undefined): string | null => quantity?.toString() ?? null;

const texts = (amounts: ResourceAmounts): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...amounts].sort(([a], [b]) => compare(a, b)).map(([name, quantity]) => [name, quantity.toString()]),
  );

function sumResponse(sum: ResourceSum): ResourceSumResponse {
  const { resource, running, starting, decidedBy = null, ofContainers, ofPod, overhead, overheadCounts, total } = sum;
  return {
    resource,
    total: total.toString(),
    text: resourceSumText(sum),
    running: running === undefined ? null : togetherResponse(running),
    starting: starting === undefined ? null : togetherResponse(starting),
    decidedBy,
    ofContainers: quantityOrNull(ofContainers),
    ofPod: quantityOrNull(ofPod),
    overhead: quantityOrNull(overhead),
    overheadCounts,
  };
}

const togetherResponse = ({ addends, total }: Together): TogetherResponse => ({
  addends: addends.map(({ container, role, amount }) => ({ container, role, amount: amount.toString() })),
  total: total.toString(),
});

function qosResponse(pod: Pod): QosResponse {
  const { reasons, ...head } = explainQos(pod);
  return {
    ...head,
    reasons: reasons.map((reason) => ({
      code: reason.code,
      container: 'part' in reason ? textOrNull(reason.part) : null,
      resource: 'resource' in reason ? reason.resource : null,
      requests: 'requests' in reason ? reason.requests.toString() : null,
      limits: 'limits' in reason ? reason.limits.toString() : null,
      message: qosReasonText(reason),
    })),
  };
}

function resizeResponse(pod: Pod): ResizeResponse {
  const { pending = null, inProgress, inProgressReason = null, former = null, amounts } = resizeState(pod);
  return {
    pending,
    inProgress,
    inProgressReason,
    former,
    amounts: amounts.map(({ container, list, resource, desired, allocated, actual, counted, countedFrom = null }) => ({
      container: textOrNull(container),
      list,
      resource,
      desired: quantityOrNull(desired),
      allocated: quantityOrNull(allocated),
      actual: quantityOrNull(actual),
      counted: quantityOrNull(counted),
      countedFrom,
    })),
  };
}

function schedulerResponse(pod: Pod, rules: KubernetesRules): SchedulerResponse {
  const { nonZero, ...nodeRequests } = podResourceVector(pod, rules);
  const counted = requestSums(pod, schedulerOptions(rules));
  return {
    requests: texts(new Map(counted.map(({ resource, total }) => [resource, total]))),
    specRequests: vectorResponse(schedulerRequest(pod, rules)),
    nodeRequests: vectorResponse(nodeRequests),
    nonZero: { milliCPU: int64(nonZero.milliCPU), memory: int64(nonZero.memory) },
  };
}

const vectorResponse = ({ milliCPU, memory, ephemeralStorage, scalars }: ResourceVector): VectorResponse => ({
  milliCPU: int64(milliCPU),
  memory: int64(memory),
  ephemeralStorage: int64(ephemeralStorage),
  others: [...scalars]
    .map(([resource, amount]) => ({ resource, amount: int64(amount) }))
    .sort((a, b) => compare(a.resource, b.resource)),
});

function nodeLineResponse(pod: Pod, node: ViewedPod['node'], now: number): NodeLineResponse {
  const { namespace = 'default', name, creationTimestamp = '' } = pod.metadata;
  const share = { namespace, name, creationTimestamp, ...podAmounts(pod) };
  const { pods } = allocationTable(node?.allocatable ?? new Map<string, never>(), [share]);
  const { cpuRequests, cpuLimits, memoryRequests, memoryLimits } = pods[0]!;
  const view = (allocated: Allocated): AllocatedResponse =>
    node === undefined ? { ...allocatedResponse(allocated), percent: null } : allocatedResponse(allocated);
  return {
    node: node?.name ?? null,
    cpuRequests: view(cpuRequests),
    cpuLimits: view(cpuLimits),
    memoryRequests: view(memoryRequests),
    memoryLimits: view(memoryLimits),
    text: node === undefined ? null : describeNodePods({ pods }, { now }),
  };
}
