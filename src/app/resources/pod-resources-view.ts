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
import type { Addition } from '../../core/admission/prepare-pod.js';
import { allocationTable, type Allocated } from '../../core/allocation/allocation-table.js';
import { podAmounts } from '../../core/allocation/pod-share.js';
import { int64 } from '../../core/cluster/resource-table.js';
import { compare } from '../../core/json/compare.js';
import { describeNodePods } from '../../core/kubectl-text/describe-node.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { Quantity } from '../../core/kubernetes/quantity.js';
import { podMetricLines } from '../../core/metrics/kube-state-metrics.js';
import { podQuotaUsage } from '../../core/quota/pod-usage.js';
import { explainQos, qosReasonText } from '../../core/resources/explain-qos.js';
import { goMapText } from '../../core/resources/go-map-text.js';
import { podResourceVector, schedulerRequest, type ResourceVector } from '../../core/resources/request-vector.js';
import type { ResourceAmounts } from '../../core/kubernetes/pod-resources/resource-amounts.js';
import { resizeState } from '../../core/resources/resize-state.js';
import { resourceSumText } from '../../core/resources/resource-sum-text.js';
import { limitSums, requestSums, type ResourceSum, type Together } from '../../core/resources/resource-sum.js';
import { allocatedView } from './allocation-view.js';
import { cgroupView } from './cgroup-view.js';
import type { GivenKubelet } from './resources-request.js';

type TogetherView = Response<typeof resourcesTogether>;
type ResourceSumView = Response<typeof resourceSum>;
type QosView = Response<typeof podQos>;
type ResizeView = Response<typeof podResize>;
type VectorView = Response<typeof resourceVector>;
type SchedulerView = Response<typeof schedulerResources>;
type AllocatedView = Response<typeof allocatedAmount>;
type NodeLineView = Response<typeof nodeTableLine>;
type PodResourcesView = Omit<Response<typeof podResources>, 'basis' | 'source' | 'notKnown'>;

export interface ViewedPod {
  readonly pod: Pod;
  readonly added: readonly Addition[];
  /** Whose share the pod's amounts are shown as; undefined for none. */
  readonly node: { readonly name: string; readonly allocatable: ResourceAmounts } | undefined;
  readonly kubelet: GivenKubelet;
  readonly valueMask: string | undefined;
}

/**
 * In steps, as a pod may have thousands of containers, each of which counts at every place.
 *
 * @param now in milliseconds since the epoch
 * @throws {QuantityError} for a text that is no quantity
 */
export function* stepPodResourcesView(
  { pod, added, node, kubelet, valueMask }: ViewedPod,
  now: number,
): Generator<undefined, PodResourcesView> {
  const { metadata, spec, status } = pod;
  const counted = { useStatusResources: true, podLevelResize: true };
  const requests = requestSums(pod, counted).map(sumView);
  yield;
  const limits = limitSums(pod, counted).map(sumView);
  yield;
  const qos = qosView(pod);
  yield;
  const resize = resizeView(pod);
  yield;
  const scheduler = schedulerView(pod);
  yield;
  const nodeTable = nodeLineView(pod, node, now);
  yield;
  const quota = texts(podQuotaUsage(pod, now));
  yield;
  const cgroup = cgroupView(pod, kubelet);
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

function sumView(sum: ResourceSum): ResourceSumView {
  const { resource, running, starting, decidedBy = null, ofContainers, ofPod, overhead, overheadCounts, total } = sum;
  return {
    resource,
    total: total.toString(),
    text: resourceSumText(sum),
    running: running === undefined ? null : togetherView(running),
    starting: starting === undefined ? null : togetherView(starting),
    decidedBy,
    ofContainers: quantityOrNull(ofContainers),
    ofPod: quantityOrNull(ofPod),
    overhead: quantityOrNull(overhead),
    overheadCounts,
  };
}

const togetherView = ({ addends, total }: Together): TogetherView => ({
  addends: addends.map(({ container, role, amount }) => ({ container, role, amount: amount.toString() })),
  total: total.toString(),
});

function qosView(pod: Pod): QosView {
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

function resizeView(pod: Pod): ResizeView {
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

function schedulerView(pod: Pod): SchedulerView {
  const { nonZero, ...held } = podResourceVector(pod);
  const counted = requestSums(pod, { useStatusResources: true, podLevelResize: true });
  return {
    requests: texts(new Map(counted.map(({ resource, total }) => [resource, total]))),
    asked: vectorView(schedulerRequest(pod)),
    held: vectorView(held),
    nonZero: { milliCPU: int64(nonZero.milliCPU), memory: int64(nonZero.memory) },
  };
}

const vectorView = ({ milliCPU, memory, ephemeralStorage, scalars }: ResourceVector): VectorView => ({
  milliCPU: int64(milliCPU),
  memory: int64(memory),
  ephemeralStorage: int64(ephemeralStorage),
  others: [...scalars]
    .map(([resource, amount]) => ({ resource, amount: int64(amount) }))
    .sort((a, b) => compare(a.resource, b.resource)),
});

function nodeLineView(pod: Pod, node: ViewedPod['node'], now: number): NodeLineView {
  const { namespace = 'default', name, creationTimestamp = '' } = pod.metadata;
  const share = { namespace, name, creationTimestamp, ...podAmounts(pod) };
  const { pods } = allocationTable(node?.allocatable ?? new Map<string, never>(), [share]);
  const { cpuRequests, cpuLimits, memoryRequests, memoryLimits } = pods[0]!;
  const view = (allocated: Allocated): AllocatedView =>
    node === undefined ? { ...allocatedView(allocated), percent: null } : allocatedView(allocated);
  return {
    node: node?.name ?? null,
    cpuRequests: view(cpuRequests),
    cpuLimits: view(cpuLimits),
    memoryRequests: view(memoryRequests),
    memoryLimits: view(memoryLimits),
    text: node === undefined ? null : describeNodePods({ pods }, { now }),
  };
}
