import { ObjectType } from '@nestjs/graphql';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import { AllocatedShape } from './allocation-shape.js';
import { BasisShape } from './basis-shape.js';
import { AdditionShape } from './placement-shape.js';
import type { Plain } from './plain.js';
import { CGROUP_DRIVER, CGROUP_VERSION } from './pod-resources-body.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';

const SOURCE = wordsType('PodResourcesSource', 'Where the pod came from.', ['manifest', 'template', 'stored']);
const ROLE = wordsType(
  'ContainerRole',
  'What a container does in a pod; a sidecar is an init container that goes on.',
  ['container', 'sidecar', 'init'],
);
const MOMENT = wordsType('ResourceMoment', 'When a pod needs most: once it runs, or while it starts.', [
  'running',
  'starting',
]);
const LIST = wordsType('ResourceListName', 'Which list of resources.', ['requests', 'limits']);
const PLACE = wordsType(
  'AmountPlace',
  'In the spec; where the kubelet has admitted it; where the runtime has it in force.',
  ['desired', 'allocated', 'actual'],
);
const PENDING = wordsType(
  'PodResizePending',
  'Why a resize is pending: the node has no room now; it never will; for a reason of another name.',
  ['Deferred', 'Infeasible', 'Unknown'],
);
const QOS_CODE = wordsType('QosReasonCode', 'What decides on a class of quality of service.', [
  'NothingAsked',
  'RequestsEqualLimits',
  'LimitMissing',
  'SumsDiffer',
]);
const LEVEL = wordsType('CgroupLevel', 'Whose cgroup.', ['pod', 'container']);
const CONVERSION = wordsType(
  'CpuWeightConversion',
  'How cpu shares become a weight: on a line, where 1024 are 39, or on a curve, where they are 100.',
  ['linear', 'curve'],
);

@ObjectType('ResourceAddend', { description: 'What one container adds.' })
export class AddendShape {
  @Shown({ type: 'string', description: 'The container.', example: 'nginx-ctr' })
  container!: string;

  @Shown({ type: ROLE, description: 'What it does.', example: 'container' })
  role!: string;

  @Shown({ type: 'string', description: 'How much.', example: '1500m' })
  amount!: string;
}

@ObjectType('ResourcesTogether', { description: 'Containers that run at one time.' })
export class TogetherShape {
  @Shown({
    type: () => AddendShape,
    list: true,
    description: 'Those that name the resource, in the order in which they are added.',
  })
  addends!: readonly Plain<AddendShape>[];

  @Shown({ type: 'string', description: 'What they come to.', example: '2' })
  total!: string;
}

@ObjectType('ResourceSum', { description: 'How an effective request or limit comes about.' })
export class ResourceSumShape {
  @Shown({ type: 'string', description: 'The resource.', example: 'cpu' })
  resource!: string;

  @Shown({ type: 'string', description: 'The effective amount.', example: '2250m' })
  total!: string;

  @Shown({
    type: 'string',
    description: 'The sum in words.',
    example: '500m (container a) + 1500m (container b) = 2; overhead 250m comes on top: 2250m',
  })
  text!: string;

  @Shown({
    type: () => TogetherShape,
    optional: true,
    description: 'Containers and sidecars; null where none names the resource.',
  })
  running!: Plain<TogetherShape> | null;

  @Shown({
    type: () => TogetherShape,
    optional: true,
    description:
      'The moment of the start that needs most: an init container with the sidecars before it, or the sidecars alone; null where none names the resource.',
  })
  starting!: Plain<TogetherShape> | null;

  @Shown({
    type: MOMENT,
    optional: true,
    description: 'Which of the two is larger; null where no container names the resource.',
    example: 'running',
  })
  decidedBy!: string | null;

