import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const storageClass = (name: string, provisioner: string, mode: string, isDefault = false): object => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: {
    name,
    ...(isDefault && { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }),
  },
  provisioner,
  volumeBindingMode: mode,
});
const disk = (name: string, on: string): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '10Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'disks',
    local: {},
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [on] }] }],
      },
    },
  },
  status: { phase: 'Available' },
});
const claim = (name: string, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  status: { phase: 'Pending' },
});
const KINDS = [
  'Node',
  'Pod',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CSINode',
  'CSIDriver',
  'CSIStorageCapacity',
  'VolumeAttachment',
];
const named = (name: string): object => node(name, { metadata: { name, labels: { 'kubernetes.io/hostname': name } } });
const NODES = [named('a'), named('b')];
const STORAGE = [
  storageClass('late', 'ebs.csi.aws.com', 'WaitForFirstConsumer', true),
  storageClass('early', 'ebs.csi.aws.com', 'Immediate'),
  storageClass('disks', 'kubernetes.io/no-provisioner', 'WaitForFirstConsumer'),
  storageClass('by-hand', 'kubernetes.io/no-provisioner', 'Immediate'),
  disk('disk-b', 'b'),
  claim('other', { storageClassName: 'late' }),
];

const statefulSet = (spec: object, replicas = 1): object => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db' },
  spec: {
    replicas,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: {
      metadata: { labels: { app: 'db' } },
      spec: { containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
      },
    ],
  },
});

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', [...NODES, ...STORAGE], `&kinds=${KINDS.join(',')}`);
  await store(service, 'bare', NODES);
});
afterAll(() => service.close());

async function verdicts(workload: object, cluster = 'shop'): Promise<Record<string, string>> {
  const path = `/api/v1/clusters/${cluster}/placements`;
  const { json: body } = await service.request('POST', path, { workload, view: 'nodes' });
  const { items } = body as { items: { node: string; verdict: string; reasons: { code: string }[] }[] };
  return Object.fromEntries(
    items.map(({ node: name, verdict, reasons }) => [name, [verdict, ...reasons.map(({ code }) => code)].join(' ')]),
  );
}

describe('the claims of a StatefulSet', () => {
  it.each<[string, object, string, string]>([
    ['the class of a template', { storageClassName: 'late' }, 'feasible', 'feasible'],
    ['the default class', {}, 'feasible', 'feasible'],
    ['a class with one free disk', { storageClassName: 'disks' }, 'infeasible NoVolumeToBind', 'feasible'],
    [
      'a class that binds at once without a provisioner',
      { storageClassName: 'by-hand' },
      'infeasible ClaimNotBound ClaimNotUsable',
      'infeasible ClaimNotBound ClaimNotUsable',
    ],
    [
      'a class whose provisioner binds at once, somewhere',
      { storageClassName: 'early' },
      'unknown ClaimNotBound ClaimNotBound',
      'unknown ClaimNotBound ClaimNotBound',
    ],
  ])('count as made, with %s', async (_, spec, a, b) => {
    expect(await verdicts(statefulSet(spec))).toEqual({ a, b });
  });

  it('have an unknown default class where no class was ever loaded', async () => {
    const kinds = KINDS.filter((kind) => kind !== 'StorageClass').join(',');
    await store(service, 'classless', [...NODES, claim('other', {})], `&kinds=${kinds}`);
    const found = await verdicts(statefulSet({}), 'classless');
    expect(found['a']).toMatch(/^unknown KindNotLoaded/);
  });

  it('are unknown where no claim was ever loaded, in queues too', async () => {
    const [a] = Object.values(await verdicts(statefulSet({}), 'bare'));
    expect(a).toMatch(/^unknown KindNotLoaded/);
    const { json: body } = await service.request('POST', '/api/v1/clusters/bare/queue-runs?view=pods', {
      pods: [{ id: 'db', pod: statefulSet({}, 2) }],
      pending: false,
    });
    expect(JSON.stringify(body)).toContain('never loaded: PersistentVolumeClaim');
  });

  it('are made for each replica of a queue run, and a disk serves one of them', async () => {
    const { status, json: body } = await service.request('POST', '/api/v1/clusters/shop/queue-runs?view=pods', {
      pods: [{ id: 'db', pod: statefulSet({ storageClassName: 'disks' }, 2) }],
      pending: false,
    });
    expect(status).toBe(200);
    const { items } = body as { items: { name: string; outcome: string; node?: string | null }[] };
    expect(items.map(({ name, outcome, node: on }) => [name, outcome, on ?? null])).toEqual([
      ['db-0', 'placed', 'b'],
      ['db-1', 'unplaced', null],
    ]);
  });

  it('bound the capacity for its replicas', async () => {
    const { json: body } = await service.request('POST', '/api/v1/clusters/shop/capacities', {
      workload: statefulSet({ storageClassName: 'disks' }),
    });
    expect(body).toMatchObject({ replicas: 1 });
  });
});

describe('the claim of an ephemeral volume', () => {
  it('counts as made', async () => {
    const template = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: template } }],
      },
    };
    const { json: body } = await service.request('POST', '/api/v1/clusters/shop/placements', { pod, view: 'nodes' });
    const { items } = body as { items: { verdict: string }[] };
    expect(items.map(({ verdict }) => verdict)).toEqual(['feasible', 'feasible']);
  });
});
