import { expect, it } from '@jest/globals';
import { Dice } from '../../../test/support/dice.js';
import { documentsOf } from '../../app/manifests/given-manifests.js';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import { KINDS } from '../kubernetes/kinds.js';
import { KNOWN_RULES } from '../kubernetes/kubernetes-rules.js';
import { findFields } from '../kubernetes/manifests/check-fields.js';
import { readManifests } from '../kubernetes/manifests/read-manifests.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { stepGate } from './step-gate.js';

const DRA = 'resource.k8s.io/v1';
const LABELS = { app: 'web' };
const SELECTOR = { matchLabels: LABELS };
const CLAIM: JsonObject = {
  devices: {
    requests: [
      {
        name: 'gpu',
        exactly: {
          deviceClassName: 'gpu',
          allocationMode: 'ExactCount',
          count: 1,
          selectors: [{ cel: { expression: 'device.driver == "d"' } }],
        },
      },
    ],
    constraints: [{ requests: ['gpu'], matchAttribute: 'd/a' }],
  },
};
const VOLUME_CLAIM: JsonObject = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'fast',
  resources: { requests: { storage: '1Gi' } },
};

const podSpec = (restartPolicy: string): JsonObject => ({
  containers: [
    {
      name: 'app',
      image: 'nginx:1',
      ports: [{ containerPort: 80, hostPort: 8080 }],
      resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2' }, claims: [{ name: 'gpu' }] },
      env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
      livenessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 5 },
      lifecycle: { preStop: { sleep: { seconds: 5 } } },
    },
  ],
  initContainers: [{ name: 'sidecar', image: 'i', restartPolicy: 'Always' }],
  volumes: [
    { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'own', ephemeral: { volumeClaimTemplate: { spec: VOLUME_CLAIM } } },
    { name: 'shared', persistentVolumeClaim: { claimName: 'data' } },
  ],
  nodeSelector: { zone: 'a' },
  tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: SELECTOR } },
      ],
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: SELECTOR },
  ],
  resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }],
  priorityClassName: 'high',
  restartPolicy,
  securityContext: { runAsUser: 1000 },
});
const template = (restartPolicy = 'Always'): JsonObject => ({
  metadata: { labels: LABELS },
  spec: podSpec(restartPolicy),
});
const object = (apiVersion: string, kind: string, spec: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: kind.toLowerCase() },
  spec,
});
const named = (name: string, manifest: JsonObject): JsonObject => ({ ...manifest, metadata: { name } });

const MANIFESTS: readonly JsonObject[] = [
  object('apps/v1', 'Deployment', {
    replicas: 2,
    selector: SELECTOR,
    template: template(),
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } },
    minReadySeconds: 1,
  }),
  object('apps/v1', 'ReplicaSet', { replicas: 2, selector: SELECTOR, template: template() }),
  object('apps/v1', 'DaemonSet', {
    selector: SELECTOR,
    template: template(),
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
  }),
  object('apps/v1', 'StatefulSet', {
    replicas: 2,
    selector: SELECTOR,
    template: template(),
    ordinals: { start: 0 },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: 1 } },
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: VOLUME_CLAIM }],
  }),
  object('batch/v1', 'Job', {
    parallelism: 2,
    completions: 3,
    completionMode: 'Indexed',
    backoffLimit: 1,
    template: template('Never'),
  }),
  object('batch/v1', 'CronJob', {
    schedule: '* * * * *',
    timeZone: 'UTC',
    jobTemplate: { spec: { template: template('Never') } },
  }),
  object('v1', 'Pod', podSpec('Always')),
  object('v1', 'ReplicationController', { replicas: 1, selector: LABELS, template: template() }),
  object('v1', 'ResourceQuota', {
    hard: { pods: '20', 'requests.cpu': '50', 'gpu.deviceclass.resource.k8s.io/devices': '9' },
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
  }),
  object('v1', 'LimitRange', {
    limits: [
      { type: 'Container', max: { cpu: '4' }, min: { cpu: '1m' }, maxLimitRequestRatio: { cpu: '10' } },
      { type: 'Pod', max: { memory: '4Gi' } },
    ],
  }),
  {
    ...named('high', { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' }),
    value: 100,
    preemptionPolicy: 'Never',
  },
  object('policy/v1', 'PodDisruptionBudget', { maxUnavailable: 1, selector: SELECTOR }),
  named('data', object('v1', 'PersistentVolumeClaim', VOLUME_CLAIM)),
  object('v1', 'PersistentVolume', {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'fast',
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }] } },
  }),
  {
    ...named('fast', { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' }),
    provisioner: 'p',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
  },
  {
    ...named('kata', { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass' }),
    handler: 'kata',
    overhead: { podFixed: { cpu: '100m' } },
    scheduling: { nodeSelector: { zone: 'a' } },
  },
  object(DRA, 'ResourceClaim', CLAIM),
  named('gpu', object(DRA, 'ResourceClaimTemplate', { spec: CLAIM })),
  named('gpu', object(DRA, 'DeviceClass', { selectors: [{ cel: { expression: 'true' } }] })),
  object('v1', 'Namespace', {}),
];

const ODD_NUMBERS: readonly JsonValue[] = [-1, 0, 1, -(2 ** 31), 1.5, 9_007_199_254_740_993n];
const ODD: readonly JsonValue[] = [
  ...ODD_NUMBERS,
  ...[null, true, [], {}, [null], [{}], { a: 'b' }],
  ...['', '-1', '0', '1e999', '100%', '-5%', 'x'.repeat(300), ' ', 'a/b/c', '__proto__', '\u0000', '1Ki', 'NaN'],
];

const node = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, zone: 'a' } },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
});
const SLICE = object(DRA, 'ResourceSlice', {
  driver: 'd',
  nodeName: 'a',
  pool: { name: 'a', generation: 1, resourceSliceCount: 1 },
  devices: [{ name: 'gpu-0' }, { name: 'gpu-1' }],
});
const CLUSTER: readonly JsonObject[] = [node('a'), node('b'), SLICE, named('shop', object('v1', 'Namespace', {}))];

