import { MANIFEST } from './inventory-examples.js';

/** Questions as the documentation shows them. */
export const QUESTION = { pod: MANIFEST, node: 'node-1', cgroupDriver: 'systemd', cgroupVersion: 'v2' };

const ROOM = [{ resource: 'cpu', allocatable: 4000, requested: 2250, overhead: 250, free: 1750 }];

const ALLOCATED = {
  cpuRequests: { quantity: '2250m', percent: 56 },
  cpuLimits: { quantity: '2250m', percent: 56 },
  memoryRequests: { quantity: '320Mi', percent: 1 },
  memoryLimits: { quantity: '320Mi', percent: 1 },
};

const { cpuRequests: requests, cpuLimits: limits } = ALLOCATED;

export const ALLOCATION = {
  node: 'node-1',
  podCount: 1,
  resources: [{ resource: 'cpu', requests, limits }],
  room: ROOM,
};

export const POD_ALLOCATION = { namespace: 'default', name: 'test-pod', ...ALLOCATED };

export const NODE_TEXT = `Taints:             <none>
Non-terminated Pods:          (1 in total)
  Namespace                   Name        CPU Requests  CPU Limits   Memory Requests  Memory Limits  Age
  ---------                   ----        ------------  ----------   ---------------  -------------  ---
  default                     test-pod    2250m (56%)   2250m (56%)  320Mi (1%)       320Mi (1%)     5m
Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource           Requests     Limits
  --------           --------     ------
  cpu                2250m (56%)  2250m (56%)
  memory             320Mi (1%)   320Mi (1%)
  ephemeral-storage  0 (0%)       0 (0%)
`;

export const POD_TEXT = `Tolerations:     node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                 node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
`;

const SUM = { pods: 1, amounts: [{ resource: 'cpu', amount: 250 }] };
const NONE = { pods: 0, amounts: [] };

export const SHARE = { held: SUM, waiting: NONE };

const LABELS = 'namespace="default",pod="test-pod",uid="1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11"';

export const METRICS = `# HELP kube_pod_overhead_memory_bytes The pod overhead in regards to memory associated with running a pod.
# TYPE kube_pod_overhead_memory_bytes gauge
kube_pod_overhead_memory_bytes{${LABELS}} 1.2582912e+08
`;
