import { BASIS } from './inventory-examples.js';

/** What a pod of kata-fc costs, as the service answers it, some of its lists cut short. */
export const POD_RESOURCES = {
  basis: BASIS,
  source: 'manifest',
  notKnown: [],
  pod: {
    namespace: 'default',
    name: 'test-pod',
    uid: null,
    node: null,
    phase: null,
  },
  admission: {
    runtimeClassName: 'kata-fc',
    overhead: {
      cpu: '250m',
      memory: '120Mi',
    },
    text: 'map[cpu:250m memory:120Mi]',
    added: [
      {
        by: 'RuntimeClass',
        pointer: '/spec/overhead',
        value: {
          cpu: '250m',
          memory: '120Mi',
        },
        why: "the RuntimeClass's overhead, which the scheduler adds to the requests",
      },
    ],
  },
  requests: [
    {
      resource: 'cpu',
      total: '2250m',
      text: '500m (container busybox-ctr) + 1500m (container nginx-ctr) = 2; overhead 250m comes on top: 2250m',
      running: {
        addends: [
          {
            container: 'busybox-ctr',
            role: 'container',
            amount: '500m',
          },
          {
            container: 'nginx-ctr',
            role: 'container',
            amount: '1500m',
          },
        ],
        total: '2',
      },
      starting: null,
      decidedBy: 'running',
      ofContainers: '2',
      ofPod: null,
      overhead: '250m',
      overheadCounts: true,
    },
    {
      resource: 'memory',
      total: '320Mi',
      text: '100Mi (container busybox-ctr) + 100Mi (container nginx-ctr) = 200Mi; overhead 120Mi comes on top: 320Mi',
      running: {
        addends: [
          {
            container: 'busybox-ctr',
            role: 'container',
            amount: '100Mi',
          },
          {
            container: 'nginx-ctr',
            role: 'container',
            amount: '100Mi',
          },
        ],
        total: '200Mi',
      },
      starting: null,
      decidedBy: 'running',
      ofContainers: '200Mi',
      ofPod: null,
      overhead: '120Mi',
      overheadCounts: true,
    },
  ],
  limits: [
    {
      resource: 'cpu',
      total: '2250m',
      text: '500m (container busybox-ctr) + 1500m (container nginx-ctr) = 2; overhead 250m comes on top: 2250m',
      running: {
        addends: [
          {
            container: 'busybox-ctr',
            role: 'container',
            amount: '500m',
          },
          {
            container: 'nginx-ctr',
            role: 'container',
            amount: '1500m',
          },
        ],
        total: '2',
      },
      starting: null,
      decidedBy: 'running',
      ofContainers: '2',
      ofPod: null,
      overhead: '250m',
      overheadCounts: true,
    },
    {
      resource: 'memory',
      total: '320Mi',
      text: '100Mi (container busybox-ctr) + 100Mi (container nginx-ctr) = 200Mi; overhead 120Mi comes on top: 320Mi',
      running: {
        addends: [
          {
            container: 'busybox-ctr',
            role: 'container',
            amount: '100Mi',
          },
          {
            container: 'nginx-ctr',
            role: 'container',
            amount: '100Mi',
          },
        ],
        total: '200Mi',
      },
      starting: null,
      decidedBy: 'running',
      ofContainers: '200Mi',
      ofPod: null,
      overhead: '120Mi',
      overheadCounts: true,
    },
  ],
  qos: {
    qosClass: 'Guaranteed',
    computed: 'Guaranteed',
    byPodLevel: false,
    reasons: [
      {
        code: 'RequestsEqualLimits',
        container: null,
        resource: null,
        requests: null,
        limits: null,
        message: 'everything limits cpu and memory, and the requests add up to the limits',
      },
    ],
  },
  resize: {
    pending: null,
    inProgress: false,
    inProgressReason: null,
    former: null,
    amounts: [],
  },
  scheduler: {
    requests: {
      cpu: '2250m',
      memory: '320Mi',
    },
    asked: {
      milliCPU: 2250,
      memory: 335544320,
      ephemeralStorage: 0,
      others: [],
    },
    held: {
      milliCPU: 2250,
      memory: 335544320,
      ephemeralStorage: 0,
      others: [],
    },
    nonZero: {
      milliCPU: 2250,
      memory: 335544320,
    },
  },
  nodeTable: {
    node: 'node-1',
    cpuRequests: {
      quantity: '2250m',
      percent: 56,
    },
    cpuLimits: {
      quantity: '2250m',
      percent: 56,
    },
    memoryRequests: {
      quantity: '320Mi',
      percent: 1,
    },
    memoryLimits: {
      quantity: '320Mi',
      percent: 1,
    },
    text: 'Non-terminated Pods:          (1 in total)\n  Namespace                   Name        CPU Requests  CPU Limits   Memory Requests  Memory Limits  Age\n  ---------                   ----        ------------  ----------   ---------------  -------------  ---\n  default                     test-pod    2250m (56%)   2250m (56%)  320Mi (1%)       320Mi (1%)     <unknown>\n',
  },
  quota: {
    'count/pods': '1',
    cpu: '2250m',
    'limits.cpu': '2250m',
    'limits.memory': '320Mi',
    memory: '320Mi',
    pods: '1',
    'requests.cpu': '2250m',
    'requests.memory': '320Mi',
  },
  cgroup: {
    qosClass: 'Guaranteed',
    paths: [
      {
        driver: 'cgroupfs',
        path: '/kubepods/pod<uid>',
      },
    ],
    files: [
      {
        version: 'v1',
        files: [
          {
            file: 'cpu.shares',
            text: '2304',
          },
          {
            file: 'cpu.cfs_period_us',
            text: '100000',
          },
          {
            file: 'cpu.cfs_quota_us',
            text: '225000',
          },
          {
            file: 'memory.limit_in_bytes',
            text: '335544320',
          },
        ],
      },
      {
        version: 'v2',
        files: [
          {
            file: 'cpu.weight',
            text: '88',
          },
          {
            file: 'cpu.max',
            text: '225000 100000',
          },
          {
            file: 'memory.max',
            text: '335544320',
          },
        ],
      },
    ],
    cpuShares: 2304,
    cpuWeight: 88,
    cpuQuota: 225000,
    cpuPeriod: 100000,
    memory: 335544320,
    unlimited: [],
    weights: [
      {
        level: 'pod',
        container: null,
        cpuShares: 2304,
        cpuWeight: 88,
        conversion: 'linear',
        writtenBy: 'the kubelet, v1.36',
      },
      {
        level: 'container',
        container: 'busybox-ctr',
        cpuShares: 512,
        cpuWeight: 20,
        conversion: 'linear',
        writtenBy: 'runc before 1.3.2, crun before 1.23',
      },
      {
        level: 'container',
        container: 'busybox-ctr',
        cpuShares: 512,
        cpuWeight: 59,
        conversion: 'curve',
        writtenBy: 'runc 1.3.2 and later, crun 1.23 and later',
      },
    ],
    kubelet: {
      cpuCFSQuota: true,
      cpuCFSQuotaPeriod: 100000,
      memoryQoS: false,
      memoryReservationPolicy: 'None',
    },
    unknowns: [
      {
        code: 'uid',
        message: 'the API server draws the UID of a new pod; <uid> stands for it in the paths',
      },
      {
        code: 'cgroup-version',
        message: "the node's version of cgroups: the files are given for either",
      },
    ],
  },
  metrics: [
    'kube_pod_overhead_cpu_cores{namespace="default",pod="test-pod",uid=""} 0.25',
    'kube_pod_overhead_memory_bytes{namespace="default",pod="test-pod",uid=""} 1.2582912e+08',
    'kube_pod_runtimeclass_name_info{namespace="default",pod="test-pod",uid="",runtimeclass_name="kata-fc"} 1',
  ],
};
