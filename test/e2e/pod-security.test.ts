import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod as storedPod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store, UNUSED_POLICIES } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/sec';

const namespace = (name: string, labels: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name,
    labels: Object.fromEntries(
      Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
    ),
  },
});
const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const deployment = (of: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: of },
  spec: { replicas: 1, selector: { matchLabels: { app: 'x' } }, template },
});

interface Secured {
  readonly spec: object;
}

/** As the API server gives every pod. */
const withContext = (given: object): object => ({
  ...given,
  spec: { ...(given as Secured).spec, securityContext: {} },
});

const withTemplateContext = (given: object): object => {
  const { metadata, spec } = given as { metadata: object; spec: { template: object } };
  return { ...given, metadata: { ...metadata, name: 'api' }, spec: { ...spec, template: withContext(spec.template) } };
};

/** Every kind is there that admission looks up. */
const CLUSTER = [
  node('n1'),
  ...UNUSED_POLICIES,
  namespace('sec', { enforce: 'restricted' }),
  namespace('base', { enforce: 'baseline', warn: 'restricted', 'warn-version': 'v1.25' }),
  namespace('open'),
  ...['sec', 'base', 'open'].map((of) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: of },
  })),
  deployment('sec'),
  deployment('open'),
  storedPod('sec/old', 'n1'),
  withContext(storedPod('sec/bare', 'n1')),
  withContext(storedPod('base/bare', 'n1')),
  ...(['sec', 'base'] as const).map((of) => withTemplateContext(deployment(of))),
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'sec' } },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'x' }, value: 1 },
  { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'r' }, handler: 'r' },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'l', namespace: 'o' },
    spec: { limits: [{ type: 'Pod', max: { cpu: '99' } }] },
  },
  { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'l', namespace: 'o' }, spec: { hard: { pods: '9' } } },
];

const pod = (of: string, spec: object, context: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', namespace: of },
  spec: { containers: [{ name: 'c', image: 'i', securityContext: context }], ...spec },
});
const PRIVILEGED = pod('sec', { hostNetwork: true }, { privileged: true });
const REASON = [
  'violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true)',
  'privileged (container "c" must not set securityContext.privileged=true)',
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
  'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])',
  'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
].join(', ');
const FORBIDDEN = `pods "x" is forbidden: ${REASON}`;
const SAFE = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'sec', CLUSTER);
});
afterAll(() => service.close());

const post = (path: string, body: object, at = AT): Promise<Answer> => service.request('POST', `${at}/${path}`, body);

