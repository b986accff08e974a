import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../../cluster/cluster-state.js';
import type { JsonObject } from '../../../json/json-value.js';
import { decodeObject } from '../../../kubernetes/decode.js';
import { KINDS, type KeptKind } from '../../../kubernetes/kinds.js';
import type { ConfigMap } from '../../../kubernetes/objects/config-map.js';
import type { KubernetesObject } from '../../../kubernetes/objects/meta.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import type { WholePod } from '../../../kubernetes/objects/whole-pod.js';
import { admitPod, type Admission, type NewPod } from '../../admission-chain.js';
import { admissionIn } from '../../admission-in.js';

const ALL = KINDS.map(({ kind }) => kind);
const API = 'admissionregistration.k8s.io/v1';
const PODS = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

function decoded(object: JsonObject): KubernetesObject {
  const result = decodeObject(object);
  if (result.outcome !== 'object') throw new Error(JSON.stringify(result));
  expect(result.unknownFields).toEqual([]);
  return result.object;
}

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

/** A policy and its binding. */
const policy = (
  mutations: readonly object[],
  { name = 'm', binding = {}, ...more }: { name?: string; binding?: object } & Record<string, unknown> = {},
): readonly KubernetesObject[] =>
  [
    {
      apiVersion: API,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        matchConstraints: { resourceRules: [PODS] },
        mutations,
        ...more,
      },
    },
    {
      apiVersion: API,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, ...binding },
    },
  ].map((object) => decoded(object as JsonObject));

const namespace = (labels: object = {}): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels } }) as KubernetesObject;

const pod = (spec: object = {}, metadata: object = {}): WholePod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'team', labels: { app: 'web' }, ...metadata },
    spec: { containers: [{ name: 'c', image: 'app:v1' }], ...spec },
  }) as unknown as WholePod;

const admitted = (
  objects: readonly KubernetesObject[],
  sent: WholePod = pod(),
  more: Partial<NewPod> = {},
  { loaded = ALL, params = [] }: { loaded?: readonly KeptKind[]; params?: readonly ConfigMap[] } = {},
): Admission =>
  admitPod(
    { operation: 'create', pod: sent, ...more },
    admissionIn(ClusterState.build([namespace(), ...objects], loaded), 'team', { params }),
  );

function made(admission: Admission): Pod & WholePod {
  if (admission.outcome === 'refused') throw new Error(admission.refusal.message);
  expect(admission.undecided).toEqual([]);
  expect(admission.certain).toBe(true);
  return admission.pod as Pod & WholePod;
}

const LABEL = apply('Object{metadata: Object.metadata{labels: {"team": object.metadata.namespace}}}');