  @Shown({ type: 'string', optional: true, description: 'What the containers come to.', example: '2' })
  ofContainers!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What pod-level resources put in the place of that; null where they do not name it.',
    example: null,
  })
  ofPod!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The overhead of that resource.', example: '250m' })
  overhead!: string | null;

  @Shown({
    type: 'boolean',
    description: 'Whether it is added: to a limit that is absent or zero it is not.',
    example: true,
  })
  overheadCounts!: boolean;
}

@ObjectType('QosReason', { description: 'What decides on the class.' })
export class QosReasonShape {
  @Shown({ type: QOS_CODE, description: 'What it is.', example: 'LimitMissing' })
  code!: string;

  @Shown({ type: 'string', optional: true, description: 'The container; null for the pod.', example: 'proxy' })
  container!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The resource.', example: 'cpu' })
  resource!: string | null;

  @Shown({ type: 'string', optional: true, description: 'What requests come to, where sums differ.', example: null })
  requests!: string | null;

  @Shown({ type: 'string', optional: true, description: 'What limits come to, where sums differ.', example: null })
  limits!: string | null;

  @Shown({ type: 'string', description: 'In words.', example: 'container proxy has no cpu limit' })
  message!: string;
}

@ObjectType('PodQos', { description: 'The class of quality of service, and why.' })
export class QosShape {
  @Shown({
    type: 'string',
    description: 'The one that counts: that of the status, or else the computed one.',
    example: 'Burstable',
  })
  qosClass!: string;

  @Shown({ type: 'string', description: 'By the spec.', example: 'Burstable' })
  computed!: string;

  @Shown({ type: 'boolean', description: 'Whether pod-level resources decide alone.', example: false })
  byPodLevel!: boolean;

  @Shown({
    type: () => QosReasonShape,
    list: true,
    description: 'Why; for Burstable everything that keeps it from Guaranteed.',
  })
  reasons!: readonly Plain<QosReasonShape>[];
}

@ObjectType('ResizedAmount', { description: 'A resource in the three places.' })
export class ResizedAmountShape {
  @Shown({ type: 'string', optional: true, description: 'The container; null for the pod as a whole.', example: 'web' })
  container!: string | null;

  @Shown({ type: LIST, description: 'Which list.', example: 'requests' })
  list!: string;

  @Shown({ type: 'string', description: 'The resource.', example: 'cpu' })
  resource!: string;

  @Shown({ type: 'string', optional: true, description: 'In the spec.', example: '2' })
  desired!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'In `allocatedResources` of the status; of requests alone.',
    example: '1',
  })
  allocated!: string | null;

  @Shown({ type: 'string', optional: true, description: 'In `resources` of the status.', example: '1' })
  actual!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What counts for the scheduler and for quotas: the largest, but an infeasible desired one does not.',
    example: '2',
  })
  counted!: string | null;

  @Shown({ type: PLACE, optional: true, description: 'Where that stands.', example: 'desired' })
  countedFrom!: string | null;
}

@ObjectType('PodResize', { description: 'How far a change in place of the resources has come.' })
export class ResizeShape {
  @Shown({
    type: PENDING,
    optional: true,
    description: 'By the condition PodResizePending; null without one.',
    example: null,
  })
  pending!: string | null;

  @Shown({ type: 'boolean', description: 'By the condition PodResizeInProgress.', example: false })
  inProgress!: boolean;

  @Shown({ type: 'string', optional: true, description: 'Its reason, such as `Error`.', example: null })
  inProgressReason!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: '`status.resize`, which releases before v1.33 set.',
    example: null,
  })
  former!: string | null;

  @Shown({
    type: () => ResizedAmountShape,
    list: true,
    description: 'Of each container, sidecar and of the pod, where the status tells resources.',
  })
  amounts!: readonly Plain<ResizedAmountShape>[];
}

@ObjectType('ScalarAmount', { description: 'A count of another resource.' })
export class ScalarAmountShape {
  @Shown({ type: 'string', description: 'The resource.', example: 'nvidia.com/gpu' })
  resource!: string;

  @Shown({ type: 'int64', description: 'How much.', example: 1 })
  amount!: Int64;
}

