import { RESERVATION } from './pod-resources-request.js';
import { QOS_CLASS } from '../common/qos-class.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { allocatedAmount } from './allocation.js';
import { podAddition } from '../placements/placement.js';
import { answerBasis } from '../common/basis.js';
import { CGROUP_DRIVER, CGROUP_VERSION } from './pod-resources-request.js';

export const SOURCE = enumType('PodResourcesSource', 'Source of the pod.', ['manifest', 'template', 'stored']);

export const ROLE = enumType(
  'ContainerRole',
  'Role of a container in the pod. A sidecar is a restartable init container.',
  ['container', 'sidecar', 'init'],
);

export const MOMENT = enumType('ResourceMoment', 'When a pod needs most: while it runs, or while it starts.', [
  'running',
  'starting',
]);

export const LIST = enumType('ResourceListName', 'Requests or limits.', ['requests', 'limits']);

export const PLACE = enumType(
  'AmountPlace',
  "Where an amount is from: the spec, the kubelet's allocation, or the runtime.",
  ['desired', 'allocated', 'actual'],
);

export const PENDING = enumType(
  'PodResizePending',
  'Why a resize is pending: the node has no room now, never has, or another reason.',
  ['Deferred', 'Infeasible', 'Unknown'],
);

export const QOS_CODE = enumType('QosReasonCode', 'What determines the QoS class.', [
  'NoRequestsOrLimits',
  'RequestsEqualLimits',
  'LimitMissing',
  'SumsDiffer',
]);

export const LEVEL = enumType('CgroupLevel', 'Cgroup of the pod, or of a container.', ['pod', 'container']);

export const CONVERSION = enumType(
  'CpuWeightConversion',
  'How cpu shares are converted to a weight: linearly (1024 are 39), or on a curve (1024 are 100).',
  ['linear', 'curve'],
);

export const resourceAddend = object(
  'ResourceAddend',
  'The amount of one container in a sum.',
  {
    container: { type: 'identifier', description: 'Container name.', example: 'nginx-ctr' },
    role: { type: ROLE, description: ROLE.description, example: 'container' },
    amount: { type: 'identifier', description: 'The amount.', example: '1500m' },
  },
  { openApiName: 'Addend' },
);

export const resourcesTogether = object(
  'ResourcesTogether',
  'Containers that run at the same time.',
  {
    addends: {
      type: resourceAddend,
      list: true,
      description: 'Containers that specify the resource, in the order of addition.',
    },
    total: { type: 'identifier', description: 'Sum of the amounts.', example: '2' },
  },
  { openApiName: 'Together' },
);

export const resourceSum = object('ResourceSum', 'How an effective request or limit is calculated.', {
  resource: { type: 'identifier', description: 'Resource name.', example: 'cpu' },
  total: { type: 'identifier', description: 'Effective amount.', example: '2250m' },
  text: {
    type: 'string',
    description: 'The calculation as text.',
    example: '500m (container a) + 1500m (container b) = 2; plus overhead 250m: 2250m',
  },
  running: {
    type: resourcesTogether,
    optional: true,
    description: 'Containers and sidecars; null if none specifies the resource.',
    example: exampleOf(resourcesTogether),
  },
  starting: {
    type: resourcesTogether,
    optional: true,
    description:
      'The phase of the start that needs most: an init container with the sidecars before it, or the sidecars alone; ' +
      'null if none specifies the resource.',
  },
  decidedBy: {
    type: MOMENT,
    optional: true,
    description: 'Which of `running` and `starting` is larger; null if no container specifies the resource.',
    example: 'running',
  },
  ofContainers: { type: 'identifier', optional: true, description: 'Amount of the containers.', example: '2' },
  ofPod: {
    type: 'identifier',
    optional: true,
    description: 'Amount of pod-level resources, which replaces that of containers; null if not specified.',
    example: null,
  },
  overhead: { type: 'identifier', optional: true, description: 'Overhead of the resource.', example: '250m' },
  overheadCounts: {
    type: 'boolean',
    description: 'Whether overhead is added. It is not added to a limit that is absent or zero.',
    example: true,
  },
});

