import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod as storedPod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store, UNUSED_POLICIES } from '../support/small-cluster.js';

const PODS = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] };

const policy = (name: string, spec: object): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: { failurePolicy: 'Fail', matchConstraints: { resourceRules: [PODS] }, ...spec },
});

/** Applies in the namespace of its name. */
const binding = (name: string, of: string, validationActions: readonly string[], more: object = {}): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: {
    policyName: of,
    matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } },
    validationActions,
    ...more,
  },
});

const IMAGES = policy('pinned-images', {
  variables: [{ name: 'images', expression: 'object.spec.containers.map(c, c.image)' }],
  validations: [
    {
      expression: 'variables.images.all(image, !image.endsWith(":latest"))',
      messageExpression: '"not pinned: " + variables.images.join(", ")',
      reason: 'Forbidden',
    },
  ],
  auditAnnotations: [{ key: 'images', valueExpression: 'variables.images.join(",")' }],
});
const PROBES = policy('probes', {
  validations: [
    { expression: 'object.spec.containers.all(c, has(c.readinessProbe))', message: 'add a readinessProbe' },
  ],
});
const LIMITS = policy('limits', {
  paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
  validations: [{ expression: 'object.spec.containers.size() <= int(params.data.max)' }],
});
const OWNED = policy('owned', { validations: [{ expression: 'request.userInfo.username.startsWith("system:")' }] });

const NAMESPACES = ['strict', 'warned', 'probed', 'limited', 'owned', 'open'];

/** Every kind is there that admission looks up. */
const CLUSTER = [
  node('n1'),
  ...NAMESPACES.flatMap((name) => [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: name } },
  ]),
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'x' }, value: 1 },
  { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'r' }, handler: 'r' },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'l', namespace: 'o' },
    spec: { limits: [{ type: 'Pod', max: { cpu: '99' } }] },
  },
  { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'l', namespace: 'o' }, spec: { hard: { pods: '9' } } },
  ...UNUSED_POLICIES.filter((object) => !(object as { kind: string }).kind.startsWith('Validating')),
  { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'w' } },
  IMAGES,
  PROBES,
  LIMITS,
  OWNED,
  binding('strict', 'pinned-images', ['Deny']),
  binding('warned', 'pinned-images', ['Warn', 'Audit']),
  binding('probed', 'probes', ['Deny']),
  binding('limited', 'limits', ['Deny'], { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } }),
  binding('owned', 'owned', ['Deny']),
  storedPod('probed/old', 'n1'),
  storedPod('open/old', 'n1'),
];

const pod = (namespace: string, container: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', namespace },
  spec: { containers: [{ name: 'c', image: 'app:v1', ...container }] },
});
const deployment = (namespace: string, container: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [{ name: 'c', image: 'app:v1', ...container }] },
    },
  },
});
const LATEST = { image: 'app:latest' };
const PROBE = { readinessProbe: { exec: { command: ['true'] } } };

const DENIED = "ValidatingAdmissionPolicy 'pinned-images' with binding 'strict' denied request: not pinned: app:latest";
const FORBIDDEN = `pods "x" is forbidden: ${DENIED}`;
const unknownOf = (name: string, what: string): string =>
  `ValidatingAdmissionPolicy "${name}" depends on something that is not known or not evaluated: ${what}`;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'vap', CLUSTER);
});
afterAll(() => service.close());

const post = (path: string, body: object, cluster = 'vap'): Promise<Answer> =>
  service.request('POST', `/api/v1/clusters/${cluster}/${path}`, body);