describe('apply configurations', () => {
  it('are merged into the pod, before it is validated and judged', () => {
    const admission = admitted(policy([LABEL]));
    expect(made(admission).metadata.labels).toEqual({ app: 'web', team: 'team' });
    const steps = admission.steps.map(({ by }) => by);
    expect(steps.indexOf('MutatingAdmissionPolicy')).toBeGreaterThan(steps.indexOf('RuntimeClass'));
    expect(steps.indexOf('MutatingAdmissionPolicy')).toBeLessThan(steps.indexOf('validation'));
    expect(admission.steps.find(({ by }) => by === 'MutatingAdmissionPolicy')?.patch).toEqual([
      { op: 'add', path: '/metadata/labels/team', value: 'team', why: expect.any(String) },
    ]);
  });

  it('merge containers by name, their environment by name, and ports by number and protocol', () => {
    const sent = pod({
      containers: [
        {
          name: 'a',
          image: 'a:v1',
          env: [
            { name: 'X', value: '1' },
            { name: 'Y', value: '2' },
          ],
          ports: [{ containerPort: 80 }],
        },
        { name: 'b', image: 'b:v1' },
      ],
    });
    const expression = `Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{
      name: c.name,
      env: [Object.spec.containers.env{name: "Y", value: "9"}, Object.spec.containers.env{name: "Z", value: "3"}],
      ports: [Object.spec.containers.ports{containerPort: 80, protocol: "TCP", name: "http"}],
      resources: Object.spec.containers.resources{requests: {"cpu": "100m"}}
    })}}`;
    const { containers } = made(admitted(policy([apply(expression)]), sent)).spec;
    expect(containers.map(({ name, image }) => [name, image])).toEqual([
      ['a', 'a:v1'],
      ['b', 'b:v1'],
    ]);
    const [a] = containers as unknown as { env: object[]; ports: object[]; resources: object }[];
    expect(a!.env).toEqual([
      { name: 'X', value: '1' },
      { name: 'Y', value: '9' },
      { name: 'Z', value: '3' },
    ]);
    expect(a!.ports).toMatchObject([{ containerPort: 80, protocol: 'TCP', name: 'http' }]);
    expect(a!.resources).toEqual({ requests: { cpu: '100m' } });
  });

  it('add a sidecar, after those that are there', () => {
    const sidecar = apply(
      'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "mesh", image: "mesh:1", restartPolicy: "Always"}]}}',
    );
    const sent = pod({ initContainers: [{ name: 'first', image: 'i:v1' }] });
    const { initContainers = [] } = made(admitted(policy([sidecar]), sent)).spec;
    expect(initContainers.map(({ name }) => name)).toEqual(['first', 'mesh']);
    expect(initContainers[1]).toMatchObject({ imagePullPolicy: 'IfNotPresent', restartPolicy: 'Always' });
  });

  it.each<[string, string, string]>([
    [
      'an atomic list',
      'Object{spec: Object.spec{tolerations: [Object.spec.tolerations{operator: "Exists"}]}}',
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.tolerations',
    ],
    [
      'an atomic map',
      'Object{spec: Object.spec{nodeSelector: {"disk": "ssd"}}}',
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.nodeSelector',
    ],
    [
      'a part named after another field',
      'Object{spec: Object.wrong{hostNetwork: true}}',
      'type mismatch: unexpected type name "Object.wrong", expected "Object.spec", which matches field name path from root Object type',
    ],
    [
      'a value that cannot be computed',
      'Object{metadata: Object.metadata{labels: {"x": object.metadata.labels.nope}}}',
      `expression 'Object{metadata: Object.metadata{labels: {"x": object.metadata.labels.nope}}}' resulted in error: no such key: nope`,
    ],
  ])('refuse the pod with the failure policy Fail, and change nothing with Ignore: %s', (_, expression, message) => {
    const text = `policy 'm' with binding 'm' denied request: ${message}`;
    expect(admitted(policy([apply(expression)]))).toMatchObject({
      outcome: 'refused',
      certain: true,
      refusal: { by: 'MutatingAdmissionPolicy', status: 403, message: text, causes: [{ message: text }] },
    });
    const ignored = policy([apply(expression)], { failurePolicy: 'Ignore' });
    expect(made(admitted(ignored))).toEqual(made(admitted([])));
  });

  it('make optional fields only if they are there', () => {
    const expression =
      'Object{metadata: Object.metadata{?annotations: has(object.metadata.annotations) ? optional.of({"a": "b"}) : optional.none(), labels: {"x": "y"}}}';
    expect(made(admitted(policy([apply(expression)]))).metadata.annotations).toBeUndefined();
    const annotated = pod({}, { annotations: { c: 'd' } });
    expect(made(admitted(policy([apply(expression)]), annotated)).metadata.annotations).toEqual({ a: 'b', c: 'd' });
  });
});