describe('a pod that violates the pod security standard of its namespace', () => {
  it('is refused in its review, in the words of the API server', async () => {
    const answer = await post('admission-reviews', { pod: PRIVILEGED });
    expect(answer.json).toMatchObject({
      outcome: 'refused',
      pod: null,
      refusal: { by: 'PodSecurity', status: 403, message: FORBIDDEN, causes: [] },
      podSecurity: {
        warnings: [],
        auditAnnotations: { 'pod-security.kubernetes.io/enforce-policy': 'restricted:latest' },
      },
      undecided: [],
    });
    expect(answer.at('notEvaluated')).not.toContainEqual(expect.objectContaining({ plugin: 'PodSecurity' }));
  });

  it('is refused whatever a validating webhook would say; a mutating one may change the pod before', async () => {
    const webhooks = (kind: string, name: string): object => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name },
      webhooks: [
        { name, rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }] },
      ],
    });
    const others = CLUSTER.filter((object) => (object as { kind: string }).kind !== 'ServiceAccount');
    const checker = webhooks('ValidatingWebhookConfiguration', 'v.kyverno.svc');
    await store(service, 'trial', [...others, checker]);
    const refused = await post('admission-reviews', { pod: PRIVILEGED }, '/api/v1/clusters/trial');
    expect(refused.json).toMatchObject({
      outcome: 'refused',
      refusal: { by: 'PodSecurity', message: FORBIDDEN },
      undecided: [{ plugin: 'ServiceAccount' }],
      webhooks: [],
    });
    await store(service, 'trial', [...others, checker, webhooks('MutatingWebhookConfiguration', 'm.istio')]);
    const changed = await post('admission-reviews', { pod: PRIVILEGED }, '/api/v1/clusters/trial');
    expect(changed.json).toMatchObject({
      outcome: 'unknown',
      refusal: { by: 'PodSecurity', message: FORBIDDEN },
      undecided: [{ plugin: 'ServiceAccount' }, { plugin: 'MutatingAdmissionWebhook', missingKind: null }],
      webhooks: [{ name: 'm.istio' }],
    });
  });

  it.each<[string, () => Promise<Answer>, number, string]>([
    ['placements', () => post('placements', { pod: PRIVILEGED }), 422, ''],
    ['placements of several', () => post('placements/batch', { items: [{ id: 'a', pod: PRIVILEGED }] }), 200, ''],
    ['preemptions', () => post('preemptions', { pod: PRIVILEGED }), 422, ''],
    ['capacities', () => post('capacities', { pod: PRIVILEGED }), 422, ''],
    ['queue runs', () => post('queue-runs', { pods: [{ id: 'a', pod: PRIVILEGED }] }), 200, ''],
    ['resources', () => post('pod-resources', { pod: PRIVILEGED }), 422, ''],
    [
      'findings',
      () => post('findings', { manifest: PRIVILEGED }),
      200,
      'The admission plugin PodSecurity rejects it: ',
    ],
    ['quota reviews', () => post('quota-reviews', { items: [{ id: 'a', pod: PRIVILEGED }] }), 200, ''],
    [
      'scenarios',
      () =>
        post('placements', {
          pod: pod('open', {}),
          scenario: { changes: [{ addPods: { pod: PRIVILEGED, count: 1 } }] },
        }),
      422,
      '',
    ],
  ])('is refused in %s', async (_, ask, status, before) => {
    const answer = await ask();
    expect([answer.status, answer.text]).toEqual([
      status,
      expect.stringContaining(JSON.stringify(before + FORBIDDEN).slice(1, -1)),
    ]);
  });

  it('is refused as the pod of a workload that is sent, by fields that are not stored', async () => {
    const placed = await post('placements', { workload: deployment('sec') });
    expect([placed.status, placed.at('errors.0.code')]).toEqual([422, 'PodSecurity']);
    const reviewed = await post('admission-reviews', { workload: deployment('sec') });
    expect(reviewed.json).toMatchObject({ outcome: 'refused', refusal: { by: 'PodSecurity', status: 403 } });
  });

  it('is placed all the same where admission is skipped', async () => {
    const answer = await post('placements', { pod: PRIVILEGED, admission: 'skip', view: 'nodes' });
    expect([answer.status, answer.at('items.0.verdict')]).toEqual([200, 'feasible']);
  });
});

describe('a pod that meets the pod security standard of its namespace', () => {
  it('is admitted and placed', async () => {
    const safe = pod('sec', {}, SAFE);
    expect((await post('admission-reviews', { pod: safe })).json).toMatchObject({ outcome: 'admitted', refusal: null });
    const placed = await post('placements', { pod: safe, view: 'nodes' });
    expect([placed.status, placed.at('items.0.verdict')]).toEqual([200, 'feasible']);
  });

  it('is admitted with the warning of another standard', async () => {
    const answer = await post('admission-reviews', { pod: pod('base', {}, { ...SAFE, runAsNonRoot: false }) });
    expect(answer.json).toMatchObject({
      outcome: 'admitted',
      podSecurity: {
        warnings: [
          'would violate PodSecurity "restricted:v1.25": runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
        ],
        auditAnnotations: { 'pod-security.kubernetes.io/enforce-policy': 'baseline:latest' },
      },
    });
  });

  it('may get an image by an update, and no other where it violates the standard', async () => {
    const update = (image: string): Promise<Answer> => {
      const stored = pod('sec', {}, {}) as { spec: { containers: object[] } };
      const changed = { ...stored, spec: { containers: [{ ...stored.spec.containers[0], image }] } };
      return post('admission-reviews', { pod: changed, stored, operation: 'update' });
    };
    expect((await update('i')).json).toMatchObject({ outcome: 'admitted' });
    expect((await update('j')).json).toMatchObject({ outcome: 'refused', refusal: { by: 'PodSecurity', status: 403 } });
  });
});

