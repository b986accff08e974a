import { KINDS } from '../../src/core/kubernetes/kinds.js';
import type { ApiServer } from './api-server.js';

const NAMESPACE = 'all-kinds';
const LABELS = { app: 'all-kinds' };
const POD_SPEC = {
  containers: [
    {
      name: 'main',
      image: 'registry.example/main:1',
      resources: { requests: { cpu: '250m', memory: '64Mi' }, limits: { memory: '128Mi' } },
      ports: [{ containerPort: 8080, hostPort: 18080 }],
      env: [{ name: 'SECRET', value: 'is not kept' }],
    },
  ],
  tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoExecute', tolerationSeconds: 30 }],
  nodeSelector: { 'example.com/pool': 'none' },
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 3, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd', 'nvme'] }] } },
      ],
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: LABELS } },
  ],
};
const TEMPLATE = { metadata: { labels: LABELS }, spec: POD_SPEC };
const SELECTOR = { matchLabels: LABELS };
const JOB = { template: { spec: { ...POD_SPEC, restartPolicy: 'Never' } } };
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['bindings'] }];
const WEBHOOK = {
  name: 'hook.example.com',
  clientConfig: { url: 'https://hook.example.com/' },
  rules: RULES,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Ignore',
};
const NAMED = { namespaceSelector: { matchLabels: { nowhere: 'x' } }, resourceRules: RULES };

/** One object of each kind that is kept and that clients create, DeviceTaintRules aside, which are not served by default, with fields of many forms. Those of policies are in force nowhere. */
const OBJECTS: readonly (readonly [kind: string, object: object])[] = [
  ['Namespace', { metadata: { name: NAMESPACE, labels: { env: 'test' } } }],
  ['Node', { metadata: { name: 'all-kinds', labels: { zone: 'a', disk: 'ssd' } } }],
  ['ServiceAccount', { metadata: { name: 'default' } }],
  ['RuntimeClass', { handler: 'h', overhead: { podFixed: { cpu: '10m' } } }],
  ['PriorityClass', { value: 7, preemptionPolicy: 'Never' }],
  ['ResourceQuota', { spec: { hard: { pods: '50', 'requests.cpu': '20' } } }],
  ['LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '4' } }] } }],
  ['PodDisruptionBudget', { spec: { maxUnavailable: '20%', selector: SELECTOR } }],
  ['Deployment', { spec: { replicas: 2, selector: SELECTOR, template: TEMPLATE } }],
  ['StatefulSet', { spec: { replicas: 1, serviceName: 's', selector: SELECTOR, template: TEMPLATE } }],
  ['DaemonSet', { spec: { selector: SELECTOR, template: TEMPLATE } }],
  ['Job', { spec: JOB }],
  ['CronJob', { spec: { schedule: '0 3 * * *', suspend: true, jobTemplate: { spec: JOB } } }],
  [
    'ReplicationController',
    { spec: { replicas: 1, selector: { rc: 'x' }, template: { ...TEMPLATE, metadata: { labels: { rc: 'x' } } } } },
  ],
  ['Pod', { metadata: { labels: LABELS }, spec: POD_SPEC }],
  [
    'PersistentVolume',
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'csi.example.com', volumeHandle: 'v' },
        storageClassName: 'all-kinds',
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
        },
      },
    },
  ],
  [
    'PersistentVolumeClaim',
    {
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'other', resources: { requests: { storage: '1Gi' } } },
    },
  ],
  ['StorageClass', { provisioner: 'csi.example.com', volumeBindingMode: 'WaitForFirstConsumer' }],
  [
    'CSINode',
    {
      spec: { drivers: [{ name: 'csi.example.com', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 4 } }] },
    },
  ],
  ['CSIDriver', { spec: { storageCapacity: true } }],
  [
    'CSIStorageCapacity',
    { storageClassName: 'all-kinds', capacity: '10Gi', nodeTopology: { matchLabels: { zone: 'a' } } },
  ],
  [
    'VolumeAttachment',
    { spec: { attacher: 'csi.example.com', nodeName: 'all-kinds', source: { persistentVolumeName: 'all-kinds' } } },
  ],
  [
    'ResourceSlice',
    {
      spec: {
        driver: 'dra.example.com',
        nodeName: 'all-kinds',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'gpu-0', attributes: { model: { string: 'x' } }, capacity: { memory: { value: '40Gi' } } }],
      },
    },
  ],
  ['DeviceClass', { spec: { selectors: [{ cel: { expression: 'device.driver == "dra.example.com"' } }] } }],
  ['ResourceClaim', { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'all-kinds' } }] } } }],
  [
    'ResourceClaimTemplate',
    { spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'all-kinds' } }] } } } },
  ],
  [
    'Lease',
    { metadata: { namespace: 'kube-node-lease' }, spec: { holderIdentity: 'all-kinds', leaseDurationSeconds: 40 } },
  ],
  ['Service', { spec: { selector: LABELS, ports: [{ port: 80 }] } }],
  ['ValidatingWebhookConfiguration', { webhooks: [WEBHOOK] }],
  ['MutatingWebhookConfiguration', { webhooks: [WEBHOOK] }],
  [
    'ValidatingAdmissionPolicy',
    {
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: NAMED,
        validations: [{ expression: 'true' }],
      },
    },
  ],
  [
    'ValidatingAdmissionPolicyBinding',
    {
      spec: {
        policyName: 'all-kinds',
        validationActions: ['Warn'],
        paramRef: { name: 'params', namespace: NAMESPACE, parameterNotFoundAction: 'Allow' },
      },
    },
  ],
  [
    'MutatingAdmissionPolicy',
    {
      spec: {
        matchConstraints: NAMED,
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
      },
    },
  ],
  ['MutatingAdmissionPolicyBinding', { spec: { policyName: 'all-kinds' } }],
  ['ConfigMap', { data: { SECRET: 'is not kept' } }],
  ['ConfigMap', { metadata: { name: 'params' }, data: { most: '3' } }],
];

