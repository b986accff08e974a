import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod as storedPod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store, UNUSED_POLICIES } from '../support/small-cluster.js';

const api = (cluster: string, path: string): string => `/api/v1/clusters/${cluster}/${path}`;

const named = (apiVersion: string, kind: string, name: string, more: object = {}, metadata: object = {}): object => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  ...more,
});
const inTeam = (kind: string, name: string, spec: object, status?: object): object =>
  named('v1', kind, name, { spec, ...(status && { status }) }, { namespace: 'team' });
const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';

const KATA = named('node.k8s.io/v1', 'RuntimeClass', 'kata', {
  handler: 'kata',
  overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
});
const LIMITS = inTeam('LimitRange', 'limits', {
  limits: [{ type: 'Container', max: { cpu: '2' }, defaultRequest: { cpu: '100m' } }],
});
const QUOTA = inTeam('ResourceQuota', 'q', { hard: { pods: '2' } }, { hard: { pods: '2' }, used: { pods: '1' } });
const WEBHOOK = named('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'injector', {
  webhooks: [
    {
      name: 'sidecar.example.com',
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      namespaceSelector: { matchLabels: { inject: 'yes' } },
      objectSelector: { matchLabels: { sidecar: 'yes' } },
    },
  ],
});

/** A cluster of which every kind is there that admission looks up. */
const WHOLE = [
  node('a'),
  ...UNUSED_POLICIES,
  named('v1', 'Namespace', 'team', {}, { labels: { inject: 'yes' } }),
  named('v1', 'Namespace', 'strict', {}, { annotations: { [WHITELIST]: '[{"key":"ok","operator":"Exists"}]' } }),
  named('v1', 'Namespace', 'broken', {}, { annotations: { [DEFAULTS]: 'no JSON' } }),
  named('v1', 'Namespace', 'going', { status: { phase: 'Terminating' } }),
  LIMITS,
  named('v1', 'ServiceAccount', 'builder', { imagePullSecrets: [{ name: 'regcred' }] }, { namespace: 'team' }),
  QUOTA,
  KATA,
  named('scheduling.k8s.io/v1', 'PriorityClass', 'high', { value: 1000 }),
  WEBHOOK,
  named('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'none', { webhooks: [] }),
  storedPod('team/old', 'a', {
    containers: [{ name: 'c', image: 'app:v1' }],
    tolerations: [{ key: 'x', operator: 'Exists' }],
  }),
];

const web = (spec: object = {}, namespace = 'team', metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace, ...metadata },
  spec: { containers: [{ name: 'c', image: 'app:v1' }], ...spec },
});

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'whole', WHOLE);
});
afterAll(() => service.close());

let clusters = 0;
async function clusterOf(objects: readonly object[] = WHOLE): Promise<string> {
  const cluster = `c${++clusters}`;
  await store(service, cluster, objects);
  return cluster;
}
const review = (pod: object, more: object = {}, cluster = 'whole'): Promise<Answer> =>
  service.request('POST', api(cluster, 'admission-reviews'), { pod, ...more });
