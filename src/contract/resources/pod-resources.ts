import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { allocatedAmount } from './allocation.js';
import { podAddition } from '../placements/placement.js';
import { answerBasis } from '../common/basis.js';
import { CGROUP_DRIVER, CGROUP_VERSION } from './pod-resources-request.js';

export const SOURCE = enumType('PodResourcesSource', 'Where the pod came from.', ['manifest', 'template', 'stored']);

export const ROLE = enumType(
  'ContainerRole',
  'What a container does in a pod; a sidecar is an init container that goes on.',
  ['container', 'sidecar', 'init'],
);

export const MOMENT = enumType('ResourceMoment', 'When a pod needs most: once it runs, or while it starts.', [
  'running',
  'starting',
]);

export const LIST = enumType('ResourceListName', 'Which list of resources.', ['requests', 'limits']);

export const PLACE = enumType(
  'AmountPlace',
  'In the spec; where the kubelet has admitted it; where the runtime has it in force.',
  ['desired', 'allocated', 'actual'],
);

export const PENDING = enumType(
  'PodResizePending',
  'Why a resize is pending: the node has no room now; it never will; for a reason of another name.',
  ['Deferred', 'Infeasible', 'Unknown'],
);

export const QOS_CODE = enumType('QosReasonCode', 'What decides on a class of quality of service.', [
  'NothingAsked',
  'RequestsEqualLimits',
  'LimitMissing',
  'SumsDiffer',
]);

export const LEVEL = enumType('CgroupLevel', 'Whose cgroup.', ['pod', 'container']);

export const CONVERSION = enumType(
  'CpuWeightConversion',
  'How cpu shares become a weight: on a line, where 1024 are 39, or on a curve, where they are 100.',
  ['linear', 'curve'],
);

export const resourceAddend = object(
  'ResourceAddend',
  'What one container adds.',
  {
    container: { type: 'string', description: 'The container.', example: 'nginx-ctr' },
    role: { type: ROLE, description: 'What it does.', example: 'container' },
    amount: { type: 'string', description: 'How much.', example: '1500m' },
  },
  { openApiName: 'Addend' },
);

export const resourcesTogether = object(
  'ResourcesTogether',
  'Containers that run at one time.',
  {
    addends: {
      type: resourceAddend,
      list: true,
      description: 'Those that name the resource, in the order in which they are added.',
    },
    total: { type: 'string', description: 'What they come to.', example: '2' },
  },
  { openApiName: 'Together' },
);

export const resourceSum = object('ResourceSum', 'How an effective request or limit comes about.', {
  resource: { type: 'string', description: 'The resource.', example: 'cpu' },
  total: { type: 'string', description: 'The effective amount.', example: '2250m' },
  text: {
    type: 'string',
    description: 'The sum in words.',
    example: '500m (container a) + 1500m (container b) = 2; plus overhead 250m: 2250m',
  },
  running: {
    type: resourcesTogether,
    optional: true,
    description: 'Containers and sidecars; null where none names the resource.',
    example: exampleOf(resourcesTogether),
  },
  starting: {
    type: resourcesTogether,
    optional: true,
    description:
      'The moment of the start that needs most: an init container with the sidecars before it, or the sidecars alone; null where none names the resource.',
  },
  decidedBy: {
    type: MOMENT,
    optional: true,
    description: 'Which of the two is larger; null where no container names the resource.',
    example: 'running',
  },
  ofContainers: { type: 'string', optional: true, description: 'What the containers come to.', example: '2' },
  ofPod: {
    type: 'string',
    optional: true,
    description: 'What pod-level resources put in the place of that; null where they do not name it.',
    example: null,
  },
  overhead: { type: 'string', optional: true, description: 'The overhead of that resource.', example: '250m' },
  overheadCounts: {
    type: 'boolean',
    description: 'Whether it is added: to a limit that is absent or zero it is not.',
    example: true,
  },
});