@ObjectType('ResourceVector', { description: 'Resources as the scheduler counts them.' })
export class ResourceVectorShape {
  @Shown({ type: 'int64', description: 'Thousandths of a core.', example: 2250 })
  milliCPU!: Int64;

  @Shown({ type: 'int64', description: 'Bytes.', example: 335544320 })
  memory!: Int64;

  @Shown({ type: 'int64', description: 'Bytes.', example: 0 })
  ephemeralStorage!: Int64;

  @Shown({
    type: () => ScalarAmountShape,
    list: true,
    description: 'Extended resources, huge pages, volumes to attach; by name.',
  })
  others!: readonly Plain<ScalarAmountShape>[];
}

@ObjectType('NonZeroRequests', { description: 'What counts for scores.' })
export class NonZeroShape {
  @Shown({
    type: 'int64',
    description: 'Thousandths of a core; 100 for a container that requests none.',
    example: 2250,
  })
  milliCPU!: Int64;

  @Shown({ type: 'int64', description: 'Bytes; 200 MiB for a container that requests none.', example: 335544320 })
  memory!: Int64;
}

@ObjectType('SchedulerResources', { description: 'What the scheduler makes of the pod.' })
export class SchedulerResourcesShape {
  @Shown({
    type: 'labels',
    description: 'What counts as requested, overhead included.',
    example: { cpu: '2250m', memory: '320Mi' },
  })
  requests!: Readonly<Record<string, string>>;

  @Shown({ type: () => ResourceVectorShape, description: 'What it asks of a node before it is on one: by the spec.' })
  asked!: Plain<ResourceVectorShape>;

  @Shown({
    type: () => ResourceVectorShape,
    description: 'What it takes of its node: while it is resized, the largest of desired, allocated and actual.',
  })
  held!: Plain<ResourceVectorShape>;

  @Shown({ type: () => NonZeroShape, description: 'What counts for scores.' })
  nonZero!: Plain<NonZeroShape>;
}

@ObjectType('NodeTableLine', { description: "The pod's line in `kubectl describe node`." })
export class NodeLineShape {
  @Shown({
    type: 'string',
    optional: true,
    description: 'The node that the percentages are of; null for none.',
    example: 'node-1',
  })
  node!: string | null;

  @Shown({ type: () => AllocatedShape, description: 'cpu requests.' })
  cpuRequests!: Plain<AllocatedShape>;

  @Shown({ type: () => AllocatedShape, description: 'cpu limits.' })
  cpuLimits!: Plain<AllocatedShape>;

  @Shown({ type: () => AllocatedShape, description: 'Memory requests.' })
  memoryRequests!: Plain<AllocatedShape>;

  @Shown({ type: () => AllocatedShape, description: 'Memory limits.' })
  memoryLimits!: Plain<AllocatedShape>;

  @Shown({
    type: 'string',
    optional: true,
    description: 'The table with this pod alone; null without a node.',
    example: null,
  })
  text!: string | null;
}

@ObjectType('CgroupPath', { description: 'Where a cgroup is below its mount.' })
export class CgroupPathShape {
  @Shown({ type: CGROUP_DRIVER, description: 'With this driver.', example: 'cgroupfs' })
  driver!: string;

  @Shown({ type: 'string', description: 'The path.', example: '/kubepods/pod1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11' })
  path!: string;
}

@ObjectType('CgroupFile', { description: 'A file of a cgroup.' })
export class CgroupFileShape {
  @Shown({ type: 'string', description: 'Its name.', example: 'memory.max' })
  file!: string;

  @Shown({ type: 'string', description: 'What is written into it.', example: '335544320' })
  text!: string;
}

@ObjectType('CgroupFiles', { description: 'The files that the kubelet writes.' })
export class CgroupFilesShape {
  @Shown({ type: CGROUP_VERSION, description: 'On a node with this version.', example: 'v2' })
  version!: string;

