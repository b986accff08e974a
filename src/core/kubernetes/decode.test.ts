import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson } from '../json/lossless-json.js';
import type { JsonValue } from '../json/json-value.js';
import { decodeObject, type DecodeOptions, type Decoded } from './decode.js';
import { KINDS } from './kinds.js';
import type { KubernetesObject } from './objects/meta.js';
import type { Node } from './objects/node.js';
import type { Pod } from './objects/pod.js';

const SECRET = 's3cr3t-do-not-keep';

function decode(value: unknown, options: DecodeOptions = {}): Decoded {
  return decodeObject(parseJson(stringifyJson(value)), options);
}

function objectOf(decoded: Decoded): KubernetesObject {
  if (decoded.outcome !== 'object') throw new Error(`not decoded: ${stringifyJson(decoded)}`);
  return decoded.object;
}

const podOf = (decoded: Decoded): Pod => objectOf(decoded) as Pod;
const nodeOf = (decoded: Decoded): Node => objectOf(decoded) as Node;

function errorsOf(decoded: Decoded): [pointer: string, message: string][] {
  if (decoded.outcome !== 'invalid') throw new Error(`not refused: ${stringifyJson(decoded)}`);
  return decoded.errors.map(({ pointer, message }) => [pointer, message]);
}

const pod = (spec: object, metadata: object = {}, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', ...metadata },
  spec: { containers: [{ name: 'app' }], ...spec },
  ...more,
});

const node = (spec: object, metadata: object = {}, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', ...metadata },
  spec,
  ...more,
});

