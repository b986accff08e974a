import { nodeTaints, type Pool } from './generated-pools.js';
import type { Random } from './random.js';

/** A node to generate, with its free resources. */
export interface NodeRoom {
  readonly name: string;
  readonly pool: Pool;
  readonly zone: string;
  readonly milliCPU: number;
  readonly memoryMi: number;
  readonly pods: number;
  readonly cordoned: boolean;
  freeMilliCPU: number;
  freeMemoryMi: number;
  freePods: number;
}

interface Machine {
  readonly type: string;
  readonly cpu: number;
  readonly memoryGi: number;
  readonly pods: number;
}

const MACHINES: readonly [Machine, ...Machine[]] = [
  { type: 'm6i.2xlarge', cpu: 8, memoryGi: 32, pods: 58 },
  { type: 'm6i.4xlarge', cpu: 16, memoryGi: 64, pods: 110 },
  { type: 'm6i.8xlarge', cpu: 32, memoryGi: 128, pods: 110 },
  { type: 'c6i.4xlarge', cpu: 16, memoryGi: 32, pods: 110 },
  { type: 'r6i.4xlarge', cpu: 16, memoryGi: 128, pods: 110 },
];
const GPU_MACHINE: Machine = { type: 'g5.12xlarge', cpu: 48, memoryGi: 192, pods: 110 };
const REGION = 'eu-central-1';
const ZONES: readonly [string, ...string[]] = [`${REGION}a`, `${REGION}b`, `${REGION}c`];

/** The room of the node with this index: the machine type depends on the pool, the zone on the index. */
export function generateNodeRoom(index: number, pool: Pool, cordoned: boolean): NodeRoom {
  const machine = machineOf(pool);
  const milliCPU = machine.cpu * 1000 - 110;
  const memoryMi = machine.memoryGi * 1024 - 1100;
  return {
    name: `ip-10-${(index >> 16) & 255}-${(index >> 8) & 255}-${index & 255}.${REGION}.compute.internal`,
    pool,
    zone: ZONES[index % ZONES.length] ?? ZONES[0],
    milliCPU,
    memoryMi,
    pods: machine.pods,
    cordoned,
    freeMilliCPU: milliCPU,
    freeMemoryMi: memoryMi,
    freePods: machine.pods,
  };
}

const machineOf = (pool: Pool): Machine =>
  pool.gpu ? GPU_MACHINE : (MACHINES[pool.index % MACHINES.length] ?? MACHINES[0]);

/** The node as `kubectl get -o json` shows it, including fields that the service drops on ingest. */
export function generateNode(room: NodeRoom, index: number, random: Random): Record<string, unknown> {
  const { name, pool, zone, cordoned } = room;
  const machine = machineOf(pool);
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const condition = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    message: `kubelet says ${reason}`,
    lastHeartbeatTime: '2026-06-26T10:11:42Z',
    lastTransitionTime: '2026-05-02T08:00:13Z',
  });
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: random.uid(),
      resourceVersion: String(90_000_000 + index),
      creationTimestamp: '2026-05-02T07:59:58Z',
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'eks.amazonaws.com/capacityType': pool.index % 6 === 1 ? 'SPOT' : 'ON_DEMAND',
        'eks.amazonaws.com/nodegroup': pool.name,
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': machine.type,
        'topology.k8s.aws/zone-id': `euc1-az${(index % 3) + 1}`,
        'topology.kubernetes.io/region': REGION,
        'topology.kubernetes.io/zone': zone,
        'example.com/node-pool': pool.name,
        ...(pool.gpu ? { 'nvidia.com/gpu.present': 'true' } : {}),
      },
      annotations: {
        'alpha.kubernetes.io/provided-node-ip': address,
        'csi.volume.kubernetes.io/nodeid': JSON.stringify({ 'ebs.csi.aws.com': `i-${random.suffix(17)}` }),
        'node.alpha.kubernetes.io/ttl': '0',
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      },
      managedFields: [
        {
          manager: 'kubelet',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-06-26T10:11:42Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { 'f:lastHeartbeatTime': {} } } } },
          subresource: 'status',
        },
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-05-02T08:00:13Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { 'f:taints': {} } },
        },
      ],
    },
    spec: {
      providerID: `aws:///${zone}/i-${random.suffix(17)}`,
      podCIDR: `100.${64 + (index >> 8)}.${index & 255}.0/24`,
      ...(nodeTaints(pool, cordoned).length > 0 ? { taints: nodeTaints(pool, cordoned) } : {}),
      ...(cordoned ? { unschedulable: true } : {}),
    },
    status: {
      capacity: resources(machine, machine.cpu * 1000, machine.memoryGi * 1024, pool),
      allocatable: resources(machine, room.milliCPU, room.memoryMi, pool),
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
        condition('Ready', 'True', 'KubeletReady'),
      ],
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        machineID: random.uid(),
        bootID: random.uid(),
        kernelVersion: '6.1.141-155.222.amzn2023.x86_64',
        osImage: 'Amazon Linux 2023.7.20250623',
        containerRuntimeVersion: 'containerd://1.7.27',
        kubeletVersion: 'v1.33.5-eks-113cf36',
        kubeProxyVersion: 'v1.33.5-eks-113cf36',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
      images: Array.from({ length: 4 }, (_, image) => ({
        names: [
          `registry.example.com/platform/base-${image}@sha256:${'0'.repeat(64)}`,
          `registry.example.com/platform/base-${image}:v1`,
        ],
        sizeBytes: 40_000_000 + image * 7_000_000,
      })),
    },
  };
}

function resources(machine: Machine, milliCPU: number, memoryMi: number, pool: Pool): Record<string, string> {
  return {
    cpu: milliCPU % 1000 === 0 ? String(milliCPU / 1000) : `${milliCPU}m`,
    memory: `${memoryMi * 1024}Ki`,
    'ephemeral-storage': '95551679124',
    'hugepages-1Gi': '0',
    'hugepages-2Mi': '0',
    pods: String(machine.pods),
    ...(pool.gpu ? { 'nvidia.com/gpu': '4' } : {}),
  };
}