  @Shown({ type: () => CgroupFileShape, list: true, description: 'What is not there keeps the default of the kernel.' })
  files!: readonly Plain<CgroupFileShape>[];
}

@ObjectType('UnlimitedContainer', {
  description: "A container without a limit, which leaves the pod's cgroup without one.",
})
export class UnlimitedShape {
  @Shown({ type: 'string', description: 'The container.', example: 'proxy' })
  container!: string;

  @Shown({ type: 'string', description: 'Of which resource.', example: 'memory' })
  resource!: string;

  @Shown({ type: 'string', description: 'In words.' })
  message!: string;
}

@ObjectType('CpuWeight', { description: 'A cpu.weight of cgroup v2, and who computes it how.' })
export class CpuWeightShape {
  @Shown({ type: LEVEL, description: 'Whose cgroup.', example: 'pod' })
  level!: string;

  @Shown({ type: 'string', optional: true, description: 'The container; null for the pod.', example: null })
  container!: string | null;

  @Shown({ type: 'int64', description: 'The cpu.shares that it comes from.', example: 2304 })
  cpuShares!: Int64;

  @Shown({ type: 'int64', description: 'The weight.', example: 88 })
  cpuWeight!: Int64;

  @Shown({ type: CONVERSION, description: 'How.', example: 'linear' })
  conversion!: string;

  @Shown({ type: 'string', description: 'By whom.', example: 'the kubelet, v1.36' })
  writtenBy!: string;
}

@ObjectType('KubeletCgroupOptions', { description: 'What the answer supposes of the kubelet.' })
export class KubeletOptionsShape {
  @Shown({ type: 'boolean', description: 'Whether it enforces cpu limits.', example: true })
  cpuCFSQuota!: boolean;

  @Shown({ type: 'int64', description: 'Microseconds.', example: 100000 })
  cpuCFSQuotaPeriod!: Int64;

  @Shown({ type: 'boolean', description: 'The feature gate.', example: false })
  memoryQoS!: boolean;

  @Shown({ type: 'string', description: 'Its policy.', example: 'None' })
  memoryReservationPolicy!: string;
}

@ObjectType('CgroupUnknown', {
  description: 'Something that decides on a cgroup and that the Kubernetes API does not tell.',
})
export class CgroupUnknownShape {
  @Shown({ type: 'string', description: 'What it is, for programs.', example: 'cgroup-driver' })
  code!: string;

  @Shown({ type: 'string', description: 'In words.' })
  message!: string;
}

@ObjectType('PodCgroup', { description: "What the kubelet sets on the pod's own cgroup." })
export class CgroupShape {
  @Shown({ type: 'string', description: 'The class that its place follows from.', example: 'Guaranteed' })
  qosClass!: string;

  @Shown({ type: () => CgroupPathShape, list: true, description: 'Where it is.' })
  paths!: readonly Plain<CgroupPathShape>[];

  @Shown({ type: () => CgroupFilesShape, list: true, description: 'What is written there.' })
  files!: readonly Plain<CgroupFilesShape>[];

  @Shown({ type: 'int64', description: 'cpu.shares of cgroup v1.', example: 2304 })
  cpuShares!: Int64;

  @Shown({ type: 'int64', description: 'cpu.weight of cgroup v2.', example: 88 })
  cpuWeight!: Int64;

  @Shown({
    type: 'int64',
    optional: true,
    description: 'Microseconds a period; -1 is no limit, null: not set.',
    example: 225000,
  })
  cpuQuota!: Int64 | null;

  @Shown({ type: 'int64', optional: true, description: 'Microseconds; null: not set.', example: 100000 })
  cpuPeriod!: Int64 | null;

  @Shown({ type: 'int64', optional: true, description: 'Bytes; null: not set.', example: 335544320 })
  memory!: Int64 | null;

  @Shown({ type: () => UnlimitedShape, list: true, description: 'The containers that leave it without a limit.' })
  unlimited!: readonly Plain<UnlimitedShape>[];

