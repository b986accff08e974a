import { Dice } from './dice.js';
import { GPU_CLASS, GPU_DRIVER, gpuSlice, gpuUser } from './gpus.js';
import type { TestService } from './service.js';
import { UNUSED_POLICIES } from './small-cluster.js';

interface Thing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const NODES = 30;
/** An image is made of a state with 1,000 objects. */
const PODS = 1_000;
const NAMESPACES = ['default', 'shop', 'batch', 'kube-system'];
const ZONES = ['a', 'b', 'c'];
const ZONE = 'topology.kubernetes.io/zone';
const WITH_GPUS = ['n0', 'n1', 'n2', 'n3'];

function aNode(name: string, dice: Dice): Thing {
  const taints = [
    { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
    { key: 'old', effect: 'PreferNoSchedule' },
    { key: 'drain', value: dice.one(['a', 'b']), effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
  ];
  const labels = {
    'kubernetes.io/hostname': name,
    [ZONE]: dice.one(ZONES),
    ...(dice.chance(30) && { 'karpenter.sh/nodepool': 'general' }),
    ...(dice.chance(30) && { pool: dice.one(['x', 'y', '']) }),
  };
  return object(
    'v1',
    'Node',
    { name, uid: `node-${name}`, labels },
    {
      spec: {
        ...(dice.chance(10) && { unschedulable: true }),
        ...(dice.chance(40) && { taints: dice.some(taints, 50) }),
      },
      status: {
        capacity: { cpu: '64', memory: '256Gi', pods: '110' },
        allocatable: {
          cpu: dice.one(['16', '32', '3500m']),
          memory: '128Gi',
          pods: '110',
          ...(dice.chance(20) && { 'example.com/gpu': '4' }),
        },
        images: [{ names: ['registry.example/app:1'], sizeBytes: 300_000_000 }],
        conditions: [{ type: 'Ready', status: dice.one(['True', 'True', 'True', 'False', 'Unknown']) }],
      },
    },
  );
}

function anAffinity(dice: Dice): object {
  const expression = { key: ZONE, operator: 'In', values: dice.some(ZONES, 60) };
  const pin = { key: 'metadata.name', operator: 'In', values: [`n${dice.below(NODES)}`] };
  const term = { matchExpressions: [expression], ...(dice.chance(50) && { matchFields: [pin] }) };
  const preference = { matchExpressions: [{ key: 'pool', operator: 'Exists' }] };
  const apart = {
    labelSelector: { matchLabels: { app: dice.one(['a', 'b']) } },
    topologyKey: 'kubernetes.io/hostname',
  };
  return {
    nodeAffinity: dice.chance(50)
      ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } }
      : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, preference }] },
    ...(dice.chance(40) && { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } }),
  };
}

function resources(dice: Dice): object {
  return {
    requests: {
      cpu: dice.one(['10m', '100m', '1', '0.25']),
      memory: dice.one(['1Mi', '128M', '9007199254740993']),
      ...(dice.chance(5) && { 'example.com/gpu': '1' }),
    },
    ...(dice.chance(30) && { limits: { cpu: '2', memory: '20Gi' } }),
  };
}

const aTime = (dice: Dice): string => `2026-0${1 + dice.below(6)}-0${1 + dice.below(9)}T00:00:00Z`;

