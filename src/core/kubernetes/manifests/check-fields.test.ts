import { describe, expect, it } from '@jest/globals';
import { parseManifests } from '../../../ingest/parse-manifests.js';
import { NEWEST_MINOR, rulesOfMinor } from '../kubernetes-rules.js';
import { checkFields, findFields, findingsOfChanged, type FieldCheck, type FieldValidation } from './check-fields.js';
import { readManifests } from './read-manifests.js';

function checked(
  text: string,
  fieldValidation: FieldValidation,
  minor = NEWEST_MINOR,
  unknownVersion?: string,
): readonly FieldCheck[] {
  const server = { rules: rulesOfMinor(minor), ...(unknownVersion !== undefined && { unknownVersion }) };
  const read = readManifests(parseManifests(text).documents);
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  return read.objects.map((object) =>
    checkFields(object, findFields(object, read.documents.get(object)), fieldValidation, server),
  );
}

const refusals = (text: string): readonly (string | undefined)[] =>
  checked(text, 'Strict').map(({ refusal }) => refusal?.message);

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  lables: {a: b}
spec:
  template:
    spec:
      tolleration: []
      containers:
      - name: web
        zone: a
        resources: {request: {cpu: 1}}
      nodeSelector: {anything: goes}
`;

/** The texts are those that kube-apiserver v1.36.2 builds; see the sources cited in `check-fields.ts`. */
describe('unknown fields', () => {
  it('refuse an object with Strict: of YAML in the order of sorted keys', () => {
    expect(refusals(DEPLOYMENT)).toEqual([
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "metadata.lables", unknown field "spec.template.spec.containers[0].resources.request", unknown field "spec.template.spec.containers[0].zone", unknown field "spec.template.spec.tolleration"',
    ]);
  });

  it('are those of JSON in the order of the text, also where a key looks like an index', () => {
    const text = '{"apiVersion":"v1","kind":"Pod","spec":{"z":1,"containers":[{"y":1}],"a":1,"1":1},"x":{"y":{"z":1}}}';
    expect(refusals(text)).toEqual([
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.z", unknown field "spec.containers[0].y", unknown field "spec.a", unknown field "spec.1", unknown field "x"',
    ]);
  });

  it('are warnings with Warn, and nothing with Ignore', () => {
    expect(checked(DEPLOYMENT, 'Warn')).toEqual([
      {
        warnings: [
          'unknown field "metadata.lables"',
          'unknown field "spec.template.spec.containers[0].resources.request"',
          'unknown field "spec.template.spec.containers[0].zone"',
          'unknown field "spec.template.spec.tolleration"',
        ],
      },
    ]);
    expect(checked(DEPLOYMENT, 'Ignore')).toEqual([{ warnings: [] }]);
  });

  it('are at most the first hundred', () => {
    const fields = Array.from({ length: 150 }, (_, index) => `x${index}: 1`).join(', ');
    const [check] = checked(`{apiVersion: v1, kind: Pod, spec: {${fields}}}`, 'Warn');
    expect(check?.warnings).toHaveLength(100);
  });

  it('are also those of earlier versions of a kind', () => {
    expect(refusals('{apiVersion: apps/v1, kind: Deployment, spec: {rollbackTo: {}}}')).toEqual([
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.rollbackTo"',
    ]);
  });

  it('are those that only another version has, where the version is known', () => {
    const text = '{apiVersion: v1, kind: Pod, spec: {schedulingGroup: {podGroupName: g}, workloadRef: {name: w}}}';
    const unknown = (minor: number): readonly string[] =>
      checked(text, 'Warn', minor).flatMap(({ warnings }) => warnings);
    expect([34, 35, 36].map(unknown)).toEqual([
      ['unknown field "spec.schedulingGroup"', 'unknown field "spec.workloadRef"'],
      ['unknown field "spec.schedulingGroup"'],
      ['unknown field "spec.workloadRef"'],
    ]);
  });

  const inVersions = (text: string): readonly (readonly string[])[] =>
    [31, 32, 33, 34, 35, 36].map((minor) => checked(text, 'Warn', minor).flatMap(({ warnings }) => warnings));

  it.each([
    ['spec.resources', 32, '{apiVersion: v1, kind: Pod, spec: {resources: {}}}'],
    [
      'spec.securityContext.seLinuxChangePolicy',
      32,
      '{apiVersion: v1, kind: Pod, spec: {securityContext: {seLinuxChangePolicy: Recursive}}}',
    ],
    [
      'spec.containers[0].lifecycle.stopSignal',
      33,
      '{apiVersion: v1, kind: Pod, spec: {containers: [{lifecycle: {stopSignal: SIGUSR1}}]}}',
    ],
    ['spec.hostnameOverride', 34, '{apiVersion: v1, kind: Pod, spec: {hostnameOverride: a}}'],
    [
      'spec.containers[0].restartPolicyRules',
      34,
      '{apiVersion: v1, kind: Pod, spec: {containers: [{restartPolicyRules: []}]}}',
    ],
    [
      'spec.containers[0].env[0].valueFrom.fileKeyRef',
      34,
      '{apiVersion: v1, kind: Pod, spec: {containers: [{env: [{valueFrom: {fileKeyRef: {}}}]}]}}',
    ],
    [
      'spec.volumes[0].projected.sources[0].podCertificate',
      34,
      '{apiVersion: v1, kind: Pod, spec: {volumes: [{projected: {sources: [{podCertificate: {keyType: ED25519}}]}}]}}',
    ],
    ['status.declaredFeatures', 35, '{apiVersion: v1, kind: Node, status: {declaredFeatures: [a]}}'],
    ['status.nodeInfo.swap', 33, '{apiVersion: v1, kind: Node, status: {nodeInfo: {swap: {capacity: 1}}}}'],
    ['status.terminatingReplicas', 33, '{apiVersion: apps/v1, kind: Deployment, status: {terminatingReplicas: 1}}'],
    [
      'spec.preventPodSchedulingIfMissing',
      36,
      '{apiVersion: storage.k8s.io/v1, kind: CSIDriver, spec: {preventPodSchedulingIfMissing: true}}',
    ],
    [
      'spec.serviceAccountTokenInSecrets',
      35,
      '{apiVersion: storage.k8s.io/v1, kind: CSIDriver, spec: {serviceAccountTokenInSecrets: true}}',
    ],
    [
      'spec.devices.requests[0].firstAvailable',
      33,
      '{apiVersion: resource.k8s.io/v1beta1, kind: ResourceClaim, spec: {devices: {requests: [{name: a, deviceClassName: c, firstAvailable: []}]}}}',
    ],
    [
      'spec.devices.requests[0].capacity',
      34,
      '{apiVersion: resource.k8s.io/v1beta1, kind: ResourceClaim, spec: {devices: {requests: [{name: a, capacity: {}}]}}}',
    ],
    [
      'spec.devices[0].basic.taints',
      33,
      '{apiVersion: resource.k8s.io/v1beta1, kind: ResourceSlice, spec: {devices: [{name: a, basic: {taints: []}}]}}',
    ],
    ['status', 35, '{apiVersion: resource.k8s.io/v1alpha3, kind: DeviceTaintRule, status: {}}'],
  ])('are those that the version lacks: %s before 1.%i', (field, since, text) => {
    expect(inVersions(text)).toEqual(
      [31, 32, 33, 34, 35, 36].map((minor) => (minor < since ? [`unknown field "${field}"`] : [])),
    );
  });

  it('are those that the version no longer has', () => {
    const text =
      '{apiVersion: resource.k8s.io/v1alpha3, kind: DeviceTaintRule, spec: {deviceSelector: {deviceClassName: a}}}';
    expect(inVersions(text).map(({ length }) => length)).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it('are not looked for below a field that the version lacks, whose values may be of any type', () => {
    const text = '{apiVersion: v1, kind: Pod, spec: {resources: {limit: {}}, hostnameOverride: 1, a: 1}}';
    expect(inVersions(text).slice(0, 4)).toEqual([
      ['unknown field "spec.a"', 'unknown field "spec.hostnameOverride"', 'unknown field "spec.resources"'],
      ['unknown field "spec.a"', 'unknown field "spec.hostnameOverride"', 'unknown field "spec.resources.limit"'],
      ['unknown field "spec.a"', 'unknown field "spec.hostnameOverride"', 'unknown field "spec.resources.limit"'],
      // From here on it is a wrong type, which is reported alone.
      [],
    ]);
  });

  it('are unknown again, not duplicate, where they are there twice', () => {
    const text =
      '{"apiVersion":"v1","kind":"Pod","spec":{"hostnameOverride":"a","hostnameOverride":"b","b":1,"hostPID":true,"hostPID":true}}';
    expect(inVersions(text).slice(2, 4)).toEqual([
      ['unknown field "spec.hostnameOverride"', 'unknown field "spec.b"', 'duplicate field "spec.hostPID"'],
      ['duplicate field "spec.hostnameOverride"', 'unknown field "spec.b"', 'duplicate field "spec.hostPID"'],
    ]);
  });

  it('are none in an object that cannot be decoded: its first wrong type is reported instead', () => {
    expect(checked('{apiVersion: v1, kind: Pod, spec: {a: 1, priority: high}}', 'Strict')).toEqual([{ warnings: [] }]);
  });

  it('are not looked for in custom resources that are kept: another version of the extension may have them', () => {
    for (const type of [
      'apiVersion: karpenter.sh/v1, kind: NodePool',
      'apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet',
    ]) {
      const [check] = checked(`{${type}, metadata: {name: a}, spec: {of: tomorrow}}`, 'Strict');
      expect(check).toMatchObject({ warnings: [], unchecked: expect.stringContaining('are not known') });
      expect(check?.refusal).toBeUndefined();
    }
  });

  it('may be fields of a version that is newer than all known ones, which still refuses what is there twice', () => {
    const text = '{"apiVersion":"v1","kind":"Pod","spec":{"hostPID":true,"hostPID":true,"a":1,"unknown field":1}}';
    const doubt =
      'unknown field "spec.a", unknown field "spec.unknown field" in 1.36; whether Kubernetes v1.37.0 has them is not known';
    const message =
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: duplicate field "spec.hostPID"';
    expect(checked(text, 'Strict', 36, 'v1.37.0')).toEqual([
      { warnings: [], refusal: { status: 400, message }, doubt },
    ]);
    expect(checked(text, 'Warn', 36, 'v1.37.0')).toEqual([{ warnings: ['duplicate field "spec.hostPID"'], doubt }]);
    expect(checked(text, 'Ignore', 36, 'v1.37.0')).toEqual([{ warnings: [], doubt }]);
    // A version that is older than all known ones has no field that these lack.
    const [older] = checked(text, 'Strict', 31, 'v1.24.9');
    expect(older!.refusal!.message).toContain('unknown field "spec.a"');
    expect(older!.doubt).toBeUndefined();
  });

  it('cannot be found in kinds and versions whose fields are not known', () => {
    const text = [
      '{apiVersion: v1, kind: Secret, metadata: {nam: a}}',
      '{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {nam: a}}',
    ].join('\n---\n');
    expect(checked(text, 'Strict')).toEqual([
      { warnings: [], unchecked: 'the fields of Secret in v1 are not known, so none of them was checked' },
      {
        warnings: [],
        unchecked: 'only the fields of Deployment in apps/v1 are known, so none in extensions/v1beta1 was checked',
      },
    ]);
  });
});

describe('the findings of a changed object', () => {
  it('are its own, and what only the text of the former one told', () => {
    const read = readManifests(
      parseManifests('{"apiVersion":"v1","kind":"Pod","spec":{"hostPID":true,"hostPID":true,"foo":1}}').documents,
    );
    if ('faults' in read) throw new Error(JSON.stringify(read.faults));
    const [sent] = read.objects;
    const changed = { ...sent!, value: { apiVersion: 'v1', kind: 'Pod', spec: { hostPID: true, bar: 1 } } };
    const fields = findingsOfChanged(changed, sent!, findFields(sent!, read.documents.get(sent!)));
    expect(fields.faults).toEqual([
      { kind: 'unknown', text: 'unknown field "spec.bar"' },
      { kind: 'duplicate', text: 'duplicate field "spec.hostPID"' },
    ]);
  });
});

describe('fields that are there twice', () => {
  const YAML = `apiVersion: v1