describe('decodeObject: kept values', () => {
  const container = {
    name: 'app',
    image: 'nginx',
    command: [SECRET],
    args: [SECRET],
    workingDir: SECRET,
    env: [
      { name: 'A', value: SECRET },
      { name: 'B', valueFrom: { secretKeyRef: { name: SECRET, key: SECRET } } },
    ],
    envFrom: [{ prefix: SECRET, secretRef: { name: SECRET } }],
    lifecycle: { preStop: { exec: { command: [SECRET] } } },
    livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: 'Authorization', value: SECRET }] } },
    volumeMounts: [{ name: 'v', mountPath: SECRET }],
    resources: { requests: { cpu: '1' } },
  };
  const volumes = [
    { name: 'a', secret: { secretName: SECRET } },
    { name: 'b', configMap: { name: SECRET } },
    { name: 'c', csi: { driver: 'd', volumeAttributes: { token: SECRET }, nodePublishSecretRef: { name: SECRET } } },
    { name: 'd', hostPath: { path: SECRET } },
    { name: 'e', projected: { sources: [{ secret: { name: SECRET } }] } },
    { name: 'f', rbd: { monitors: ['m'], image: 'i', keyring: SECRET, user: SECRET, secretRef: { name: SECRET } } },
    { name: 'g', iscsi: { iqn: 'q', lun: 1, targetPortal: 't', initiatorName: SECRET, secretRef: { name: SECRET } } },
  ];
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': SECRET, token: SECRET };
  const managedFields = [
    { manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:metadata': { [`f:${SECRET}`]: {} } } },
  ];
  const spec = { containers: [container], initContainers: [container], ephemeralContainers: [container], volumes };
  const metadata = { annotations, managedFields };
  const status = {
    message: SECRET,
    conditions: [{ type: 'Ready', status: 'False', message: SECRET }],
    containerStatuses: [{ name: 'app', state: { terminated: { exitCode: 1, message: SECRET } } }],
  };
  const template = { metadata, spec };
  const apps = { apiVersion: 'apps/v1', metadata: { name: 'w', ...metadata }, spec: { template } };

  it.each<[string, object]>([
    ['a pod', pod(spec, metadata, { status })],
    ['a node', node({}, metadata)],
    ['a Deployment', { kind: 'Deployment', ...apps }],
    ['a StatefulSet', { kind: 'StatefulSet', ...apps }],
    ['a DaemonSet', { kind: 'DaemonSet', ...apps }],
    ['a ReplicaSet', { kind: 'ReplicaSet', ...apps }],
    ['a Job', { ...apps, kind: 'Job', apiVersion: 'batch/v1' }],
    ['a ReplicationController', { ...apps, kind: 'ReplicationController', apiVersion: 'v1' }],
    [
      'a CronJob',
      { ...apps, kind: 'CronJob', apiVersion: 'batch/v1', spec: { jobTemplate: { metadata, spec: { template } } } },
    ],
    [
      'a PersistentVolume',
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'pv', ...metadata },
        spec: { csi: { driver: 'd', volumeHandle: 'h', volumeAttributes: { k: SECRET } }, mountOptions: [SECRET] },
      },
    ],
    [
      'a StorageClass',
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'sc', ...metadata },
        provisioner: 'p',
        parameters: { adminSecret: SECRET },
      },
    ],
    [
      'a ResourceClaim',
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        metadata: { name: 'rc', ...metadata },
        spec: { devices: { config: [{ opaque: { driver: 'd', parameters: { key: SECRET } } }] } },
      },
    ],
  ])('of %s is nothing that may be a secret', (_, manifest) => {
    expect(stringifyJson(manifest)).toContain(SECRET);
    expect(stringifyJson(objectOf(decode(manifest)))).not.toContain(SECRET);
  });

  it('exclude from errors the value of a field with the wrong type, which may be a secret', () => {
    const decoded = decode(pod({ containers: [{ name: 'app', env: [{ name: 'A', value: 12345678 }] }] }));
    expect(errorsOf(decoded)).toEqual([
      ['/spec/containers/0/env/0/value', 'Invalid value: "integer": must be of type string: "integer"'],
    ]);
  });

  it('include only annotations with a meaning', () => {
    const kept = {
      'kubernetes.io/config.mirror': 'abc',
      'scheduler.alpha.kubernetes.io/preferAvoidPods': '{}',
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    };
    const decoded = decode(pod({}, { annotations: { ...kept, other: 'x' } }));
    expect(podOf(decoded).metadata.annotations).toEqual(kept);
    expect(decoded).toMatchObject({ droppedFields: 1 });
    expect(podOf(decode(pod({}, { annotations: { other: 'x' } }))).metadata).not.toHaveProperty('annotations');
  });

  it("include only the managed fields of a node's taints, cordon and labels", () => {
    const entry = { apiVersion: 'v1', fieldsType: 'FieldsV1', operation: 'Update', time: '2026-01-01T00:00:00Z' };
    const managedFields = [
      { ...entry, manager: 'kubelet', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } } },
      { ...entry, manager: 'kubectl-taint', fieldsV1: { 'f:spec': { 'f:taints': {}, 'f:unschedulable': {} } } },
      { ...entry, manager: 'kubelet', subresource: 'status', fieldsV1: { 'f:status': {} } },
    ];
    const decoded = nodeOf(decode(node({}, { managedFields })));
    const { operation, time } = entry;
    expect(decoded.metadata.taintOwnership).toEqual([
      { manager: 'kubelet', operation, time, owns: ['metadata.labels'] },
      { manager: 'kubectl-taint', operation, time, owns: ['spec.taints', 'spec.unschedulable'] },
    ]);
  });

  it('are everything if the manifest is decoded whole', () => {
    const decoded = decode(pod({ hostname: 'h' }, { annotations, finalizers: ['a/b'] }), { whole: true });
    expect(objectOf(decoded)).toMatchObject({
      metadata: { annotations, finalizers: ['a/b'] },
      spec: { hostname: 'h' },
    });
  });

  it('share nothing with the input', () => {
    const input = parseJson(
      stringifyJson(node({ taints: [{ key: 'a', effect: 'NoSchedule' }] }, { labels: { a: 'b' } })),
    );
    const decoded = nodeOf(decodeObject(input));
    const before = stringifyJson(decoded);
    const { metadata, spec } = input as Record<string, Record<string, JsonValue>>;
    (metadata!['labels'] as Record<string, JsonValue>)['a'] = 'changed';
    ((spec!['taints'] as JsonValue[])[0] as Record<string, JsonValue>)['key'] = 'changed';
    expect(stringifyJson(decoded)).toBe(before);
  });
});