  @Shown({
    type: () => CpuWeightShape,
    list: true,
    description: 'Which conversion applies at which level, by which runtime.',
  })
  weights!: readonly Plain<CpuWeightShape>[];

  @Shown({ type: () => KubeletOptionsShape, description: 'What is supposed of the kubelet.' })
  kubelet!: Plain<KubeletOptionsShape>;

  @Shown({ type: () => CgroupUnknownShape, list: true, description: 'What cannot be known from the API.' })
  unknowns!: readonly Plain<CgroupUnknownShape>[];
}

@ObjectType('ResourcesPod', { description: 'The pod.' })
export class ResourcesPodShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;

  @Shown({ type: 'string', optional: true, description: 'Its UID; null before it is made.', example: null })
  uid!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The node that it is on.', example: null })
  node!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Its phase.', example: null })
  phase!: string | null;
}

@ObjectType('AdmittedOverhead', { description: 'What admission makes of the pod.' })
export class AdmittedOverheadShape {
  @Shown({ type: 'string', optional: true, description: 'Its runtime class.', example: 'kata-fc' })
  runtimeClassName!: string | null;

  @Shown({ type: 'labels', optional: true, description: '`spec.overhead`.', example: { cpu: '250m', memory: '120Mi' } })
  overhead!: Readonly<Record<string, string>> | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'The same as kubectl prints it with a JSON path.',
    example: 'map[cpu:250m memory:120Mi]',
  })
  text!: string | null;

  @Shown({
    type: () => AdditionShape,
    list: true,
    description: 'What was added to what was sent, and by whom; empty for a stored pod.',
  })
  added!: readonly Plain<AdditionShape>[];
}

@ObjectType('PodResources', { description: 'What a pod costs, at every place that counts it.' })
export class PodResourcesShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: SOURCE, description: 'Where the pod came from.', example: 'manifest' })
  source!: string;

  @Shown({
    type: 'string',
    list: true,
    description: 'What keeps the answer from being certain, such as a RuntimeClass that is not stored.',
    example: [],
  })
  notKnown!: readonly string[];

  @Shown({ type: () => ResourcesPodShape, description: 'The pod.' })
  pod!: Plain<ResourcesPodShape>;

  @Shown({ type: () => AdmittedOverheadShape, description: 'What admission makes of it.' })
  admission!: Plain<AdmittedOverheadShape>;

  @Shown({ type: () => ResourceSumShape, list: true, description: 'Its effective requests, spelled out.' })
  requests!: readonly Plain<ResourceSumShape>[];

  @Shown({ type: () => ResourceSumShape, list: true, description: 'Its effective limits, spelled out.' })
  limits!: readonly Plain<ResourceSumShape>[];

  @Shown({ type: () => QosShape, description: 'Its class of quality of service, and why.' })
  qos!: Plain<QosShape>;

  @Shown({ type: () => ResizeShape, description: 'How far a change of its resources in place has come.' })
  resize!: Plain<ResizeShape>;

  @Shown({ type: () => SchedulerResourcesShape, description: 'What the scheduler counts.' })
  scheduler!: Plain<SchedulerResourcesShape>;

  @Shown({ type: () => NodeLineShape, description: "Its line in kubectl's table of its node." })
  nodeTable!: Plain<NodeLineShape>;

  @Shown({
    type: 'labels',
    description: 'What it is charged to the quotas of its namespace at the time of the question.',
    example: { 'count/pods': '1', 'requests.cpu': '2250m' },
  })
  quota!: Readonly<Record<string, string>>;

  @Shown({ type: () => CgroupShape, description: 'What its kubelet sets.' })
  cgroup!: Plain<CgroupShape>;

  @Shown({
    type: 'string',
    list: true,
    description: 'Its lines among the metrics of the cluster.',
    example: ['kube_pod_overhead_cpu_cores{namespace="default",pod="web",uid=""} 0.25'],
  })
  metrics!: readonly string[];
}