function aPod(namespace: string, name: string, dice: Dice): Thing {
  const app = dice.one(['a', 'b', 'c', 'd']);
  const isPlaced = dice.chance(90);
  const kind = dice.one(['ReplicaSet', 'StatefulSet', 'DaemonSet']);
  const owner = { apiVersion: 'apps/v1', kind, name: app, uid: `${kind}-${app}`, controller: true };
  const metadata = {
    namespace,
    name,
    uid: `${namespace}-${name}`,
    creationTimestamp: aTime(dice),
    ...(dice.chance(80) && { labels: { app, tier: dice.one(['x', 'y']) } }),
    ...(dice.chance(70) && { generateName: `${app}-`, ownerReferences: [owner] }),
    ...(dice.chance(10) && { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } }),
    ...(dice.chance(5) && {
      deletionTimestamp: aTime(dice),
      deletionGracePeriodSeconds: 30,
      finalizers: ['example.com/f'],
    }),
  };
  const ports = [{ containerPort: 80, hostPort: 8000 + dice.below(3) }];
  const main = {
    name: 'main',
    image: 'registry.example/app:1',
    resources: resources(dice),
    ...(dice.chance(8) && { ports }),
  };
  const tolerations = [
    { key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule' },
    { key: 'drain', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: dice.one([0, 60, -1, 300]) },
    { operator: 'Exists' },
  ];
  const spread = {
    maxSkew: 1,
    topologyKey: ZONE,
    whenUnsatisfiable: dice.one(['DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: { matchLabels: { app } },
  };
  const volumes = [
    { name: 'token', projected: { sources: [] } },
    { name: 'data', persistentVolumeClaim: { claimName: `claim-${dice.below(4)}` } },
    { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } } },
  ];
  const spec = {
    ...(isPlaced && { nodeName: `n${dice.below(NODES + 2)}` }),
    containers: [main, ...(dice.chance(20) ? [{ name: 'second', image: 'b', resources: resources(dice) }] : [])],
    ...(dice.chance(15) && {
      initContainers: [
        { name: 'init', image: 'b', resources: resources(dice), ...(dice.chance(50) && { restartPolicy: 'Always' }) },
      ],
    }),
    ...(dice.chance(20) && { overhead: { cpu: '250m', memory: '120Mi' }, runtimeClassName: 'kata' }),
    ...(dice.chance(30) && { priority: dice.one([-5, 0, 10, 2_000_000_000]), priorityClassName: 'some' }),
    ...(dice.chance(30) && { tolerations: dice.some(tolerations, 50) }),
    ...(dice.chance(30) && { affinity: anAffinity(dice) }),
    ...(dice.chance(10) && { topologySpreadConstraints: [spread] }),
    ...(dice.chance(20) && { volumes: dice.some(volumes, 60) }),
    ...(dice.chance(3) && { schedulingGates: [{ name: 'example.com/wait' }] }),
    ...(dice.chance(20) && { terminationGracePeriodSeconds: dice.one([0, 30, 600]) }),
    serviceAccountName: 'default',
  };
  const allocated = {
    name: 'main',
    allocatedResources: { cpu: '3', memory: '1Gi' },
    resources: { requests: { cpu: '2', memory: '1Gi' } },
  };
  const ready = { type: 'Ready', status: dice.one(['True', 'False']), lastTransitionTime: aTime(dice) };
  const status = {
    phase: isPlaced ? dice.one(['Running', 'Running', 'Running', 'Succeeded', 'Failed']) : 'Pending',
    ...(dice.chance(50) && { qosClass: 'Burstable' }),
    ...(isPlaced && { startTime: aTime(dice) }),
    ...(!isPlaced && dice.chance(20) && { nominatedNodeName: `n${dice.below(NODES)}` }),
    ...(dice.chance(80) && { conditions: [ready] }),
    ...(dice.chance(10) && { containerStatuses: [allocated] }),
  };
  return object('v1', 'Pod', metadata, { spec, ...(dice.chance(95) && { status }) });
}

/** Objects of many other kinds, each of which may be there. */
function otherObjects(dice: Dice): Thing[] {
  const inZone = { matchExpressions: [{ key: ZONE, operator: 'In', values: [dice.one(ZONES)] }] };
  const storage = { storageClassName: 'fast', accessModes: ['ReadWriteOnce'] };
  const inAll = (make: (namespace: string) => Thing): Thing[] => NAMESPACES.map(make);
  const all = [
    ...inAll((name) => object('v1', 'Namespace', { name })),
    ...inAll((namespace) => object('v1', 'ServiceAccount', { name: 'default', namespace })),
    ...inAll((namespace) =>
      object(
        'v1',
        'ResourceQuota',
        { name: 'q', namespace },
        {
          spec: { hard: { pods: `${dice.below(400)}`, 'requests.cpu': '50' } },
          status: { hard: { pods: '400' }, used: { pods: '3' } },
        },
      ),
    ),
    ...['some', 'other'].map((name) =>
      object('scheduling.k8s.io/v1', 'PriorityClass', { name }, { value: dice.one([10, -5]) }),
    ),
    object(
      'node.k8s.io/v1',
      'RuntimeClass',
      { name: 'kata' },
      {
        handler: 'kata',
        overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
      },
    ),
    object(
      'v1',
      'LimitRange',
      { name: 'limits', namespace: 'shop' },
      {
        spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '50m' }, max: { cpu: '8' } }] },
      },
    ),
    ...['a', 'b'].map((app) =>
      object(
        'policy/v1',
        'PodDisruptionBudget',
        { name: app, namespace: 'shop' },
        {
          spec: { minAvailable: dice.one([1, '50%']), selector: { matchLabels: { app } } },
          status: { disruptionsAllowed: dice.below(3), currentHealthy: 4, desiredHealthy: 2, expectedPods: 4 },
        },
      ),
    ),
    ...['a', 'b', 'c'].map((app) => {
      const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: `${app}-d`, uid: app, controller: true };
      const metadata = { name: app, namespace: 'shop', uid: `ReplicaSet-${app}`, ownerReferences: [deployment] };
      return object('apps/v1', 'ReplicaSet', metadata, { spec: { selector: { matchLabels: { app } } } });
    }),
    object('storage.k8s.io/v1', 'StorageClass', { name: 'fast' }, { provisioner: 'csi.example' }),
    ...[0, 1, 2].map((n) =>
      object(
        'v1',
        'PersistentVolumeClaim',
        { name: `claim-${n}`, namespace: dice.one(NAMESPACES) },
        {
          spec: { ...storage, ...(n > 0 && { volumeName: `pv-${n}` }) },
          status: { phase: n > 0 ? 'Bound' : 'Pending' },
        },
      ),
    ),
    ...[1, 2].map((n) =>
      object(
        'v1',
        'PersistentVolume',
        { name: `pv-${n}` },
        {
          spec: {
            ...storage,
            csi: { driver: 'csi.example', volumeHandle: `v${n}` },
            nodeAffinity: { required: { nodeSelectorTerms: [inZone] } },
          },
        },
      ),
    ),
    ...[0, 1, 2].map((n) =>
      object(
        'storage.k8s.io/v1',
        'CSINode',
        { name: `n${n}` },
        {
          spec: { drivers: [{ name: 'csi.example', nodeID: `n${n}`, allocatable: { count: 2 } }] },
        },
      ),
    ),
    object(
      'karpenter.sh/v1',
      'NodePool',
      { name: 'general' },
      {
        spec: { template: { spec: { requirements: [{ key: ZONE, operator: 'In', values: ['a', 'b'] }] } } },
      },
    ),
    object(
      'resource.k8s.io/v1beta2',
      'DeviceTaintRule',
      { name: 'bad' },
      {
        spec: {
          deviceSelector: { driver: GPU_DRIVER, pool: dice.one(WITH_GPUS) },
          taint: { key: 'bad', effect: dice.one(['NoSchedule', 'NoExecute']) },
        },
      },
    ),
    ...([
      GPU_CLASS,
      ...WITH_GPUS.map((node) => gpuSlice(node, 'g0', 'g1')),
      ...WITH_GPUS.flatMap((node) => gpuUser(`gpu-${node}`, { node, device: 'g0' })),
      ...UNUSED_POLICIES,
    ] as Thing[]),
  ];
  return dice.some(all, 85);
}