/** Those that are deleted and created again in each round. */
const RECREATED = new Set(['Pod', 'ConfigMap', 'PriorityClass', 'PodDisruptionBudget', 'ResourceClaim']);

interface Placed {
  readonly kind: string;
  readonly collection: string;
  readonly path: string;
  readonly object: object;
}

function placed([kind, object]: (typeof OBJECTS)[number]): Placed {
  const info = KINDS.find((one) => one.kind === kind)!;
  const [apiVersion] = info.apiVersions;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { metadata } = object as { readonly metadata?: { readonly namespace?: string; readonly name?: string } };
  const { namespace = NAMESPACE, name = nameOf(kind) } = metadata ?? {};
  const collection = info.namespaced ? `${root}/namespaces/${namespace}/${info.plural}` : `${root}/${info.plural}`;
  const body = { ...object, apiVersion, kind, metadata: { ...metadata, name } };
  return { kind, collection, path: `${collection}/${name}`, object: body };
}

const nameOf = (kind: string): string => (kind === 'CSIDriver' ? 'csi.example.com' : 'all-kinds');

/** Creates an object of each kind. Some kinds come with a running controller manager only. */
export async function createAllKinds(api: ApiServer): Promise<void> {
  for (const one of OBJECTS) {
    const { collection, path, object, kind } = placed(one);
    if (kind === 'ServiceAccount')
      await api.until('the service account', async () => found(await api.ask('GET', path)));
    else await api.must('POST', collection, object);
  }
}

/** Changes each of the objects, and some are deleted and created again. */
export async function changeAllKinds(api: ApiServer, round: string): Promise<void> {
  for (const one of OBJECTS) {
    const { kind, collection, path, object } = placed(one);
    if (RECREATED.has(kind)) {
      await api.must('DELETE', `${path}?gracePeriodSeconds=0`);
      await api.until(`${kind} to be gone`, async () => ((await api.ask('GET', path)).code === 404 ? true : undefined));
      await api.must('POST', collection, object);
    }
    await api.must('PATCH', path, { metadata: { labels: { round } } });
  }
}

const found = ({ code }: { readonly code: number }): true | undefined => (code === 200 ? true : undefined);