function decoded(value: JsonObject): KubernetesObject {
  const result = decodeObject(value);
  if (result.outcome !== 'object') throw new Error(JSON.stringify(result));
  return result.object;
}

function inNamespace(manifest: JsonObject): JsonObject {
  const isNamespaced = KINDS.find(({ kind }) => kind === manifest['kind'])?.namespaced === true;
  const { name = '' } = manifest['metadata'] as { readonly name?: string };
  return isNamespaced ? { ...manifest, metadata: { name, namespace: 'shop' } } : manifest;
}

/** A copy in which some member, at any depth, is another value or is missing. */
function altered(value: JsonValue, dice: Dice, depth = 0): JsonValue {
  if (typeof value === 'number' && dice.chance(70)) return dice.one(ODD_NUMBERS);
  if (typeof value !== 'object' || value === null) return dice.one(ODD);
  const keys = Object.keys(value).filter((key) => depth > 0 || (key !== 'kind' && key !== 'apiVersion'));
  if (keys.length === 0 || (depth > 0 && dice.chance(12))) return dice.one(ODD);
  const key = dice.one(keys);
  const isMissing = dice.chance(8);
  const members = Object.entries(value as JsonObject).flatMap(([name, member]) => {
    if (name !== key) return [[name, member] as const];
    return isMissing ? [] : [[name, altered(member, dice, depth + 1)] as const];
  });
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

it('answers whatever is in the manifests, under every version, whether the objects are new or stored', () => {
  const dice = new Dice(20_261);
  const kinds = KINDS.map(({ kind }) => kind);
  const states = [CLUSTER, [...CLUSTER, ...MANIFESTS.map(inNamespace)]].map((objects) =>
    ClusterState.build(objects.map(decoded), kinds),
  );
  const verdicts = new Set<string>();
  for (let turn = 0; turn < 1500; turn++) {
    const rules = dice.one(KNOWN_RULES);
    const state = dice.one(states).under(rules);
    const manifests = Array.from({ length: 1 + dice.below(4) }, () => {
      const manifest = dice.one(MANIFESTS);
      return dice.chance(80) ? (altered(manifest, dice) as JsonObject) : manifest;
    });
    const read = readManifests(documentsOf(manifests, '/manifests'), { namespace: 'shop' });
    if ('faults' in read) continue;
    const objects = read.objects.map((one) => ({ object: one, fields: findFields(one, undefined) }));
    const options = {
      now: Date.UTC(2026, 4, 4),
      gates: gatesOf(rules),
      fieldValidation: 'Warn' as const,
      proposes: dice.chance(30),
    };
    const { judgement } = finish(stepGate(state, objects, options));
    verdicts.add(judgement.verdict);
  }
  expect([...verdicts]).toEqual(expect.arrayContaining(['no', 'yes']));
});