const declare = (cluster: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('PUT', api(cluster, 'admission-configuration'), body, headers);
const withoutBasis = ({ json }: Answer): object =>
  Object.fromEntries(Object.entries(json as object).filter(([name]) => name !== 'basis'));
const stepsOf = (answer: Answer) =>
  answer.at('steps') as readonly { by: string; type: string; outcome: string; patch: readonly object[]; why: string }[];
const stepOf = (answer: Answer, by: string) => stepsOf(answer).find((step) => step.by === by);

describe('admission reviews', () => {
  it('return the stored pod, each step with its patch and reasons, and the charges', async () => {
    const answer = await review(web({ runtimeClassName: 'kata', priorityClassName: 'high' }));
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      outcome: 'admitted',
      refusal: null,
      pod: {
        spec: {
          overhead: { cpu: '250m', memory: '120Mi' },
          priority: 1000,
          containers: [{ resources: { requests: { cpu: '100m' } } }],
          tolerations: [
            { key: 'node.kubernetes.io/not-ready', tolerationSeconds: 300 },
            { key: 'node.kubernetes.io/unreachable', tolerationSeconds: 300 },
          ],
        },
        status: { phase: 'Pending', qosClass: 'Burstable' },
      },
      quotas: [{ name: 'q', usedBefore: { pods: '1' }, used: { pods: '2' }, charged: true }],
      webhooks: [],
      webhooksNotLoaded: [],
      undecided: [],
    });
    expect(stepsOf(answer).map(({ by, outcome }) => `${by} ${outcome}`)).toEqual([
      'defaults passed',
      'NamespaceLifecycle passed',
      'LimitRanger passed',
      'ServiceAccount passed',
      'TaintNodesByCondition notApplicable',
      'AlwaysPullImages disabled',
      'PodNodeSelector disabled',
      'Priority passed',
      'DefaultTolerationSeconds passed',
      'PodTolerationRestriction disabled',
      'ExtendedResourceToleration disabled',
      'RuntimeClass passed',
      'MutatingAdmissionPolicy passed',
      'MutatingAdmissionWebhook passed',
      'AlwaysDeny disabled',
      'preparation passed',
      'validation passed',
      'NamespaceExists disabled',
      'LimitPodHardAntiAffinityTopology disabled',
      'LimitRanger passed',
      'ServiceAccount passed',
      'AlwaysPullImages disabled',
      'PodSecurity passed',
      'PodNodeSelector disabled',
      'PodTolerationRestriction disabled',
      'RuntimeClass passed',
      'ValidatingAdmissionPolicy passed',
      'ValidatingAdmissionWebhook passed',
      'ResourceQuota passed',
    ]);
    expect(stepOf(answer, 'RuntimeClass')?.patch).toEqual([
      {
        op: 'add',
        path: '/spec/overhead',
        value: { cpu: '250m', memory: '120Mi' },
        why: 'the overhead of the RuntimeClass, which is added to the requests',
      },
    ]);
    expect(answer.at('notEvaluated')).toEqual([]);
  });

  it.each<[string, object, object]>([
    [
      'a limit above the LimitRange',
      web({ containers: [{ name: 'c', image: 'app:v1', resources: { limits: { cpu: '3' } } }] }),
      {
        by: 'LimitRanger',
        status: 403,
        message: 'pods "web" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
      },
    ],
    [
      'a runtime class that does not exist',
      web({ runtimeClassName: 'absent' }),
      {
        by: 'RuntimeClass',
        status: 403,
        message: 'pods "web" is forbidden: pod rejected: RuntimeClass "absent" not found',
      },
    ],
    [
      'a namespace that does not exist',
      web({}, 'absent'),
      { by: 'NamespaceLifecycle', status: 404, message: 'namespaces "absent" not found' },
    ],
    [
      'a namespace that is being deleted',
      web({}, 'going'),
      {
        by: 'NamespaceLifecycle',
        status: 403,
        causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }],
      },
    ],
    [
      'several wrong fields',
      web({ tolerations: [{ operator: 'Equal' }], restartPolicy: 'Sometimes' }),
      {
        by: 'validation',
        status: 422,
        causes: [
          { reason: 'FieldValueNotSupported', field: 'spec.restartPolicy' },
          { reason: 'FieldValueInvalid', field: 'spec.tolerations[0].operator' },
        ],
      },
    ],
    [
      'a field of a wrong type',
      web({ priority: 'high' }),
      {
        by: 'decoding',
        status: 400,
        message:
          'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32',
      },
    ],
  ])("refuse %s with the API server's exact message", async (_, pod, refusal) => {
    const answer = await review(pod);
    expect([answer.status, answer.at('outcome'), answer.at('pod')]).toEqual([200, 'refused', null]);
    expect(answer.at('refusal')).toMatchObject(refusal);
  });

  it('review the pod that the controller of a workload would create', async () => {
    const template = { spec: { containers: [{ name: 'c', image: 'app:v1' }] } };
    const daemonSet = named('apps/v1', 'DaemonSet', 'agent', { spec: { template } }, { namespace: 'team' });
    const answer = await service.request('POST', api('whole', 'admission-reviews'), { workload: daemonSet });
    expect(answer.json).toMatchObject({
      outcome: 'admitted',
      workload: { kind: 'DaemonSet', namespace: 'team', name: 'agent' },
      pod: { metadata: { name: 'agent-xxxxx', generateName: 'agent-' } },
    });
    expect(answer.text).toContain('node.kubernetes.io/disk-pressure');
  });

  it('review an update of a stored pod, without comparing fields that are not kept', async () => {
    const answer = await review(
      web(
        {
          nodeName: 'a',
          tolerations: [
            { key: 'x', operator: 'Exists' },
            { key: 'y', operator: 'Exists' },
          ],
        },
        'team',
        { name: 'old' },
      ),
      { operation: 'update' },
    );
    expect(answer.at('refusal')).toBeNull();
    expect(answer.json).toMatchObject({
      outcome: 'admitted',
      notes: [expect.stringContaining('Not every field of an object is stored')],
    });
    expect(stepOf(answer, 'LimitRanger')).toMatchObject({ outcome: 'notApplicable', why: 'does not handle updates' });
    const refused = await review(web({ nodeName: 'a' }, 'team', { name: 'old' }), { operation: 'update' });
    expect(refused.at('refusal.message')).toContain(
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    );
  });

  it('review an update of a pod in the request', async () => {
    const stored = web({ tolerations: [{ key: 'x', operator: 'Exists' }] });
    const answer = await review(web({ tolerations: [] }), { operation: 'update', stored });
    expect(answer.at('refusal')).toMatchObject({ by: 'validation', status: 422 });
  });

  it('name all errors of a request, over REST and GraphQL', async () => {
    const body = { pod: web(), podRef: { name: 'x' }, stored: web(), storedRef: { name: 'x' } };
    const answer = await service.request('POST', api('whole', 'admission-reviews'), body);
    expect(answer.status).toBe(400);
    expect((answer.at('errors') as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '/podRef',
      '/stored',
      '/storedRef',
      '/storedRef',
    ]);
  });

  it('add what the service account gives, and refuse a pod whose account does not exist', async () => {
    const answer = await review(web({ serviceAccountName: 'builder' }));
    const mount = { name: 'kube-api-access-xxxxx', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
    expect(answer.json).toMatchObject({
      outcome: 'admitted',
      pod: {
        spec: {
          serviceAccountName: 'builder',
          imagePullSecrets: [{ name: 'regcred' }],
          containers: [{ volumeMounts: [mount] }],
          volumes: [{ name: mount.name, projected: { defaultMode: 420 } }],
        },
      },
    });
    const message =
      'pods "web" is forbidden: error looking up service account team/absent: serviceaccount "absent" not found';
    const absent = web({ serviceAccountName: 'absent' });
    expect((await review(absent)).at('refusal')).toMatchObject({ by: 'ServiceAccount', status: 403, message });
    const placed = await service.request('POST', api('whole', 'placements'), { pod: absent });
    expect([placed.status, placed.at('code'), placed.at('detail')]).toEqual([422, 'admission-refused', message]);
  });

  it('are unknown by the name of a webhook that is called for the pod', async () => {
    const sent = web({}, 'team', { labels: { sidecar: 'yes' } });
    const answer = await review(sent);
    const why =
      'webhook "sidecar.example.com" of MutatingWebhookConfiguration "injector" is called and may change or refuse the pod';
    expect(answer.json).toMatchObject({
      outcome: 'unknown',
      refusal: null,
      undecided: [{ plugin: 'MutatingAdmissionWebhook', missingKind: null, why }],
      webhooks: [
        {
          type: 'mutating',
          configuration: 'injector',
          name: 'sidecar.example.com',
          failurePolicy: 'Fail',
          certain: true,
        },
      ],
      webhooksNotLoaded: [],
    });
    expect(stepOf(answer, 'MutatingAdmissionWebhook')).toMatchObject({ outcome: 'unknown', why });
    const placed = await service.request('POST', api('whole', 'placements'), { pod: sent, view: 'nodes' });
    expect(placed.at('items.0')).toMatchObject({
      verdict: 'unknown',
      reasons: [{ plugin: 'MutatingAdmissionWebhook', code: 'AdmissionUnknown', message: why }],
    });
  });

  it('skip plugins whose kinds no snapshot has contained, and name them', async () => {
    const cluster = await clusterOf([node('a')]);
    const answer = await review(web({ runtimeClassName: 'kata' }), {}, cluster);
    expect(answer.json).toMatchObject({ outcome: 'unknown', refusal: null });
    expect((answer.at('undecided') as { plugin: string }[]).map(({ plugin }) => plugin)).toEqual([
      'NamespaceLifecycle',
      'LimitRanger',
      'ServiceAccount',
      'PodSecurity',
      'Priority',
      'RuntimeClass',
      'ValidatingAdmissionPolicy',
      'ResourceQuota',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionWebhook',
    ]);
    expect(answer.at('webhooksNotLoaded')).toEqual(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
  });

  it('store and log no secrets', async () => {
    const env = [{ name: 'PASSWORD', value: 'correct horse battery' }];
    const answer = await review(web({ containers: [{ name: 'c', image: 'app:v1', env }] }));
    expect(answer.text).toContain('correct horse battery');
    expect(service.logLines()).not.toContain('correct horse battery');
    const rows = await service.request('GET', api('whole', 'snapshots'));
    expect(rows.text).not.toContain('correct horse battery');
  });

  it('return the same over GraphQL', async () => {
    const rest = await review(web({ runtimeClassName: 'kata' }));
    const answer = await service.graphql(
      `query ($pod: KubernetesObject!) { cluster(name: "whole") { admissionReview(input: { pod: $pod }) {
        operation outcome pod refusal { by status message causes { reason field message } }
        workload { kind namespace name }
        steps { by type outcome why patch { op path value why } } podSecurity { warnings auditAnnotations }
        admissionPolicies { warnings auditAnnotations }
        undecided { plugin missingKind why }
        notEvaluated { plugin effectOnPods } webhooks { type configuration name failurePolicy certain } webhooksNotLoaded
        quotas { name hard usedBefore used charged } unknownFields notes dryRuns { kind name outcome } } } }`,
      { pod: web({ runtimeClassName: 'kata' }) },
    );
    const want = withoutBasis(rest);
    expect(answer.at('data.cluster.admissionReview')).toEqual(want);
  });
});