describe('JSON Patches', () => {
  it('change atomic parts too', () => {
    const toleration = 'Object.spec.tolerations{key: "gpu", operator: "Exists", effect: "NoSchedule"}';
    const expression = `[
      JSONPatch{op: "test", path: "/metadata/labels/app", value: "web"},
      JSONPatch{op: "add", path: "/spec/tolerations/-", value: ${toleration}},
      JSONPatch{op: "add", path: "/spec/nodeSelector", value: {"disk": "ssd"}},
      JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/a"), value: "1"},
      JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "mirror/" + object.spec.containers[0].image}
    ]`;
    const { metadata, spec } = made(admitted(policy([patch(expression)])));
    expect(spec.tolerations).toContainEqual({ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' });
    expect(spec.nodeSelector).toEqual({ disk: 'ssd' });
    expect(metadata.labels).toEqual({ app: 'web', 'example.com/a': '1' });
    expect(spec.containers[0]?.image).toBe('mirror/app:v1');
  });

  it('change nothing if a test fails', () => {
    const expression = `[JSONPatch{op: "add", path: "/metadata/labels/a", value: "b"}, JSONPatch{op: "test", path: "/metadata/name", value: "x"}]`;
    expect(made(admitted(policy([patch(expression)]))).metadata.labels).toEqual({ app: 'web' });
  });

  it.each<[string, string]>([
    [
      '[JSONPatch{op: "remove", path: "/metadata/labels/nope"}]',
      "JSON Patch: error in remove for path: '/metadata/labels/nope': Unable to remove nonexistent key: nope: missing value",
    ],
    [
      '[JSONPatch{op: "add", path: "/metadata/annotations/a", value: "b"}]',
      'JSON Patch: add operation does not apply: doc is missing path: "/metadata/annotations/a": missing value',
    ],
    ['[JSONPatch{op: "put", path: "/metadata/labels/a", value: "b"}]', 'JSON Patch: Unexpected kind: put'],
  ])('refuse the pod if they do not apply: %s', (expression, message) => {
    expect(admitted(policy([patch(expression)]))).toMatchObject({
      refusal: { status: 403, message: `policy 'm' with binding 'm' denied request: ${message}` },
    });
  });
});

describe('MutatingAdmissionPolicies', () => {
  it('apply where rules, selectors and match conditions fit', () => {
    const where = (more: object): object | undefined =>
      made(admitted([...policy([LABEL], more as never)])).metadata.labels;
    const changed = { app: 'web', team: 'team' };
    expect(where({ matchConditions: [{ name: 'c', expression: 'object.metadata.labels.app == "web"' }] })).toEqual(
      changed,
    );
    expect(where({ matchConditions: [{ name: 'c', expression: 'object.metadata.labels.app == "db"' }] })).toEqual({
      app: 'web',
    });
    expect(where({ matchConstraints: { resourceRules: [{ ...PODS, resources: ['services'] }] } })).toEqual({
      app: 'web',
    });
    expect(
      where({ matchConstraints: { resourceRules: [PODS], objectSelector: { matchLabels: { app: 'db' } } } }),
    ).toEqual({ app: 'web' });
    const elsewhere = {
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'x' } } },
    };
    expect(where({ binding: elsewhere })).toEqual({ app: 'web' });
  });

  it('compute variables, and take params', () => {
    const variables = [{ name: 'team', expression: 'params.data.team' }];
    const mutation = apply('Object{metadata: Object.metadata{labels: {"team": variables.team}}}');
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const bound = (action: string) =>
      policy([mutation], {
        variables,
        paramKind,
        binding: { paramRef: { name: 'p', parameterNotFoundAction: action } },
      });
    const params = [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'p', namespace: 'team' },
        data: { team: 'red' },
      } as ConfigMap,
    ];
    expect(made(admitted(bound('Deny'), pod(), {}, { params })).metadata.labels).toEqual({ app: 'web', team: 'red' });
    expect(made(admitted(bound('Allow'))).metadata.labels).toEqual({ app: 'web' });
    expect(admitted(bound('Deny'))).toMatchObject({
      refusal: {
        message:
          "policy 'm' with binding 'm' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
      },
    });
  });

  it('have the plugins asked again, and with IfNeeded the policies themselves', () => {
    const count =
      'Object{metadata: Object.metadata{annotations: {"n": string(int(object.metadata.?annotations[?"n"].orValue("0")) + 1)}}}';
    const times = (reinvocationPolicy: string) =>
      made(admitted(policy([apply(count)], { reinvocationPolicy }))).metadata.annotations?.['n'];
    expect([times('Never'), times('IfNeeded')]).toEqual(['1', '2']);
    const limits = {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'l', namespace: 'team' },
      spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '50m' } }] },
    } as KubernetesObject;
    const sidecar = apply('Object{spec: Object.spec{containers: [Object.spec.containers{name: "s", image: "s:v1"}]}}');
    const { containers } = made(admitted([limits, ...policy([sidecar])])).spec;
    expect(containers.map(({ resources }) => resources?.requests)).toEqual([{ cpu: '50m' }, { cpu: '50m' }]);
  });

  it('change the pod together if their order does not matter, and are not certain if it does', () => {
    const label = (name: string, key: string) =>
      policy([apply(`Object{metadata: Object.metadata{labels: {"${key}": "${name}"}}}`)], { name });
    expect(made(admitted([...label('a', 'x'), ...label('b', 'y')])).metadata.labels).toEqual({
      app: 'web',
      x: 'a',
      y: 'b',
    });
    expect(admitted([...label('a', 'x'), ...label('b', 'x')])).toMatchObject({
      outcome: 'admitted',
      certain: false,
      undecided: [
        {
          plugin: 'MutatingAdmissionPolicy',
          missingKind: null,
          why: 'the order in which the MutatingAdmissionPolicies "a", "b" change the pod is random, and matters',
        },
      ],
    });
  });

  it('are not certain where they depend on what is not known', () => {
    const why = (expression: string, more: Partial<NewPod> = {}): string | undefined => {
      const admission = admitted(policy([apply(expression)]), pod(), more);
      expect(admission.certain).toBe(false);
      return admission.undecided[0]?.why;
    };
    const start = 'MutatingAdmissionPolicy "m" depends on something that is not known or not evaluated: ';
    const user = 'Object{metadata: Object.metadata{labels: {"by": request.userInfo.username}}}';
    expect(why(user)).toBe(`${start}request.userInfo`);
    expect(why('Object{spec: Object.spec{nope: 1}}')).toBe(`${start}a mutation to something that is no pod`);
    expect(why(LABEL.applyConfiguration.expression, { known: 'kept' })).toBe(
      'MutatingAdmissionPolicy "m" may apply to the pod, and not all of its fields are stored',
    );
  });

  it('are not certain where they were never loaded', () => {
    const loaded = ALL.filter((kind) => !kind.startsWith('MutatingAdmissionPolicy'));
    expect(admitted([], pod(), {}, { loaded })).toMatchObject({
      certain: false,
      undecided: [{ plugin: 'MutatingAdmissionPolicy', missingKind: 'MutatingAdmissionPolicy' }],
    });
  });

  it('let a pod pass that is refused without them, and the other way round', () => {
    const restricted = namespace({ 'pod-security.kubernetes.io/enforce': 'baseline' });
    const host = pod({ hostNetwork: true });
    const off = patch('[JSONPatch{op: "remove", path: "/spec/hostNetwork"}]');
    const on = apply('Object{spec: Object.spec{hostNetwork: true}}');
    expect(admitted([restricted], host).outcome).toBe('refused');
    expect(made(admitted([restricted, ...policy([off])], host)).spec.hostNetwork).toBeUndefined();
    expect(admitted([restricted, ...policy([on])])).toMatchObject({
      outcome: 'refused',
      refusal: { by: 'PodSecurity' },
    });
  });

  it('change a pod to place, of which the kept fields are admitted, by all of its fields', () => {
    const mutation = patch(
      `object.spec.containers.exists(c, has(c.readinessProbe)) ?
        [JSONPatch{op: "add", path: "/spec/nodeSelector", value: {"disk": "ssd"}}] : [JSONPatch{op: "test", path: "/kind", value: "x"}]`,
    );
    const container = { name: 'c', image: 'app:v1' };
    const probed = pod({ containers: [{ ...container, readinessProbe: { exec: { command: ['true'] } } }] });
    const kept = pod() as unknown as Pod;
    const placed = (whole: WholePod) => made(admitted(policy([mutation]), kept as never, { known: 'kept', whole }));
    expect(placed(probed).spec.nodeSelector).toEqual({ disk: 'ssd' });
    expect(placed(pod()).spec.nodeSelector).toBeUndefined();
    const restricted = namespace({ 'pod-security.kubernetes.io/enforce': 'baseline' });
    const on = apply('Object{spec: Object.spec{hostNetwork: true}}');
    expect(admitted([restricted, ...policy([on])], kept as never, { known: 'kept', whole: pod() })).toMatchObject({
      refusal: { by: 'PodSecurity' },
    });
  });
});