describe('a pod that fails a ValidatingAdmissionPolicy', () => {
  it('is refused in its review, in the words of the API server', async () => {
    const answer = await post('admission-reviews', { pod: pod('strict', LATEST) });
    expect(answer.json).toMatchObject({
      outcome: 'refused',
      pod: null,
      refusal: {
        by: 'ValidatingAdmissionPolicy',
        status: 403,
        message: FORBIDDEN,
        causes: [{ reason: '', field: '', message: DENIED }],
      },
      admissionPolicies: { warnings: [], auditAnnotations: { 'pinned-images/images': 'app:latest' } },
      undecided: [],
    });
    const steps = answer.at('steps') as { by: string; outcome: string }[];
    expect(steps.slice(-3).map(({ by, outcome }) => [by, outcome])).toEqual([
      ['ValidatingAdmissionPolicy', 'refused'],
      ['ValidatingAdmissionWebhook', 'notReached'],
      ['ResourceQuota', 'notReached'],
    ]);
    expect(answer.at('notEvaluated')).not.toContainEqual(
      expect.objectContaining({ plugin: 'ValidatingAdmissionPolicy' }),
    );
  });

  it('gets 422 where the policy gives no reason, by a field that is not stored', async () => {
    const answer = await post('admission-reviews', { pod: pod('probed') });
    expect(answer.at('refusal')).toMatchObject({
      status: 422,
      message: `pods "x" is forbidden: ValidatingAdmissionPolicy 'probes' with binding 'probed' denied request: add a readinessProbe`,
    });
    expect((await post('admission-reviews', { pod: pod('probed', PROBE) })).at('outcome')).toBe('admitted');
  });

  it.each<[string, () => Promise<Answer>, number]>([
    ['placements', () => post('placements', { pod: pod('strict', LATEST) }), 422],
    [
      'placements of several',
      () => post('placements/batch', { items: [{ id: 'a', pod: pod('strict', LATEST) }] }),
      200,
    ],
    ['queue runs', () => post('queue-runs', { pods: [{ id: 'a', pod: pod('strict', LATEST) }] }), 200],
    ['findings', () => post('findings', { manifest: pod('strict', LATEST) }), 200],
    ['quota reviews', () => post('quota-reviews', { items: [{ id: 'a', pod: pod('strict', LATEST) }] }), 200],
  ])('is refused in %s', async (_, ask, status) => {
    const answer = await ask();
    expect([answer.status, answer.text]).toEqual([
      status,
      expect.stringContaining(JSON.stringify(FORBIDDEN).slice(1, -1)),
    ]);
  });

  it('is refused as the pod of a workload that is sent', async () => {
    const placed = await post('placements', { workload: deployment('probed') });
    expect([placed.status, placed.at('errors.0.code')]).toEqual([422, 'ValidatingAdmissionPolicy']);
    const fine = await post('placements', { workload: deployment('probed', PROBE), view: 'nodes' });
    expect([fine.status, fine.at('items.0.verdict')]).toEqual([200, 'feasible']);
  });

  it('is admitted with a warning and audit annotations where the binding does not deny', async () => {
    const answer = await post('admission-reviews', { pod: pod('warned', LATEST) });
    const failure = {
      message: 'not pinned: app:latest',
      policy: 'pinned-images',
      binding: 'warned',
      expressionIndex: 0,
      validationActions: ['Warn', 'Audit'],
    };
    expect(answer.json).toMatchObject({
      outcome: 'admitted',
      admissionPolicies: {
        warnings: [
          "Validation failed for ValidatingAdmissionPolicy 'pinned-images' with binding 'warned': not pinned: app:latest",
        ],
        auditAnnotations: {
          'pinned-images/images': 'app:latest',
          'validation.policy.admission.k8s.io/validation_failure': JSON.stringify([failure]),
        },
      },
    });
  });

  it('is not judged where the plugin is off', async () => {
    await store(service, 'off', CLUSTER);
    const declared = await service.request('PUT', '/api/v1/clusters/off/admission-configuration', {
      disablePlugins: ['ValidatingAdmissionPolicy'],
    });
    expect(declared.status).toBe(200);
    const answer = await post('admission-reviews', { pod: pod('strict', LATEST) }, 'off');
    expect(answer.json).toMatchObject({ outcome: 'admitted', admissionPolicies: null });
  });
});