kind: Pod
metadata:
  name: a
  name: b
spec:
  tolerations: []
  containers:
  - name: c
    image: x
    image:
      z
  tolerations: []
  foo: 1
`;

  it('are found in YAML by the line of the second value, before unknown fields', () => {
    expect(refusals(YAML)).toEqual([
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: yaml: unmarshal errors:\n  line 5: key "name" already set in map\n  line 12: key "image" already set in map\n  line 13: key "tolerations" already set in map, unknown field "spec.foo"',
    ]);
    expect(checked(YAML, 'Warn')).toEqual([
      {
        warnings: [
          'line 5: key "name" already set in map',
          'line 12: key "image" already set in map',
          'line 13: key "tolerations" already set in map',
          'unknown field "spec.foo"',
        ],
      },
    ]);
  });

  it('are those of each item of a List in YAML, and of kinds whose fields are not known', () => {
    const text = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: a}
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: b
    name: b
- apiVersion: v1
  kind: Pod
  spec: {hostPID: true, hostPID: true}
`;
    expect(refusals(text)).toEqual([
      undefined,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 11: key "name" already set in map',
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: yaml: unmarshal errors:\n  line 14: key "hostPID" already set in map',
    ]);
  });

  it('are keys that override those of a merge key, and count again for each alias', () => {
    const text = `apiVersion: v1
kind: Pod
metadata:
  labels: &labels {a: b, a: c, 1: x, 1: z}
  annotations:
    <<: *labels
    a: d
`;
    expect(checked(text, 'Warn')[0]?.warnings).toEqual([
      'line 4: key "a" already set in map',
      'line 4: key 1 already set in map',
      'line 4: key "a" already set in map',
      'line 4: key 1 already set in map',
      'line 7: key "a" already set in map',
    ]);
  });

  it('are found in JSON by their path, once each, in the order of the text', () => {
    const text =
      '{"apiVersion":"v1","kind":"Pod","kind":"Pod","metadata":{"labels":{"a":"b","a":"c","a":"d"}},"spec":{"hostPID":true,"foo":1,"foo":{"a":1,"a":2},"hostPID":true,"containers":[{"name":"a","name":"b"}]}}';
    expect(refusals(text)).toEqual([
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: duplicate field "kind", duplicate field "metadata.labels.a", unknown field "spec.foo", duplicate field "spec.hostPID", duplicate field "spec.containers[0].name"',
    ]);
    expect(checked(text, 'Ignore')).toEqual([{ warnings: [], merged: 'spec.foo' }]);
  });

  it('are named where the API server would merge both values', () => {
    const text = '{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a"}]},"spec":{"hostPID":true}}';
    expect(checked(text, 'Warn')).toEqual([{ warnings: ['duplicate field "spec"'], merged: 'spec' }]);
    expect(checked(text, 'Strict')).toEqual([expect.not.objectContaining({ merged: 'spec' })]);
  });
});
