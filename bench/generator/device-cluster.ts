import { KINDS } from '../../src/core/kubernetes/kinds.js';
import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type {
  Device,
  DeviceClass,
  DeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../src/core/kubernetes/objects/dra.js';
import type { KubernetesObject } from '../../src/core/kubernetes/objects/meta.js';
import type { Node } from '../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';

const API = 'resource.k8s.io/v1';
const DRIVER = 'gpu.example.com';
const GPUS = 8;

const selector = (expression: string) => [{ cel: { expression } }];

const CLASS: DeviceClass = {
  apiVersion: API,
  kind: 'DeviceClass',
  metadata: { name: 'gpu' },
  spec: { selectors: selector(`device.driver == "${DRIVER}"`) },
};

/** A whole GPU, and the half of one. */
const REQUESTS: readonly DeviceRequest[] = ['whole', 'half'].map((profile) => ({
  name: profile,
  exactly: {
    deviceClassName: 'gpu',
    allocationMode: 'ExactCount',
    count: 1,
    selectors: selector(`device.attributes["${DRIVER}"].profile == "${profile}"`),
  },
}));

const node = (name: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu: '128', memory: '1Ti', pods: '110' } },
});

type SliceSpec = NonNullable<ResourceSlice['spec']>;

export const slice = (on: string, name: string, spec: Partial<SliceSpec>): ResourceSlice => ({
  apiVersion: API,
  kind: 'ResourceSlice',
  metadata: { name: `${on}-${name}` },
  spec: { driver: DRIVER, nodeName: on, pool: { name: on, generation: 1, resourceSliceCount: 1 }, ...spec },
});

/** Eight GPUs, each of which is had whole, or in two halves that share its counters. */
export function partitionedGpus(
  on: string,
  pool: Partial<NonNullable<SliceSpec['pool']>> = {},
): readonly ResourceSlice[] {
  const all = { name: on, generation: 1, resourceSliceCount: 2, ...pool };
  const counters = Array.from({ length: GPUS }, (_, gpu) => ({
    name: `gpu-${gpu}`,
    counters: { memory: { value: '80Gi' } },
  }));
  const part = (gpu: number, profile: string, name: string, memory: string): Device => ({
    name,
    attributes: { profile: { string: profile } },
    capacity: { memory: { value: memory } },
    consumesCounters: [{ counterSet: `gpu-${gpu}`, counters: { memory: { value: memory } } }],
  });
  const devices = Array.from({ length: GPUS }, (_, gpu) => [
    part(gpu, 'whole', `gpu-${gpu}`, '80Gi'),
    part(gpu, 'half', `gpu-${gpu}-a`, '40Gi'),
    part(gpu, 'half', `gpu-${gpu}-b`, '40Gi'),
  ]).flat();
  const generation = String(all.generation);
  return [
    slice(on, `counters-${generation}`, { pool: all, sharedCounters: counters }),
    slice(on, `devices-${generation}`, { pool: all, devices }),
  ];
}

export const plainDevices = (count: number): readonly Device[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `gpu-${index}`,
    attributes: { profile: { string: index < count - 2 ? 'other' : index === count - 1 ? 'half' : 'whole' } },
  }));

export const nodeNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `gpu-node-${String(index).padStart(4, '0')}`);

/** A cluster of nodes with slices, and the templates of `podWithClaims`. */
export function deviceCluster(
  nodes: readonly string[],
  slices: readonly ResourceSlice[],
  requests = REQUESTS,
): ClusterState {
  const templates = requests.map((request): ResourceClaimTemplate => ({
    apiVersion: API,
    kind: 'ResourceClaimTemplate',
    metadata: { name: request.name, namespace: 'default' },
    spec: { spec: { devices: { requests: [request] } } },
  }));
  const objects: readonly KubernetesObject[] = [CLASS, ...nodes.map(node), ...slices, ...templates];
  const holder: ResourceClaim = { apiVersion: API, kind: 'ResourceClaim', metadata: { name: 'other', namespace: 'x' } };
  return ClusterState.build(
    [...objects, holder],
    KINDS.map(({ kind }) => kind),
  );
}

/** A pod with a claim from each template. */
export const podWithClaims = (name: string, templates = REQUESTS.map((request) => request.name)): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
    resourceClaims: templates.map((template) => ({ name: template, resourceClaimTemplateName: template })),
  },
});

/** A request whose selector costs more on each device than Kubernetes lets it. */
export const COSTLY_REQUEST: DeviceRequest = {
  name: 'costly',
  exactly: {
    deviceClassName: 'gpu',
    allocationMode: 'ExactCount',
    count: 1,
    selectors: selector(
      `[${Array.from({ length: 60 }, (_, index) => index).join(',')}].all(a, [${Array.from({ length: 60 }, (_, index) => index).join(',')}].all(b, [${Array.from({ length: 60 }, (_, index) => index).join(',')}].all(c, a + b + c >= 0)))`,
    ),
  },
};