describe('decodeObject: values', () => {
  it('treats null as absent in fields', () => {
    const decoded = decode(pod({ tolerations: null, nodeName: null }, { creationTimestamp: null }, { status: null }));
    expect(objectOf(decoded)).toEqual(objectOf(decode(pod({}))));
  });

  it('treats null as the zero value in lists and maps, as Go does', () => {
    const decoded = podOf(decode(pod({ tolerations: [null], overhead: { cpu: null } }, { labels: { a: null } })));
    expect(decoded.spec.tolerations).toEqual([{}]);
    expect(decoded.spec.overhead).toEqual({ cpu: '0' });
    expect(decoded.metadata.labels).toEqual({ a: '' });
    expect(nodeOf(decode(node({ taints: [null] }))).spec?.taints).toEqual([{ key: '', effect: '' }]);
  });

  it('adds the fields that every object of a kind has', () => {
    expect(objectOf(decode({ apiVersion: 'v1', kind: 'Pod' }))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: '', namespace: 'default' },
      spec: { containers: [] },
    });
  });

  it('sets the number of devices that a request is for, as the API server does', () => {
    const requests = [
      { name: 'a', exactly: { deviceClassName: 'gpu' } },
      { name: 'b', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
      { name: 'c', exactly: { deviceClassName: 'gpu', allocationMode: 'All' } },
      { name: 'd', firstAvailable: [{ name: 'e', deviceClassName: 'gpu', count: 3 }] },
    ];
    const expected = [
      { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } },
      requests[1],
      requests[2],
      { name: 'd', firstAvailable: [{ name: 'e', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 3 }] },
    ];
    const spec = { devices: { requests } };
    const object = { apiVersion: 'resource.k8s.io/v1', metadata: { name: 'x' } };
    for (const whole of [false, true]) {
      const claim = decode({ ...object, kind: 'ResourceClaim', spec }, { whole });
      expect(objectOf(claim)).toMatchObject({ spec: { devices: { requests: expected } } });
      const template = decode({ ...object, kind: 'ResourceClaimTemplate', spec: { spec } }, { whole });
      expect(objectOf(template)).toMatchObject({ spec: { spec: { devices: { requests: expected } } } });
    }
  });

  it.each<[string, string, string]>([
    ['a number', '2', '2'],
    ['a number with a fraction', '0.5', '0.5'],
    ['a number beyond 2^53', '9007199254740993', '9007199254740993'],
    ['a string', '"1500m"', '1500m'],
    ['a string with spaces around it', '" 1 "', '1'],
    ['an exponent that no computer could write out', '"1e99999999"', '1e99999999'],
  ])('reads a quantity that is %s', (_, written, kept) => {
    const manifest = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"capacity":{"cpu":${written}}}}`;
    expect(nodeOf(decodeObject(parseJson(manifest))).status?.capacity).toEqual({ cpu: kept });
  });

  it('keeps an int64 exactly', () => {
    const manifest = stringifyJson(pod({ tolerations: [{ key: 'a', tolerationSeconds: 9223372036854775807n }] }));
    const decoded = podOf(decodeObject(parseJson(manifest)));
    expect(decoded.spec.tolerations?.[0]?.tolerationSeconds).toBe(9223372036854775807n);
  });

  it('treats names of Object.prototype as ordinary keys', () => {
    const manifest =
      '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{"__proto__":"a","constructor":"b"}}}';
    const { labels } = nodeOf(decodeObject(parseJson(manifest))).metadata;
    expect(Object.entries(labels ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
  });

  it('treats names of Object.prototype as unknown fields', () => {
    const manifest =
      '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"__proto__":{},"spec":{"constructor":1}}';
    expect(decodeObject(parseJson(manifest))).toMatchObject({ unknownFields: ['__proto__', 'spec.constructor'] });
  });

  it('adds the namespace default to a namespaced object without one, and removes it from other kinds', () => {
    expect(podOf(decode(pod({}, { namespace: '' }))).metadata.namespace).toBe('default');
    expect(nodeOf(decode(node({}, { namespace: 'x' }))).metadata).not.toHaveProperty('namespace');
  });
});

describe('decodeObject: refusals', () => {
  it('report every wrong field at once, with its pointer', () => {
    const decoded = decode(
      pod(
        {
          hostNetwork: 'yes',
          priority: 3_000_000_000,
          nodeSelector: ['a'],
          tolerations: [{ key: 'a', tolerationSeconds: 1.5 }],
          terminationGracePeriodSeconds: '30',
          containers: [{ name: 'app', resources: { requests: { cpu: '1.5.5', 'a/b': true } } }],
        },
        { labels: { 'x/y': 1 }, creationTimestamp: '2026-02-30T00:00:00Z' },
      ),
    );
    const quantityRule = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    expect(errorsOf(decoded)).toEqual([
      ['/metadata/labels/x~1y', 'Invalid value: "integer": must be of type string: "integer"'],
      [
        '/metadata/creationTimestamp',
        'Invalid value: "2026-02-30T00:00:00Z": must be a time as in RFC 3339: 2006-01-02T15:04:05Z',
      ],
      ['/spec/containers/0/resources/requests/cpu', `Invalid value: "1.5.5": ${quantityRule}`],
      ['/spec/containers/0/resources/requests/a~1b', 'Invalid value: "boolean": must be of type string: "boolean"'],
      ['/spec/hostNetwork', 'Invalid value: "string": must be of type boolean: "string"'],
      ['/spec/priority', 'Invalid value: "3000000000": must be an integer of 32 bits'],
      ['/spec/nodeSelector', 'Invalid value: "array": must be of type object: "array"'],
      ['/spec/tolerations/0/tolerationSeconds', 'Invalid value: "number": must be of type integer: "number"'],
      ['/spec/terminationGracePeriodSeconds', 'Invalid value: "string": must be of type integer: "string"'],
    ]);
  });

  it('identify the object, and return the rest of it', () => {
    const decoded = decode(node({ unschedulable: 'yes', providerID: 'p' }));
    expect(decoded).toMatchObject({
      outcome: 'invalid',
      kind: 'Node',
      name: 'n1',
      info: { plural: 'nodes' },
      salvage: { metadata: { name: 'n1' }, spec: { providerID: 'p' } },
    });
    expect(decode(node({}, { name: 5 }))).not.toHaveProperty('salvage');
  });

  it.each<[string, unknown, [string, string][]]>([
    ['a list', [], [['', 'Invalid value: "array": must be of type object: "array"']]],
    [
      'an object without type',
      { metadata: { name: 'x' } },
      [
        ['/apiVersion', 'Required value'],
        ['/kind', 'Required value'],
      ],
    ],
    [
      'an object with a number for its kind',
      { apiVersion: 'v1', kind: 1 },
      [['/kind', 'Invalid value: "integer": must be of type string: "integer"']],
    ],
  ])('refuses %s', (_, value, errors) => {
    expect(errorsOf(decode(value))).toEqual(errors);
  });

  it('include wrong types of dropped fields', () => {
    const decoded = decode(node({ podCIDRs: 'x' }, { finalizers: [1] }));
    expect(errorsOf(decoded).map(([pointer]) => pointer)).toEqual(['/metadata/finalizers/0', '/spec/podCIDRs']);
  });
});

describe('unknown fields', () => {
  const manifest = pod({ toleration: [], NodeName: 'n', containers: [{ name: 'app', x: { y: 1 } }] });

  it('are dropped and counted, with their paths', () => {
    expect(decode(manifest)).toMatchObject({
      outcome: 'object',
      unknownFieldCount: 3,
      unknownFields: ['spec.containers[0].x', 'spec.toleration', 'spec.NodeName'],
    });
  });

  it('are errors in strict decoding', () => {
    expect(errorsOf(decode(manifest, { strict: true }))).toEqual([
      ['/spec/containers/0/x', 'strict decoding error: unknown field "spec.containers[0].x"'],
      ['/spec/toleration', 'strict decoding error: unknown field "spec.toleration"'],
      ['/spec/NodeName', 'strict decoding error: unknown field "spec.NodeName"'],
    ]);
  });

  it('are listed up to a limit', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, index]));
    const decoded = decode(pod(many));
    expect(decoded).toMatchObject({ unknownFieldCount: 500 });
    expect(decoded.outcome === 'object' && decoded.unknownFields.length).toBe(50);
  });
});

describe('kinds and versions', () => {
  it('ignores kinds that are not kept', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: {} };
    expect(decode(secret)).toEqual({ outcome: 'ignored', apiVersion: 'v1', kind: 'Secret' });
    expect(decode({ apiVersion: 'example.com/v1', kind: 'Pod' })).toMatchObject({ outcome: 'ignored' });
  });

  it("uses the caller's kind and version for an object without one", () => {
    const decoded = decode({ metadata: { name: 'n1' } }, { apiVersion: 'v1', kind: 'Node' });
    expect(objectOf(decoded)).toEqual({ metadata: { name: 'n1' }, apiVersion: 'v1', kind: 'Node' });
  });

  it.each(KINDS.flatMap(({ kind, apiVersions }) => apiVersions.map((apiVersion) => [apiVersion, kind] as const)))(
    'reads %s %s in its newest version',
    (apiVersion, kind) => {
      const newest = KINDS.find((info) => info.kind === kind)?.apiVersions[0];
      expect(objectOf(decode({ apiVersion, kind, metadata: { name: 'x' } }))).toMatchObject({
        apiVersion: newest,
        kind,
        metadata: { name: 'x' },
      });
    },
  );

  it.each<[string, object, object]>([
    [
      'the spec of a v1alpha1 RuntimeClass',
      { apiVersion: 'node.k8s.io/v1alpha1', kind: 'RuntimeClass', spec: { runtimeHandler: 'runsc' } },
      { handler: 'runsc' },
    ],
    [
      'the overhead of a v1beta1 RuntimeClass',
      { apiVersion: 'node.k8s.io/v1beta1', kind: 'RuntimeClass', handler: 'x', overhead: { podFixed: { cpu: 1 } } },
      { handler: 'x', overhead: { podFixed: { cpu: '1' } } },
    ],
    [
      'an empty selector of a v1beta1 PodDisruptionBudget, which matches nothing',
      { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', spec: { selector: {}, minAvailable: 1 } },
      {
        spec: {
          minAvailable: 1,
          selector: {
            matchExpressions: [
              { key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' },
            ],
          },
        },
      },
    ],
    [
      'the empty selector of a v1 PodDisruptionBudget, which matches everything',
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', spec: { selector: {} } },
      { spec: { selector: {} } },
    ],
    [
      'a device of a v1beta1 ResourceSlice',
      {
        apiVersion: 'resource.k8s.io/v1beta1',
        kind: 'ResourceSlice',
        spec: { driver: 'd', devices: [{ name: 'gpu', basic: { attributes: { model: { string: 'a' } } } }] },
      },
      { spec: { driver: 'd', devices: [{ name: 'gpu', attributes: { model: { string: 'a' } } }] } },
    ],
    [
      'a capacity of a v1alpha3 ResourceSlice',
      {
        apiVersion: 'resource.k8s.io/v1alpha3',
        kind: 'ResourceSlice',
        spec: { driver: 'd', devices: [{ name: 'gpu', basic: { capacity: { memory: '8Gi' } } }] },
      },
      { spec: { driver: 'd', devices: [{ name: 'gpu', capacity: { memory: { value: '8Gi' } } }] } },
    ],
    [
      'a request of a v1alpha3 ResourceClaimTemplate',
      {
        apiVersion: 'resource.k8s.io/v1alpha3',
        kind: 'ResourceClaimTemplate',
        spec: { spec: { devices: { requests: [{ name: 'r', deviceClassName: 'gpu' }] } } },
      },
      { spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } } } },
    ],
    [
      'a request of a v1beta1 ResourceClaim',
      {
        apiVersion: 'resource.k8s.io/v1beta1',
        kind: 'ResourceClaim',
        spec: { devices: { requests: [{ name: 'r', deviceClassName: 'gpu', count: 2 }] } },
      },
      { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', count: 2 } }] } } },
    ],
    [
      'an extensions/v1beta1 Deployment without selector',
      {
        apiVersion: 'extensions/v1beta1',
        kind: 'Deployment',
        spec: { template: { metadata: { labels: { app: 'a' } }, spec: { containers: [] } } },
      },
      { spec: { selector: { matchLabels: { app: 'a' } } } },
    ],
  ])('reads %s', (_, manifest, expected) => {
    expect(objectOf(decode({ metadata: { name: 'x' }, ...manifest }))).toMatchObject(expected);
    expect(decode({ metadata: { name: 'x' }, ...manifest })).toMatchObject({ unknownFieldCount: 0 });
  });
});