export const qosReason = object('QosReason', 'A fact that determines the QoS class.', {
  code: { type: QOS_CODE, description: QOS_CODE.description, example: 'LimitMissing' },
  container: { type: 'identifier', optional: true, description: 'Container name; null for the pod.', example: 'proxy' },
  resource: { type: 'identifier', optional: true, description: 'Resource name.', example: 'cpu' },
  requests: { type: 'identifier', optional: true, description: 'Total requests, if sums differ.', example: null },
  limits: { type: 'identifier', optional: true, description: 'Total limits, if sums differ.', example: null },
  message: { type: 'string', description: 'The fact as text.', example: 'container proxy has no cpu limit' },
});

export const podQos = object(
  'PodQos',
  'The QoS class, and why.',
  {
    qosClass: {
      type: QOS_CLASS,
      description: 'The effective class: from the status, otherwise the computed one.',
      example: 'Burstable',
    },
    computed: { type: QOS_CLASS, description: 'Class computed from the spec.', example: 'Burstable' },
    byPodLevel: {
      type: 'boolean',
      description: 'Whether pod-level resources alone determine the class.',
      example: false,
    },
    reasons: {
      type: qosReason,
      list: true,
      description: 'What determines the class; for Burstable, everything that prevents Guaranteed.',
    },
  },
  { openApiName: 'Qos' },
);

export const resizedAmount = object('ResizedAmount', 'Desired, allocated and actual amount.', {
  container: {
    type: 'identifier',
    optional: true,
    description: 'Container name; null for the pod as a whole.',
    example: 'web',
  },
  list: { type: LIST, description: 'Requests or limits.', example: 'requests' },
  resource: { type: 'identifier', description: 'Resource name.', example: 'cpu' },
  desired: { type: 'identifier', optional: true, description: 'Amount in the spec.', example: '2' },
  allocated: {
    type: 'identifier',
    optional: true,
    description: 'Amount in `allocatedResources` of the status; only for requests.',
    example: '1',
  },
  actual: { type: 'identifier', optional: true, description: 'Amount in `resources` of the status.', example: '1' },
  counted: {
    type: 'identifier',
    optional: true,
    description:
      'Amount that counts for the scheduler and quotas: the largest, except a desired amount that is infeasible.',
    example: '2',
  },
  countedFrom: { type: PLACE, optional: true, description: 'Which amount counts.', example: 'desired' },
});

export const podResize = object(
  'PodResize',
  'State of an in-place resize.',
  {
    pending: {
      type: PENDING,
      optional: true,
      description: 'Why it is pending, from the condition PodResizePending; null without it.',
      example: null,
    },
    inProgress: { type: 'boolean', description: 'Whether the condition PodResizeInProgress is set.', example: false },
    inProgressReason: {
      type: 'identifier',
      optional: true,
      description: 'Reason of the condition, such as `Error`.',
      example: null,
    },
    former: {
      type: 'identifier',
      optional: true,
      description: '`status.resize`, which Kubernetes set before v1.33.',
      example: null,
    },
    amounts: {
      type: resizedAmount,
      list: true,
      description: 'Amounts of containers, sidecars and the pod, if the status has resources.',
    },
  },
  { openApiName: 'Resize' },
);

export const scalarAmount = object('ScalarAmount', 'Amount of another resource.', {
  resource: { type: 'identifier', description: 'Resource name.', example: 'nvidia.com/gpu' },
  amount: { type: 'int64', description: 'The amount.', example: 1 },
});

export const resourceVector = object('ResourceVector', 'Resources as the scheduler counts them.', {
  milliCPU: { type: 'int64', description: 'CPU in thousandths of a core.', example: 2250 },
  memory: { type: 'int64', description: 'Memory in bytes.', example: 335544320 },
  ephemeralStorage: { type: 'int64', description: 'Ephemeral storage in bytes.', example: 0 },
  others: {
    type: scalarAmount,
    list: true,
    description: 'Extended resources, huge pages and attachable volumes, by name.',
    example: [],
  },
});

export const nonZeroRequests = object(
  'NonZeroRequests',
  'Requests for scores.',
  {
    milliCPU: {
      type: 'int64',
      description: 'CPU in thousandths of a core; 100 for a container without a request.',
      example: 2250,
    },
    memory: {
      type: 'int64',
      description: 'Memory in bytes; 200 MiB for a container without a request.',
      example: 335544320,
    },
  },
  { openApiName: 'NonZero' },
);