describe('admission configurations', () => {
  it('have the defaults until they are declared, are versioned with the state, and carry over with snapshots', async () => {
    const cluster = await clusterOf();
    const before = await service.request('GET', api(cluster, 'admission-configuration'));
    expect(before.json).toMatchObject({
      declared: false,
      defaultUnreachableTolerationSeconds: 300,
      basis: { revision: 1 },
    });
    const declared = await declare(cluster, {
      enablePlugins: ['PodTolerationRestriction', 'PodNodeSelector'],
      disablePlugins: ['LimitRanger', 'PodSecurity'],
      defaultUnreachableTolerationSeconds: 60,
      podTolerationRestriction: { default: [{ key: 'team', operator: 'Exists' }] },
      podNodeSelector: { clusterDefaultNodeSelector: 'pool=general' },
    });
    expect(declared.json).toMatchObject({
      declared: true,
      changed: true,
      dryRun: false,
      basis: { revision: 2 },
      defaultNotReadyTolerationSeconds: 300,
      defaultUnreachableTolerationSeconds: 60,
      podNodeSelector: { clusterDefaultNodeSelector: 'pool=general' },
    });
    const answer = await review(web(), {}, cluster);
    expect(answer.json).toMatchObject({
      pod: {
        spec: {
          nodeSelector: { pool: 'general' },
          tolerations: [
            { key: 'node.kubernetes.io/not-ready', tolerationSeconds: 300 },
            { key: 'node.kubernetes.io/unreachable', tolerationSeconds: 60 },
            { key: 'team', operator: 'Exists' },
          ],
        },
      },
    });
    expect(stepOf(answer, 'LimitRanger')).toMatchObject({ outcome: 'disabled' });
    expect(stepOf(answer, 'PodSecurity')).toMatchObject({ outcome: 'disabled' });
    await store(service, cluster, WHOLE);
    const later = await service.request('GET', api(cluster, 'admission-configuration'));
    expect(later.json).toMatchObject({ declared: true, basis: { revision: 3 } });
    const first = await service.request('GET', `${api(cluster, 'admission-configuration')}?revision=1`);
    expect(first.json).toMatchObject({ declared: false });
  });

  it('make a new revision, which is listed, read, compared and announced to followers', async () => {
    const cluster = await clusterOf();
    await declare(cluster, { disablePlugins: ['LimitRanger'] });
    const listed = await service.request('GET', api(cluster, 'snapshots'));
    expect(listed.at('items.0')).toMatchObject({ revision: 2, kind: 'settings' });
    const read = await service.request('GET', api(cluster, 'snapshots/2'));
    expect(read.status).toBe(200);
    const compared = await service.request('GET', `${api(cluster, 'diff')}?from=1&to=2`);
    expect([compared.status, compared.at('nodes')]).toEqual([200, []]);
    const same = await declare(cluster, { disablePlugins: ['LimitRanger'] });
    expect(same.json).toMatchObject({ changed: false, basis: { revision: 2 } });
    const reset = await service.request('DELETE', api(cluster, 'admission-configuration'));
    expect(reset.json).toMatchObject({ declared: false, changed: true, basis: { revision: 3 } });
  });

  it('are stored neither by a dry run nor with an outdated If-Match', async () => {
    const cluster = await clusterOf();
    const dry = await declare(cluster, { plugins: ['Priority'], dryRun: true });
    expect(dry.json).toMatchObject({ declared: true, changed: true, dryRun: true, basis: { revision: 1 } });
    expect((dry.at('plugins') as { name: string; enabled: boolean }[]).filter(({ enabled }) => enabled)).toEqual([
      expect.objectContaining({ name: 'Priority' }),
    ]);
    const now = await service.request('GET', api(cluster, 'admission-configuration'));
    expect(now.json).toMatchObject({ declared: false, basis: { revision: 1 } });
    const late = await declare(cluster, { plugins: ['Priority'] }, { 'if-match': '"7"' });
    expect([late.status, late.at('code')]).toEqual([412, 'precondition-failed']);
    const inTime = await declare(cluster, { plugins: ['Priority'] }, { 'if-match': '"1"' });
    expect(inTime.json).toMatchObject({ basis: { revision: 2 } });
  });

  it('are refused with all their errors', async () => {
    const body = {
      enablePlugins: ['LimitRanger', 'NoSuchPlugin'],
      disablePlugins: ['LimitRanger'],
      defaultNotReadyTolerationSeconds: -1,
      podTolerationRestriction: { default: [{ operator: 'Equal' }], other: 1 },
      podNodeSelector: { clusterDefaultNodeSelector: 'a=b=c' },
      limitedResources: [{ matchScopes: [{ scopeName: 'PriorityClass', operator: 'Near' }] }],
    };
    const answer = await declare('whole', body);
    expect(answer.status).toBe(400);
    expect((answer.at('errors') as { pointer: string; message: string }[]).map((e) => [e.pointer, e.message])).toEqual([
      ['/enablePlugins/1', 'Invalid value: "NoSuchPlugin": enable-admission-plugins plugin is unknown'],
      [
        '/disablePlugins/0',
        'Invalid value: "LimitRanger": LimitRanger in enable-admission-plugins and disable-admission-plugins overlapped',
      ],
      ['/defaultNotReadyTolerationSeconds', 'Invalid value: -1: must be greater than or equal to 0'],
      ['/podTolerationRestriction/other', expect.stringContaining('Unsupported value: "other"')],
      [
        '/podTolerationRestriction/default/0/operator',
        expect.stringContaining('operator must be Exists when `key` is empty'),
      ],
      ['/podNodeSelector/clusterDefaultNodeSelector', 'Invalid value: "a=b=c": invalid selector: [a b c]'],
      ['/limitedResources/0/resource', 'Required value'],
      ['/limitedResources/0/matchScopes/0', expect.stringContaining('error on matching scope')],
    ]);
  });

  it("can be sent as kube-apiserver's own file", async () => {
    const document = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [
        {
          name: 'PodNodeSelector',
          configuration: { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'a=b' } },
        },
        {
          name: 'PodTolerationRestriction',
          configuration: {
            apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
            kind: 'Configuration',
            whitelist: [{ key: 'ok', operator: 'Exists' }],
          },
        },
        {
          name: 'ResourceQuota',
          configuration: {
            apiVersion: 'apiserver.config.k8s.io/v1',
            kind: 'ResourceQuotaConfiguration',
            limitedResources: [{ resource: 'pods', matchContains: ['gpu'] }],
          },
        },
      ],
    };
    const answer = await declare('whole', { document, dryRun: true });
    expect(answer.json).toMatchObject({
      podNodeSelector: { clusterDefaultNodeSelector: 'a=b' },
      podTolerationRestriction: { default: [], whitelist: [{ key: 'ok', operator: 'Exists' }] },
      limitedResources: [{ matchContains: ['gpu'], matchScopes: [] }],
    });
    const wrong = await declare('whole', {
      document: { apiVersion: 'v1', kind: 'Pod', plugins: [{ name: 'X' }, { name: 'LimitRanger', path: '/etc/x' }] },
      dryRun: true,
    });
    expect((wrong.at('errors') as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '/document/apiVersion',
      '/document/kind',
      '/document/plugins/0/name',
      '/document/plugins/1/path',
    ]);
  });

  it('can be declared and read over GraphQL', async () => {
    const cluster = await clusterOf();
    const declared = await service.graphql(
      `mutation ($input: AdmissionConfigurationInput!) { declareAdmissionConfiguration(input: $input) {
        basis { revision } declared changed dryRun defaultUnreachableTolerationSeconds } }`,
      { input: { cluster, defaultUnreachableTolerationSeconds: 5 } },
    );
    expect(declared.at('data.declareAdmissionConfiguration')).toEqual({
      basis: { revision: 2 },
      declared: true,
      changed: true,
      dryRun: false,
      defaultUnreachableTolerationSeconds: 5,
    });
    const fields = `declared harmlessWebhooks defaultNotReadyTolerationSeconds defaultUnreachableTolerationSeconds podNodeSelector
      plugins { name enabled enabledByDefault evaluated effectOnPods } limitedResources { matchContains }
      podTolerationRestriction { default { key } whitelist { key } }
      podSecurity { enforce { level version } audit { level version } warn { level version }
        exemptUsernames exemptNamespaces exemptRuntimeClasses }`;
    const read = await service.graphql(`{ cluster(name: "${cluster}") { admissionConfiguration { ${fields} } } }`);
    const rest = withoutBasis(await service.request('GET', api(cluster, 'admission-configuration')));
    expect(read.at('data.cluster.admissionConfiguration')).toEqual(rest);
    const bad = await service.graphql(
      `mutation ($input: AdmissionConfigurationInput!) { declareAdmissionConfiguration(input: $input) { declared } }`,
      { input: { cluster, plugins: ['Nope'] } },
    );
    expect(bad.at('errors.0.extensions.errors.0.pointer')).toBe('/input/plugins/0');
    const reset = await service.graphql(
      `mutation { resetAdmissionConfiguration(input: { cluster: "${cluster}", ifMatch: "\\"2\\"" }) { declared } }`,
    );
    expect(reset.at('data.resetAdmissionConfiguration')).toEqual({ declared: false });
  });

  it('require a cluster with a snapshot', async () => {
    await service.request('PUT', '/api/v1/clusters/empty', {});
    const answer = await declare('empty', { plugins: [] });
    expect([answer.status, answer.at('code')]).toEqual([404, 'no-snapshot']);
  });
});