export const qosReason = object('QosReason', 'What decides on the class.', {
  code: { type: QOS_CODE, description: 'What it is.', example: 'LimitMissing' },
  container: { type: 'string', optional: true, description: 'The container; null for the pod.', example: 'proxy' },
  resource: { type: 'string', optional: true, description: 'The resource.', example: 'cpu' },
  requests: { type: 'string', optional: true, description: 'What requests come to, where sums differ.', example: null },
  limits: { type: 'string', optional: true, description: 'What limits come to, where sums differ.', example: null },
  message: { type: 'string', description: 'In words.', example: 'container proxy has no cpu limit' },
});

export const podQos = object(
  'PodQos',
  'The class of quality of service, and why.',
  {
    qosClass: {
      type: 'string',
      description: 'The one that counts: that of the status, or else the computed one.',
      example: 'Burstable',
    },
    computed: { type: 'string', description: 'By the spec.', example: 'Burstable' },
    byPodLevel: { type: 'boolean', description: 'Whether pod-level resources decide alone.', example: false },
    reasons: {
      type: qosReason,
      list: true,
      description: 'Why; for Burstable everything that keeps it from Guaranteed.',
    },
  },
  { openApiName: 'Qos' },
);

export const resizedAmount = object('ResizedAmount', 'A resource in the three places.', {
  container: {
    type: 'string',
    optional: true,
    description: 'The container; null for the pod as a whole.',
    example: 'web',
  },
  list: { type: LIST, description: 'Which list.', example: 'requests' },
  resource: { type: 'string', description: 'The resource.', example: 'cpu' },
  desired: { type: 'string', optional: true, description: 'In the spec.', example: '2' },
  allocated: {
    type: 'string',
    optional: true,
    description: 'In `allocatedResources` of the status; of requests alone.',
    example: '1',
  },
  actual: { type: 'string', optional: true, description: 'In `resources` of the status.', example: '1' },
  counted: {
    type: 'string',
    optional: true,
    description: 'What counts for the scheduler and for quotas: the largest, but an infeasible desired one does not.',
    example: '2',
  },
  countedFrom: { type: PLACE, optional: true, description: 'Where that stands.', example: 'desired' },
});

export const podResize = object(
  'PodResize',
  'How far a change in place of the resources has come.',
  {
    pending: {
      type: PENDING,
      optional: true,
      description: 'By the condition PodResizePending; null without one.',
      example: null,
    },
    inProgress: { type: 'boolean', description: 'By the condition PodResizeInProgress.', example: false },
    inProgressReason: { type: 'string', optional: true, description: 'Its reason, such as `Error`.', example: null },
    former: {
      type: 'string',
      optional: true,
      description: '`status.resize`, which releases before v1.33 set.',
      example: null,
    },
    amounts: {
      type: resizedAmount,
      list: true,
      description: 'Of each container, sidecar and of the pod, where the status tells resources.',
    },
  },
  { openApiName: 'Resize' },
);

export const scalarAmount = object('ScalarAmount', 'A count of another resource.', {
  resource: { type: 'string', description: 'The resource.', example: 'nvidia.com/gpu' },
  amount: { type: 'int64', description: 'How much.', example: 1 },
});

export const resourceVector = object('ResourceVector', 'Resources as the scheduler counts them.', {
  milliCPU: { type: 'int64', description: 'Thousandths of a core.', example: 2250 },
  memory: { type: 'int64', description: 'Bytes.', example: 335544320 },
  ephemeralStorage: { type: 'int64', description: 'Bytes.', example: 0 },
  others: {
    type: scalarAmount,
    list: true,
    description: 'Extended resources, huge pages, volumes to attach; by name.',
  },
});

export const nonZeroRequests = object(
  'NonZeroRequests',
  'What counts for scores.',
  {
    milliCPU: {
      type: 'int64',
      description: 'Thousandths of a core; 100 for a container that requests none.',
      example: 2250,
    },
    memory: { type: 'int64', description: 'Bytes; 200 MiB for a container that requests none.', example: 335544320 },
  },
  { openApiName: 'NonZero' },
);