export const schedulerResources = object('SchedulerResources', 'What the scheduler counts.', {
  requests: {
    type: 'labels',
    description: 'Effective requests, including overhead.',
    example: { cpu: '2250m', memory: '320Mi' },
  },
  specRequests: { type: resourceVector, description: 'Requests before assignment to a node, by the spec.' },
  nodeRequests: {
    type: resourceVector,
    description: 'Amounts taken on its node; during a resize, the largest of desired, allocated and actual.',
  },
  nonZero: { type: nonZeroRequests, description: 'Requests for scores.' },
});

export const nodeTableLine = object(
  'NodeTableLine',
  "The pod's row in `kubectl describe node`.",
  {
    node: {
      type: 'identifier',
      optional: true,
      description: 'Node that the percentages refer to; null for none.',
      example: 'node-1',
    },
    cpuRequests: { type: allocatedAmount, description: 'CPU requests.' },
    cpuLimits: { type: allocatedAmount, description: 'CPU limits.' },
    memoryRequests: { type: allocatedAmount, description: 'Memory requests.' },
    memoryLimits: { type: allocatedAmount, description: 'Memory limits.' },
    text: {
      type: 'string',
      optional: true,
      description: 'The table with only this pod; null without a node.',
      example: null,
    },
  },
  { openApiName: 'NodeLine' },
);

export const cgroupPath = object('CgroupPath', 'Path of a cgroup below the cgroup mount.', {
  driver: { type: CGROUP_DRIVER, description: 'cgroup driver of the kubelet.', example: 'cgroupfs' },
  path: {
    type: 'identifier',
    description: 'Path below the cgroup mount.',
    example: '/kubepods/pod1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11',
  },
});

export const cgroupFile = object('CgroupFile', 'A file of a cgroup.', {
  file: { type: 'identifier', description: 'File name.', example: 'memory.max' },
  text: { type: 'string', description: 'Content of the file.', example: '335544320' },
});

export const cgroupFiles = object('CgroupFiles', 'The files that the kubelet writes.', {
  version: { type: CGROUP_VERSION, description: 'cgroup version of the node.', example: 'v2' },
  files: { type: cgroupFile, list: true, description: "The files. Others keep the kernel's default." },
});

export const unlimitedContainer = object(
  'UnlimitedContainer',
  "A container without a limit, because of which the pod's cgroup has none.",
  {
    container: { type: 'identifier', description: 'Container name.', example: 'proxy' },
    resource: { type: 'identifier', description: 'The resource without a limit.', example: 'memory' },
    message: { type: 'string', description: "Why the pod's cgroup has no limit." },
  },
  { openApiName: 'Unlimited' },
);

export const cpuWeight = object('CpuWeight', 'A cpu.weight of cgroup v2, and how it is computed.', {
  level: { type: LEVEL, description: 'Cgroup of the pod, or of a container.', example: 'pod' },
  container: { type: 'identifier', optional: true, description: 'Container name; null for the pod.', example: null },
  cpuShares: { type: 'int64', description: 'The cpu.shares it is computed from.', example: 2304 },
  cpuWeight: { type: 'int64', description: 'The weight.', example: 88 },
  conversion: { type: CONVERSION, description: CONVERSION.description, example: 'linear' },
  writtenBy: { type: 'identifier', description: 'Component that writes the weight.', example: 'the kubelet, v1.36' },
});

export const kubeletCgroupOptions = object(
  'KubeletCgroupOptions',
  'Assumed options of the kubelet.',
  {
    cpuCFSQuota: { type: 'boolean', description: 'Whether the kubelet enforces cpu limits.', example: true },
    cpuCFSQuotaPeriod: { type: 'int64', description: 'Period in microseconds.', example: 100000 },
    memoryQoS: { type: 'boolean', description: 'Feature gate MemoryQoS.', example: false },
    memoryReservationPolicy: { type: RESERVATION, description: 'The `memoryReservationPolicy`.', example: 'None' },
  },
  { openApiName: 'KubeletOptions' },
);

export const CGROUP_UNKNOWN_CODE = enumType(
  'CgroupUnknownCode',
  'Stable code of something unknown about the cgroups.',
  [
    'uid',
    'cgroup-driver',
    'cgroup-version',
    'cfs-quota',
    'memory-qos',
    'static-cpu-policy',
    'cgroup-root',
    'container-runtime',
    'huge-page-sizes',
  ],
);