describe('a manifest in any request', () => {
  const place = (pod: object, query = '', more: object = {}): Promise<Answer> =>
    service.request('POST', `${api('whole', 'placements')}${query}`, { pod, ...more });
  const addedBy = (answer: Answer): readonly string[] => [
    ...new Set((answer.at('added') as { by: string }[]).map(({ by }) => by)),
  ];

  it('passes admission before it is placed, and the response lists what admission added', async () => {
    const answer = await place(web({ runtimeClassName: 'kata' }));
    expect(answer.status).toBe(200);
    expect(addedBy(answer)).toEqual([
      'defaults',
      'LimitRanger',
      'ServiceAccount',
      'Priority',
      'DefaultTolerationSeconds',
      'RuntimeClass',
    ]);
    expect(answer.at('added')).toContainEqual(
      expect.objectContaining({
        by: 'DefaultTolerationSeconds',
        pointer: '/spec/tolerations',
        value: [
          { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
          { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        ],
      }),
    );
  });

  it.each<[string, object, string, string]>([
    ['a namespace that is not there', web({}, 'absent'), 'NamespaceLifecycle', 'namespaces "absent" not found'],
    [
      'a class that is not there',
      web({ priorityClassName: 'absent' }),
      'Priority',
      'pods "web" is forbidden: no PriorityClass with name absent was found',
    ],
    [
      'limits',
      web({ containers: [{ name: 'c', image: 'app:v1', resources: { limits: { cpu: '3' } } }] }),
      'LimitRanger',
      'pods "web" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
    ],
  ])('is refused for %s with the exact message, and placed if admission is skipped', async (_, pod, plugin, detail) => {
    const refused = await place(pod);
    expect([refused.status, refused.at('code'), refused.at('detail')]).toEqual([422, 'admission-refused', detail]);
    expect(refused.at('errors.0.code')).toBe(plugin);
    expect(refused.at('errors.1.message')).toContain('admission=skip');
    for (const answer of [await place(pod, '?admission=skip'), await place(pod, '', { admission: 'skip' })]) {
      expect([answer.status, addedBy(answer)]).toEqual([200, ['defaults']]);
    }
    const graphql = await service.graphql(
      `query ($pod: KubernetesObject!, $admission: AdmissionMode) {
        placement(cluster: "whole", input: { pod: $pod, admission: $admission }) { added { by } } }`,
      { pod, admission: 'skip' },
    );
    const by = (graphql.at('data.placement.added') as { by: string }[]).map((one) => one.by);
    expect(new Set(by)).toEqual(new Set(['defaults']));
  });

  it('is admitted by the configuration of the revision', async () => {
    const cluster = await clusterOf();
    await declare(cluster, { defaultNotReadyTolerationSeconds: 7, disablePlugins: ['LimitRanger'] });
    const placed = (query: string) => service.request('POST', `${api(cluster, 'placements')}${query}`, { pod: web() });
    expect((await placed('')).text).toContain('"tolerationSeconds":7');
    expect(addedBy(await placed(''))).not.toContain('LimitRanger');
    expect((await placed('?revision=1')).text).not.toContain('"tolerationSeconds":7');
  });

  it('has findings for what admission refuses', async () => {
    const find = (query = '') =>
      service.request('POST', `${api('whole', 'findings')}${query}`, { manifest: web({}, 'absent') });
    expect((await find()).at('findings')).toContainEqual(
      expect.objectContaining({
        code: 'refused-by-admission',
        message: 'The admission plugin NamespaceLifecycle rejects it: namespaces "absent" not found',
      }),
    );
    expect((await find('?admission=skip')).text).not.toContain('refused-by-admission');
  });

  it('is charged to its quotas pod by pod if a scenario adds it', async () => {
    const added = (change: object) =>
      service.request('POST', api('whole', 'placements'), {
        pod: web({}, 'default'),
        scenario: { changes: [{ addPods: { pod: web(), count: 2, ...change } }] },
      });
    const refused = await added({});
    expect([refused.status, refused.at('code')]).toEqual([422, 'invalid-scenario']);
    expect(refused.at('errors.0.message')).toBe(
      'pods "web" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2 (pod 2 of the added pods)',
    );
    expect((await added({ admission: 'skip' })).status).toBe(200);
    expect((await added({ count: 1 })).status).toBe(200);
  });

  it('is unknown if its RuntimeClass is not stored', async () => {
    const answer = await place(web({ runtimeClassName: 'absent' }));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('RuntimeClassNotFound');
  });
});

describe('invalid objects in the cluster', () => {
  const TOLERATIONS = { enablePlugins: ['PodTolerationRestriction'] };

  it('make a pod fail with the status of an internal error if a namespace annotation is not JSON', async () => {
    const cluster = await clusterOf();
    await declare(cluster, TOLERATIONS);
    const answer = await review(web({}, 'broken'), {}, cluster);
    expect(answer.at('refusal')).toEqual({
      by: 'PodTolerationRestriction',
      status: 500,
      message: "invalid character 'o' in literal null (expecting 'u')",
      causes: [],
    });
  });

  it('make admission refuse its own tolerations if the whitelist lacks them', async () => {
    const cluster = await clusterOf();
    await declare(cluster, TOLERATIONS);
    const answer = await review(web({}, 'strict'), {}, cluster);
    expect(answer.at('refusal')).toMatchObject({
      status: 500,
      message:
        'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    });
  });

  it('include LimitRanges that disagree, which apply by name and each refuse a pod', async () => {
    const limits = (name: string, of: object): object =>
      inTeam('LimitRange', name, { limits: [{ type: 'Container', ...of }] });
    const cluster = await clusterOf([
      ...WHOLE,
      limits('b', { default: { cpu: '3' }, defaultRequest: { cpu: '3' } }),
      limits('c', { max: { cpu: '1' }, default: { cpu: '1' } }),
    ]);
    const answer = await review(web(), {}, cluster);
    expect(answer.at('refusal')).toMatchObject({
      by: 'LimitRanger',
      status: 403,
      message: expect.stringContaining('maximum cpu usage per Container is 1, but limit is 3'),
    });
  });
});