export const schedulerResources = object('SchedulerResources', 'What the scheduler makes of the pod.', {
  requests: {
    type: 'labels',
    description: 'What counts as requested, overhead included.',
    example: { cpu: '2250m', memory: '320Mi' },
  },
  asked: { type: resourceVector, description: 'What it asks of a node before it is on one: by the spec.' },
  held: {
    type: resourceVector,
    description: 'What it takes of its node: while it is resized, the largest of desired, allocated and actual.',
  },
  nonZero: { type: nonZeroRequests, description: 'What counts for scores.' },
});

export const nodeTableLine = object(
  'NodeTableLine',
  "The pod's line in `kubectl describe node`.",
  {
    node: {
      type: 'string',
      optional: true,
      description: 'The node that the percentages are of; null for none.',
      example: 'node-1',
    },
    cpuRequests: { type: allocatedAmount, description: 'cpu requests.' },
    cpuLimits: { type: allocatedAmount, description: 'cpu limits.' },
    memoryRequests: { type: allocatedAmount, description: 'Memory requests.' },
    memoryLimits: { type: allocatedAmount, description: 'Memory limits.' },
    text: {
      type: 'string',
      optional: true,
      description: 'The table with this pod alone; null without a node.',
      example: null,
    },
  },
  { openApiName: 'NodeLine' },
);

export const cgroupPath = object('CgroupPath', 'Where a cgroup is below its mount.', {
  driver: { type: CGROUP_DRIVER, description: 'With this driver.', example: 'cgroupfs' },
  path: { type: 'string', description: 'The path.', example: '/kubepods/pod1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11' },
});

export const cgroupFile = object('CgroupFile', 'A file of a cgroup.', {
  file: { type: 'string', description: 'Its name.', example: 'memory.max' },
  text: { type: 'string', description: 'What is written into it.', example: '335544320' },
});

export const cgroupFiles = object('CgroupFiles', 'The files that the kubelet writes.', {
  version: { type: CGROUP_VERSION, description: 'On a node with this version.', example: 'v2' },
  files: { type: cgroupFile, list: true, description: 'What is not there keeps the default of the kernel.' },
});

export const unlimitedContainer = object(
  'UnlimitedContainer',
  "A container without a limit, which leaves the pod's cgroup without one.",
  {
    container: { type: 'string', description: 'The container.', example: 'proxy' },
    resource: { type: 'string', description: 'Of which resource.', example: 'memory' },
    message: { type: 'string', description: 'In words.' },
  },
  { openApiName: 'Unlimited' },
);

export const cpuWeight = object('CpuWeight', 'A cpu.weight of cgroup v2, and who computes it how.', {
  level: { type: LEVEL, description: 'Whose cgroup.', example: 'pod' },
  container: { type: 'string', optional: true, description: 'The container; null for the pod.', example: null },
  cpuShares: { type: 'int64', description: 'The cpu.shares that it comes from.', example: 2304 },
  cpuWeight: { type: 'int64', description: 'The weight.', example: 88 },
  conversion: { type: CONVERSION, description: 'How.', example: 'linear' },
  writtenBy: { type: 'string', description: 'By whom.', example: 'the kubelet, v1.36' },
});

export const kubeletCgroupOptions = object(
  'KubeletCgroupOptions',
  'What the answer supposes of the kubelet.',
  {
    cpuCFSQuota: { type: 'boolean', description: 'Whether it enforces cpu limits.', example: true },
    cpuCFSQuotaPeriod: { type: 'int64', description: 'Microseconds.', example: 100000 },
    memoryQoS: { type: 'boolean', description: 'The feature gate.', example: false },
    memoryReservationPolicy: { type: 'string', description: 'Its policy.', example: 'None' },
  },
  { openApiName: 'KubeletOptions' },
);

export const cgroupUnknown = object(
  'CgroupUnknown',
  'Something that decides on a cgroup and that the Kubernetes API does not tell.',
  {
    code: { type: 'string', description: 'What it is, for programs.', example: 'cgroup-driver' },
    message: { type: 'string', description: 'In words.' },
  },
);