describe('what is not known of a pod', () => {
  const NOT_STORED =
    'the namespace enforces the pod security standard "restricted:latest", and fields of the pod that it restricts are not stored';

  it.each([
    ['pod', { podRef: { namespace: 'sec', name: 'old' } }],
    ['workload', { workloadRef: { kind: 'Deployment', namespace: 'sec', name: 'web' } }],
  ])('leaves the review of a stored %s unknown', async (_, subject) => {
    const answer = await post('admission-reviews', subject);
    expect(answer.json).toMatchObject({
      outcome: 'unknown',
      podSecurity: null,
      undecided: [{ plugin: 'PodSecurity', missingKind: null, why: NOT_STORED }],
    });
  });

  it('leaves the placement of a stored workload unknown, unless its namespace restricts nothing', async () => {
    const of = (name: string): object => ({
      workloadRef: { kind: 'Deployment', namespace: name, name: 'web' },
      view: 'nodes',
    });
    const unknown = await post('placements', of('sec'));
    expect(unknown.json).toMatchObject({
      items: [
        {
          verdict: 'unknown',
          reasons: [{ plugin: 'PodSecurity', code: 'AdmissionUnknown', status: 'Unknown', message: NOT_STORED }],
        },
      ],
    });
    expect((await post('placements', of('open'))).at('items.0.verdict')).toBe('feasible');
    const scaled = await post('quota-reviews', {
      items: [{ id: 'a', workloadRef: { kind: 'Deployment', namespace: 'sec', name: 'web' }, replicas: 5 }],
    });
    expect(scaled.at('items.0.review')).toMatchObject({
      outcome: 'unknown',
      undecided: [{ plugin: 'PodSecurity', missingKind: null, why: NOT_STORED }],
    });
  });

  it('leaves the review unknown where no namespace was ever loaded, and names the reason', async () => {
    await store(service, 'bare', [node('n1')]);
    const answer = await post('admission-reviews', { pod: PRIVILEGED }, '/api/v1/clusters/bare');
    expect(answer.json).toMatchObject({ outcome: 'unknown', refusal: null });
    expect(answer.at('undecided')).toContainEqual({
      plugin: 'PodSecurity',
      missingKind: 'Namespace',
      why: 'Namespace was never loaded: which pod security standard the namespace enforces is not known',
    });
  });

  it('is said of pods that a scenario admits again', async () => {
    const answer = await post('placements', {
      pod: pod('open', {}),
      scenario: { changes: [{ readmitPods: { namespace: 'sec' } }] },
    });
    expect([answer.status, answer.text]).toEqual([
      200,
      expect.stringContaining('whether PodSecurity admits pods again is not known (1 of them)'),
    ]);
  });
});

describe('a stored pod of which the fields are stored that the standards restrict', () => {
  it.each([
    ['pod', { podRef: { namespace: 'sec', name: 'bare' } }],
    ['workload', { workloadRef: { kind: 'Deployment', namespace: 'sec', name: 'api' } }],
  ])('is refused: a %s', async (_, subject) => {
    const answer = await post('admission-reviews', subject);
    expect(answer.json).toMatchObject({
      outcome: 'refused',
      refusal: { by: 'PodSecurity', status: 403, message: expect.stringContaining(NOT_SET) as unknown },
      undecided: [],
    });
  });

  it('is admitted by a standard that it meets, with the warnings of another', async () => {
    expect((await post('admission-reviews', { podRef: { namespace: 'base', name: 'bare' } })).json).toMatchObject({
      outcome: 'admitted',
      podSecurity: { warnings: [expect.stringContaining('would violate PodSecurity "restricted:v1.25"')] },
      undecided: [],
    });
  });

  it('is placed, and reviewed by quotas, as admission decides', async () => {
    const of = (name: string): object => ({ kind: 'Deployment', namespace: name, name: 'api' });
    const placed = await post('placements', { workloadRef: of('base'), view: 'nodes' });
    expect(placed.at('items.0.verdict')).toBe('feasible');
    const refused = await post('placements', { workloadRef: of('sec'), view: 'nodes' });
    expect([refused.status, refused.at('errors.0.code')]).toEqual([422, 'PodSecurity']);
    const scaled = await post('quota-reviews', {
      items: [
        { id: 'a', workloadRef: of('base'), replicas: 5 },
        { id: 'b', workloadRef: of('sec'), replicas: 5 },
      ],
    });
    expect(scaled.at('items.0.review.outcome')).toBe('admitted');
    expect(scaled.at('items.1.review')).toMatchObject({ outcome: 'refused' });
  });

  it('is refused again in a scenario that makes its namespace enforce a stricter standard', async () => {
    const enforce = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const answer = await post('scenario-impacts', {
      scenario: {
        changes: [{ editNamespace: { name: 'base', labels: enforce } }, { readmitPods: { namespace: 'base' } }],
      },
    });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(NOT_SET)]);
  });
});