export const cgroupUnknown = object(
  'CgroupUnknown',
  'Something that affects the cgroup, but is not visible in the Kubernetes API.',
  {
    code: { type: CGROUP_UNKNOWN_CODE, description: CGROUP_UNKNOWN_CODE.description, example: 'cgroup-driver' },
    message: { type: 'string', description: 'What is unknown, as text.' },
  },
);

export const podCgroup = object(
  'PodCgroup',
  'The cgroup set by the kubelet.',
  {
    qosClass: { type: QOS_CLASS, description: 'QoS class that determines the path.', example: 'Guaranteed' },
    paths: { type: cgroupPath, list: true, description: 'Paths of the cgroup.' },
    files: { type: cgroupFiles, list: true, description: 'Files of the cgroup.' },
    cpuShares: { type: 'int64', description: 'cpu.shares of cgroup v1.', example: 2304 },
    cpuWeight: { type: 'int64', description: 'cpu.weight of cgroup v2.', example: 88 },
    cpuQuota: {
      type: 'int64',
      optional: true,
      description: 'Microseconds per period; -1 for no limit, null if not set.',
      example: 225000,
    },
    cpuPeriod: {
      type: 'int64',
      optional: true,
      description: 'Period in microseconds; null if not set.',
      example: 100000,
    },
    memory: {
      type: 'int64',
      optional: true,
      description: 'Memory limit in bytes; null if not set.',
      example: 335544320,
    },
    unlimited: {
      type: unlimitedContainer,
      list: true,
      description: 'Containers because of which the pod has no limit.',
      example: [],
    },
    weights: {
      type: cpuWeight,
      list: true,
      description: 'The conversion at each level, by runtime.',
      example: [],
    },
    kubelet: { type: kubeletCgroupOptions, description: 'Assumed options of the kubelet.' },
    unknowns: { type: cgroupUnknown, list: true, description: 'What is not visible in the API.', example: [] },
  },
  { openApiName: 'Cgroup' },
);

export const resourcesPod = object('ResourcesPod', 'The pod.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name.', example: 'web' },
  uid: { type: 'identifier', optional: true, description: 'UID of the pod; null before it is created.', example: null },
  node: { type: 'identifier', optional: true, description: 'Node of the pod.', example: null },
  phase: { type: 'identifier', optional: true, description: 'Pod phase.', example: null },
});

export const admittedOverhead = object('AdmittedOverhead', "The pod's overhead as set by admission.", {
  runtimeClassName: {
    type: 'identifier',
    optional: true,
    description: 'Runtime class of the pod.',
    example: 'kata-fc',
  },
  overhead: {
    type: 'labels',
    optional: true,
    description: '`spec.overhead`.',
    example: { cpu: '250m', memory: '120Mi' },
  },
  text: {
    type: 'string',
    optional: true,
    description: 'The overhead as kubectl prints it with a JSON path.',
    example: 'map[cpu:250m memory:120Mi]',
  },
  added: {
    type: podAddition,
    list: true,
    description: 'What was added to the manifest, and by what; empty for a stored pod.',
  },
});

export const podResources = object('PodResources', 'The cost of a pod at every place that counts it.', {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  source: { type: SOURCE, description: 'Source of the pod.', example: 'manifest' },
  notKnown: {
    type: 'string',
    list: true,
    description: 'Why the result is uncertain, for example because a RuntimeClass is not stored.',
    example: [],
  },
  pod: { type: resourcesPod, description: 'The pod.' },
  admission: { type: admittedOverhead, description: 'Changes by admission.' },
  requests: { type: resourceSum, list: true, description: 'How the effective requests are calculated.' },
  limits: { type: resourceSum, list: true, description: 'How the effective limits are calculated.', example: [] },
  qos: { type: podQos, description: 'The QoS class, and why.' },
  resize: { type: podResize, description: 'State of an in-place resize.' },
  scheduler: { type: schedulerResources, description: 'What the scheduler counts.' },
  nodeTable: { type: nodeTableLine, description: "The pod's row in kubectl's table of its node." },
  quota: {
    type: 'labels',
    description: 'What the quotas of the namespace are charged at the time of the request.',
    example: { 'count/pods': '1', 'requests.cpu': '2250m' },
  },
  cgroup: { type: podCgroup, description: 'The cgroup set by the kubelet.' },
  metrics: {
    type: 'string',
    list: true,
    description: 'Metrics of the pod, as in kube-state-metrics.',
    example: ['kube_pod_overhead_cpu_cores{namespace="default",pod="web",uid=""} 0.25'],
  },
});