export const podCgroup = object(
  'PodCgroup',
  "What the kubelet sets on the pod's own cgroup.",
  {
    qosClass: { type: 'string', description: 'The class that its place follows from.', example: 'Guaranteed' },
    paths: { type: cgroupPath, list: true, description: 'Where it is.' },
    files: { type: cgroupFiles, list: true, description: 'What is written there.' },
    cpuShares: { type: 'int64', description: 'cpu.shares of cgroup v1.', example: 2304 },
    cpuWeight: { type: 'int64', description: 'cpu.weight of cgroup v2.', example: 88 },
    cpuQuota: {
      type: 'int64',
      optional: true,
      description: 'Microseconds a period; -1 is no limit, null: not set.',
      example: 225000,
    },
    cpuPeriod: { type: 'int64', optional: true, description: 'Microseconds; null: not set.', example: 100000 },
    memory: { type: 'int64', optional: true, description: 'Bytes; null: not set.', example: 335544320 },
    unlimited: { type: unlimitedContainer, list: true, description: 'The containers that leave it without a limit.' },
    weights: {
      type: cpuWeight,
      list: true,
      description: 'Which conversion applies at which level, by which runtime.',
    },
    kubelet: { type: kubeletCgroupOptions, description: 'What is supposed of the kubelet.' },
    unknowns: { type: cgroupUnknown, list: true, description: 'What cannot be known from the API.' },
  },
  { openApiName: 'Cgroup' },
);

export const resourcesPod = object('ResourcesPod', 'The pod.', {
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web' },
  uid: { type: 'string', optional: true, description: 'Its UID; null before it is made.', example: null },
  node: { type: 'string', optional: true, description: 'The node that it is on.', example: null },
  phase: { type: 'string', optional: true, description: 'Its phase.', example: null },
});

export const admittedOverhead = object('AdmittedOverhead', 'What admission makes of the pod.', {
  runtimeClassName: { type: 'string', optional: true, description: 'Its runtime class.', example: 'kata-fc' },
  overhead: {
    type: 'labels',
    optional: true,
    description: '`spec.overhead`.',
    example: { cpu: '250m', memory: '120Mi' },
  },
  text: {
    type: 'string',
    optional: true,
    description: 'The same as kubectl prints it with a JSON path.',
    example: 'map[cpu:250m memory:120Mi]',
  },
  added: {
    type: podAddition,
    list: true,
    description: 'What was added to what was sent, and by whom; empty for a stored pod.',
  },
});

export const podResources = object('PodResources', 'What a pod costs, at every place that counts it.', {
  basis: { type: answerBasis, description: 'What the answer rests on.' },
  source: { type: SOURCE, description: 'Where the pod came from.', example: 'manifest' },
  notKnown: {
    type: 'string',
    list: true,
    description: 'What keeps the answer from being certain, such as a RuntimeClass that is not stored.',
    example: [],
  },
  pod: { type: resourcesPod, description: 'The pod.' },
  admission: { type: admittedOverhead, description: 'What admission makes of it.' },
  requests: { type: resourceSum, list: true, description: 'Its effective requests, spelled out.' },
  limits: { type: resourceSum, list: true, description: 'Its effective limits, spelled out.' },
  qos: { type: podQos, description: 'Its class of quality of service, and why.' },
  resize: { type: podResize, description: 'How far a change of its resources in place has come.' },
  scheduler: { type: schedulerResources, description: 'What the scheduler counts.' },
  nodeTable: { type: nodeTableLine, description: "Its line in kubectl's table of its node." },
  quota: {
    type: 'labels',
    description: 'What it is charged to the quotas of its namespace at the time of the question.',
    example: { 'count/pods': '1', 'requests.cpu': '2250m' },
  },
  cgroup: { type: podCgroup, description: 'What its kubelet sets.' },
  metrics: {
    type: 'string',
    list: true,
    description: 'Its lines among the metrics of the cluster.',
    example: ['kube_pod_overhead_cpu_cores{namespace="default",pod="web",uid=""} 0.25'],
  },
});
