export const GPU_DRIVER = 'gpu.example.com';
/** What a cluster with devices is made of, beside nodes. */
export const DEVICE_KINDS = 'Node,Pod,DeviceClass,ResourceSlice,ResourceClaim,DeviceTaintRule';

const object = (kind: string, name: string, spec: object, more: object = {}): object => ({
  apiVersion: 'resource.k8s.io/v1',
  kind,
  metadata: { name, ...(kind === 'ResourceClaim' && { namespace: 'default' }) },
  spec,
  ...more,
});

export const GPU_CLASS = object('DeviceClass', 'gpu', {
  selectors: [{ cel: { expression: `device.driver == "${GPU_DRIVER}"` } }],
});

/** The GPUs of a node, in a pool with its name. */
export const gpuSlice = (node: string, ...names: readonly string[]): object =>
  object('ResourceSlice', `slice-${node}`, {
    driver: GPU_DRIVER,
    nodeName: node,
    pool: { name: node, generation: 1, resourceSliceCount: 1 },
    devices: names.map((name) => ({ name })),
  });

const request = { name: 'gpu', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } };

/** A pod of a ReplicaSet in `default`, and the claim by which it has a GPU. */
export const gpuUser = (
  name: string,
  {
    node,
    device,
    tolerations = [],
  }: { readonly node: string; readonly device: string; readonly tolerations?: readonly object[] },
): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      labels: { app: name },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'train', uid: 'train', controller: true }],
    },
    spec: {
      nodeName: node,
      containers: [{ name: 'c', image: 'i' }],
      resourceClaims: [{ name: 'gpu', resourceClaimName: `${name}-gpu` }],
    },
    status: { phase: 'Running' },
  },
  object(
    'ResourceClaim',
    `${name}-gpu`,
    { devices: { requests: [request] } },
    {
      status: {
        allocation: {
          devices: { results: [{ request: 'gpu', driver: GPU_DRIVER, pool: node, device, tolerations }] },
        },
        reservedFor: [{ resource: 'pods', name, uid: name }],
      },
    },
  ),
];
