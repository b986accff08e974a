import { object, enumType } from '../schema.js';
import { CGROUP_DRIVERS, CGROUP_VERSIONS } from '../limits.js';
import { ADMISSION } from '../common/admission-mode.js';
import { POD_SUBJECT } from '../common/pod-subject.js';
import type { Members } from '../schema.js';

export const CGROUP_DRIVER = enumType('CgroupDriver', "The kubelet's `cgroupDriver`.", CGROUP_DRIVERS);

export const CGROUP_VERSION = enumType('CgroupVersion', 'cgroup version of the node.', CGROUP_VERSIONS);

export const RESERVATION = enumType('MemoryReservationPolicy', "The kubelet's `memoryReservationPolicy`.", [
  'None',
  'TieredReservation',
]);

export const OPTIONS = {
  node: {
    type: 'identifier',
    optional: true,
    description: "Show the amounts as percentages of this node, as in kubectl's table. Default: the pod's own node.",
    example: 'node-1',
  },
  cgroupDriver: {
    type: CGROUP_DRIVER,
    optional: true,
    description: 'Which paths to return. Default: both.',
    example: 'systemd',
  },
  cgroupVersion: {
    type: CGROUP_VERSION,
    optional: true,
    description: 'Which files to return. Default: both.',
    example: 'v2',
  },
  cpuCFSQuota: {
    type: 'boolean',
    optional: true,
    defaultsTo: true,
    description: "The kubelet's `cpuCFSQuota`: whether it enforces cpu limits.",
    example: true,
  },
  cpuCFSQuotaPeriod: {
    type: 'integer',
    optional: true,
    minimum: 1000,
    maximum: 1_000_000,
    defaultsTo: 100_000,
    description: "The kubelet's `cpuCFSQuotaPeriod`, in microseconds.",
    example: 100_000,
  },
  memoryQoS: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'The feature gate MemoryQoS, on a node with cgroup v2.',
    example: false,
  },
  memoryReservationPolicy: {
    type: RESERVATION,
    optional: true,
    defaultsTo: 'None',
    description: "The kubelet's `memoryReservationPolicy`, which applies with MemoryQoS.",
    example: 'None',
  },
} as const satisfies Members;

/** Options of a node and its kubelet that the Kubernetes API does not show. */
export const resourcesOptions = object(
  'ResourcesOptions',
  '',
  {
    node: OPTIONS.node,
    cgroupDriver: OPTIONS.cgroupDriver,
    cgroupVersion: OPTIONS.cgroupVersion,
    cpuCFSQuota: OPTIONS.cpuCFSQuota,
    cpuCFSQuotaPeriod: OPTIONS.cpuCFSQuotaPeriod,
    memoryQoS: OPTIONS.memoryQoS,
    memoryReservationPolicy: OPTIONS.memoryReservationPolicy,
  },
  { restOnly: true },
);

/** A pod, and options of its kubelet. */
export const podResourcesInput = object(
  'PodResourcesInput',
  'A pod, and options of its kubelet.',
  {
    ...resourcesOptions.members,
    pod: POD_SUBJECT.pod,
    workload: POD_SUBJECT.workload,
    podRef: POD_SUBJECT.podRef,
    workloadRef: POD_SUBJECT.workloadRef,
    fieldValidation: POD_SUBJECT.fieldValidation,
    featureGates: POD_SUBJECT.featureGates,
    admission: ADMISSION,
  },
  { openApiName: 'PodResources' },
);