const object = (
  apiVersion: string,
  kind: string,
  metadata: Thing['metadata'] & Readonly<Record<string, unknown>>,
  rest: object = {},
): Thing => ({
  apiVersion,
  kind,
  metadata,
  ...rest,
});

const keyOf = ({ kind, metadata }: Thing): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;

/** A cluster with objects of most kinds, which changes at random: by snapshots, which add kinds and objects and lack others, deltas, and taint changes. */
export class RandomCluster {
  private readonly objects = new Map<string, Thing>();
  private readonly dice: Dice;
  private sequence = 0;

  /** @param path of the cluster, `/api/v1/clusters/c` */
  constructor(
    private readonly service: TestService,
    private readonly path: string,
    seed: number,
  ) {
    this.dice = new Dice(seed);
    for (let n = 0; n < NODES; n++) this.put(aNode(`n${n}`, this.dice));
    for (let n = 0; n < PODS; n++) this.put(this.aPod(n));
    if (this.dice.chance(50)) otherObjects(this.dice).forEach((one) => this.put(one));
  }

  async snapshot(): Promise<void> {
    await this.send('/snapshots?createCluster=true', {
      apiVersion: 'v1',
      kind: 'List',
      items: [...this.objects.values()],
    });
  }

  async change(): Promise<void> {
    switch (this.dice.below(4)) {
      case 0: {
        for (const key of this.dice.some([...this.objects.keys()], 3)) this.objects.delete(key);
        otherObjects(this.dice).forEach((one) => this.put(one));
        for (let n = 0; n < 20; n++) this.put(this.aPod());
        await this.snapshot();
        break;
      }
      case 1: {
        const node = this.dice.one([...this.objects.values()].filter(({ kind }) => kind === 'Node'));
        const taints = [this.dice.one(['drain=now:NoExecute', 'new:NoSchedule', 'old:PreferNoSchedule'])];
        const overwrite = true;
        await this.send('/taint-changes', { reason: 'a test', nodes: [node.metadata.name], taints, overwrite });
        break;
      }
      default:
        await this.delta();
    }
  }

  private async delta(): Promise<void> {
    const { dice } = this;
    const stored = [...this.objects.values()].filter(({ kind }) => kind === 'Pod' || kind === 'Node');
    const deletions = dice.some(stored, 1);
    const upserts = new Map<string, Thing>();
    for (let n = dice.below(10); n > 0; n--) set(upserts, this.aPod());
    for (let n = dice.below(4); n > 0; n--) set(upserts, aNode(`n${dice.below(NODES + 3)}`, dice));
    for (const one of deletions) {
      upserts.delete(keyOf(one));
      this.objects.delete(keyOf(one));
    }
    this.sequence += 1;
    await this.send('/deltas', {
      stream: 's',
      sequence: this.sequence,
      upserts: [...upserts.values()],
      deletions: deletions.map(({ kind, metadata: { name, namespace } }) => ({
        kind,
        name,
        ...(namespace && { namespace }),
      })),
    });
    for (const one of upserts.values()) this.put(one);
  }

  private aPod(number = this.dice.below(PODS + 50)): Thing {
    return aPod(this.dice.one(NAMESPACES), `p${number}`, this.dice);
  }

  private async send(path: string, body: object): Promise<void> {
    const { status, text } = await this.service.request('POST', `${this.path}${path}`, body);
    if (status >= 300) throw new Error(`${path} was not taken in: ${text}`);
  }

  private put(one: Thing): void {
    set(this.objects, one);
  }
}

const set = (into: Map<string, Thing>, one: Thing): unknown => into.set(keyOf(one), one);