const NOT_SET = 'must set securityContext.allowPrivilegeEscalation=false';

describe('the configuration of PodSecurity', () => {
  const declare = (configuration: object, cluster: string): Promise<Answer> =>
    service.request('PUT', `/api/v1/clusters/${cluster}/admission-configuration`, {
      document: {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AdmissionConfiguration',
        plugins: [
          {
            name: 'PodSecurity',
            configuration: {
              apiVersion: 'pod-security.admission.config.k8s.io/v1',
              kind: 'PodSecurityConfiguration',
              ...configuration,
            },
          },
        ],
      },
    });

  it('gives defaults to namespaces without labels, and exempts namespaces, runtime classes and users', async () => {
    await store(service, 'set', CLUSTER);
    const declared = await declare(
      {
        defaults: { enforce: 'baseline', 'enforce-version': 'v1.30' },
        exemptions: { namespaces: ['sec'], runtimeClasses: ['r'] },
      },
      'set',
    );
    const standard = { level: 'privileged', version: 'latest' };
    expect(declared.at('podSecurity')).toEqual({
      enforce: { level: 'baseline', version: 'v1.30' },
      audit: standard,
      warn: standard,
      exemptUsernames: [],
      exemptNamespaces: ['sec'],
      exemptRuntimeClasses: ['r'],
    });
    const at = '/api/v1/clusters/set';
    const review = (manifest: object): Promise<Answer> => post('admission-reviews', { pod: manifest }, at);
    const refused = await review(pod('open', { hostPID: true }));
    expect(refused.at('refusal.message')).toBe(
      'pods "x" is forbidden: violates PodSecurity "baseline:v1.30": host namespaces (hostPID=true)',
    );
    expect((await review(PRIVILEGED)).json).toMatchObject({
      outcome: 'admitted',
      podSecurity: { auditAnnotations: { 'pod-security.kubernetes.io/exempt': 'namespace' } },
    });
    expect((await review(pod('open', { hostPID: true, runtimeClassName: 'r' }))).json).toMatchObject({
      outcome: 'admitted',
      podSecurity: { auditAnnotations: { 'pod-security.kubernetes.io/exempt': 'runtimeClass' } },
    });
    await declare({ defaults: { enforce: 'baseline' }, exemptions: { usernames: ['admin'] } }, 'set');
    expect((await review(pod('open', { hostPID: true }))).json).toMatchObject({
      outcome: 'unknown',
      podSecurity: null,
      undecided: [{ plugin: 'PodSecurity', missingKind: null }],
    });
    expect((await review(pod('open', {}))).json).toMatchObject({ outcome: 'admitted' });
  });

  it('is refused with every error in it', async () => {
    const answer = await declare(
      {
        defaults: { enforce: 'none', 'warn-version': '1.30' },
        exemptions: { namespaces: ['a', 'A', 'a'], usernames: [''], extra: [] },
      },
      'sec',
    );
    const at = 'document.plugins[0].configuration';
    expect([answer.status, (answer.at('errors') as { field: string }[]).map(({ field }) => field)]).toEqual([
      400,
      [
        `${at}.defaults.enforce`,
        `${at}.defaults.warn-version`,
        `${at}.exemptions[extra]`,
        `${at}.exemptions.namespaces[1]`,
        `${at}.exemptions.namespaces[2]`,
        `${at}.exemptions.usernames[0]`,
      ],
    ]);
  });
});