describe('what policies depend on and is not known', () => {
  it.each([
    ['params, of which no snapshot has contained the kind', 'limited', 'limits', 'params of kind ConfigMap'],
    ['the user', 'owned', 'owned', 'request.userInfo'],
  ])('leaves the review and the placement unknown: %s', async (_, namespace, name, what) => {
    const why = unknownOf(name, what);
    const review = await post('admission-reviews', { pod: pod(namespace) });
    expect(review.json).toMatchObject({
      outcome: 'unknown',
      refusal: null,
      admissionPolicies: null,
      undecided: [{ plugin: 'ValidatingAdmissionPolicy', missingKind: null, why }],
    });
    const steps = review.at('steps') as { by: string }[];
    expect(steps.find(({ by }) => by === 'ValidatingAdmissionPolicy')).toMatchObject({ outcome: 'unknown', why });
    const placed = await post('placements', { pod: pod(namespace), view: 'nodes' });
    expect(placed.json).toMatchObject({
      items: [
        {
          verdict: 'unknown',
          reasons: [{ plugin: 'ValidatingAdmissionPolicy', code: 'AdmissionUnknown', message: why }],
        },
      ],
    });
  });

  it('leaves a stored pod unknown that a policy applies to, and no other', async () => {
    const review = (namespace: string): Promise<Answer> =>
      post('admission-reviews', { podRef: { namespace, name: 'old' } });
    expect((await review('probed')).json).toMatchObject({
      outcome: 'unknown',
      undecided: [
        {
          plugin: 'ValidatingAdmissionPolicy',
          missingKind: null,
          why: 'ValidatingAdmissionPolicy "probes" applies to the pod, and not all of its fields are stored',
        },
      ],
    });
    expect((await review('open')).at('undecided')).toEqual([]);
  });

  it('includes the policies themselves where their kinds were never loaded', async () => {
    const isPolicy = (object: object): boolean =>
      (object as { kind: string }).kind.startsWith('ValidatingAdmissionPolicy');
    const others = CLUSTER.filter((object) => !isPolicy(object));
    await store(service, 'none', others);
    expect((await post('admission-reviews', { pod: pod('strict', LATEST) }, 'none')).json).toMatchObject({
      outcome: 'unknown',
      undecided: [{ plugin: 'ValidatingAdmissionPolicy', missingKind: 'ValidatingAdmissionPolicy' }],
    });
    const placed = await post('placements', { pod: pod('strict', LATEST), view: 'nodes' }, 'none');
    expect(placed.at('items.0.verdict')).toBe('feasible');
    const kinds = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding', 'Node'].join(',');
    await store(service, 'none', [node('n1')], `&kinds=${kinds}`);
    expect((await post('admission-reviews', { pod: pod('strict', LATEST) }, 'none')).at('outcome')).toBe('admitted');
  });
});

describe('MutatingAdmissionPolicies', () => {
  const mutating = (kind: string, spec: object): object => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'm' },
    spec,
  });
  const bound = (expression: string): readonly object[] => [
    mutating('MutatingAdmissionPolicy', {
      matchConstraints: { resourceRules: [PODS] },
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
    }),
    mutating('MutatingAdmissionPolicyBinding', {
      policyName: 'm',
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'strict' } } },
    }),
  ];
  const PIN = bound(
    `Object{spec: Object.spec{containers: object.spec.containers.map(c,
      Object.spec.containers{name: c.name, image: c.image.replace(":latest", ":v2")})}}`,
  );

  it('change a pod, in its review and in placements, before it is judged', async () => {
    await store(service, 'mutating', [...CLUSTER, ...PIN]);
    const answer = await post('admission-reviews', { pod: pod('strict', LATEST) }, 'mutating');
    expect(answer.json).toMatchObject({
      outcome: 'admitted',
      pod: { spec: { containers: [{ image: 'app:v2' }] } },
      undecided: [],
      notEvaluated: [],
    });
    const steps = answer.at('steps') as { by: string; patch: object[] }[];
    expect(steps.find(({ by }) => by === 'MutatingAdmissionPolicy')?.patch).toContainEqual({
      op: 'replace',
      path: '/spec/containers/0/image',
      value: 'app:v2',
      why: 'a MutatingAdmissionPolicy of the cluster, or a default for what it sets',
    });
    const placed = await post('placements', { pod: pod('strict', LATEST), view: 'nodes' }, 'mutating');
    expect([placed.status, placed.at('items.0.verdict')]).toEqual([200, 'feasible']);
    expect((await post('placements', { workload: deployment('strict', LATEST) }, 'mutating')).status).toBe(200);
  });

  it('leave the answer unknown by their names where it depends on what is not known', async () => {
    const expression = 'Object{metadata: Object.metadata{labels: {"by": request.userInfo.username}}}';
    await store(service, 'by-user', [...CLUSTER, ...bound(expression)]);
    const why = 'MutatingAdmissionPolicy "m" depends on something that is not known or not evaluated: request.userInfo';
    const answer = await post('admission-reviews', { pod: pod('strict') }, 'by-user');
    expect(answer.json).toMatchObject({
      outcome: 'unknown',
      undecided: [{ plugin: 'MutatingAdmissionPolicy', missingKind: null, why }],
    });
    expect((await post('admission-reviews', { pod: pod('open') }, 'by-user')).at('outcome')).toBe('admitted');
    const placed = await post('placements', { pod: pod('strict'), view: 'nodes' }, 'by-user');
    expect(placed.at('items.0')).toMatchObject({
      verdict: 'unknown',
      reasons: [{ plugin: 'MutatingAdmissionPolicy', message: why }],
    });
  });
});
