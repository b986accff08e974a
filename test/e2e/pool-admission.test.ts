import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, pod as storedPod, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store, UNUSED_POLICIES } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/shop';

const labelled = (name: string, labels: object, ...taints: object[]): object => ({
  ...node(name, { spec: { taints } }),
  metadata: { name, labels },
});
const DEDICATED = { key: 'dedicated', value: 'ml', effect: 'NoSchedule' };
const quota = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace },
  spec: { hard: { pods: '5' } },
  status: { hard: { pods: '5' }, used: { pods: '0' } },
});
const namespace = (name: string, labels: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

const CLUSTER = [
  ...UNUSED_POLICIES,
  labelled('big-1', { dedicated: 'ml' }, DEDICATED),
  labelled('big-2', { dedicated: 'ml' }, DEDICATED),
  labelled('small', {}),
  namespace('ml', { team: 'ml' }),
  namespace('web'),
  namespace('kube-system'),
  quota('web'),
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'limits', namespace: 'elsewhere' },
    spec: { limits: [{ type: 'Pod', max: { cpu: '9' } }] },
  },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'ml' } },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 9 },
  storedPod('kube-system/old', 'small'),
];
const ML = {
  nodes: { matchLabels: { dedicated: 'ml' } },
  taints: ['dedicated=ml:NoSchedule'],
  labels: { dedicated: 'ml' },
  users: { namespaceSelector: { matchLabels: { team: 'ml' } } },
};
const WIDE = { tolerations: [{ operator: 'Exists' }] };
const REASON =
  'pool "ml" is not open to pods of namespace "web" that run as service account "default": ' +
  'spec.tolerations[0] (Exists without a key, for every taint) tolerates dedicated=ml:NoSchedule';
const DENIED = `admission webhook "refuse-intruders.kube-placement.dev" denied the request: ${REASON}`;

const pod = (of: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: of, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER);
  expect((await service.request('PUT', `${AT}/pools/ml`, ML)).status).toBe(201);
});
afterAll(() => service.close());

const post = (path: string, body: object): Promise<Answer> => service.request('POST', `${AT}/${path}`, body);
const review = (manifest: object): Promise<Answer> => post('admission-reviews', { pod: manifest });
const nodesOf = (answer: Answer, path = 'items') =>
  (answer.at(path) as { node: string; verdict: string }[]).map((one) => [one.node, one.verdict]);

const ADDED = [
  ['/spec/tolerations/2', { key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' }],
  [
    '/spec/affinity',
    {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'dedicated', operator: 'In', values: ['ml'] }] }],
        },
      },
    },
  ],
];

describe('pools and manifests', () => {
  it('place a pod of the team on nodes of the pool only, and list what they added, over REST and GraphQL', async () => {
    const answer = await post('placements', { pod: pod('ml'), view: 'nodes' });
    expect(answer.status).toBe(200);
    const only = [
      ['big-1', 'feasible'],
      ['big-2', 'feasible'],
      ['small', 'infeasible'],
    ];
    expect(nodesOf(answer)).toEqual(only);
    const added = (answer.at('added') as { by: string; pointer: string; value: unknown }[])
      .filter(({ by }) => by === 'pools')
      .map(({ pointer, value }) => [pointer, value]);
    expect(added).toEqual(ADDED);
    const graphql = await service.graphql(
      `query ($pod: KubernetesObject!) { placement(cluster: "shop", input: { pod: $pod }) {
         nodes(first: 9) { nodes { node verdict } } added { by pointer value why } } }`,
      { pod: pod('ml') },
    );
    expect(graphql.at('data.placement.added')).toEqual(answer.at('added'));
    expect(nodesOf(graphql, 'data.placement.nodes.nodes')).toEqual(only);
    const skipped = await service.request('POST', `${AT}/placements?admission=skip`, { pod: pod('ml'), view: 'nodes' });
    expect(nodesOf(skipped).map(([, verdict]) => verdict)).toEqual(['infeasible', 'infeasible', 'feasible']);
  });

  it("refuse an intruder in the API server's words, over REST and GraphQL", async () => {
    const answer = await post('placements', { pod: pod('web', WIDE) });
    expect([answer.status, answer.at('code'), answer.at('detail')]).toEqual([422, 'admission-refused', DENIED]);
    expect(answer.at('errors.0')).toMatchObject({ code: 'pools', message: REASON });
    const graphql = await service.graphql(
      `query ($pod: KubernetesObject!) { placement(cluster: "shop", input: { pod: $pod }) { added { by } } }`,
      { pod: pod('web', WIDE) },
    );
    expect(graphql.at('errors.0.extensions')).toMatchObject({ code: 'admission-refused', status: 422 });
    expect(graphql.at('errors.0.message')).toBe(DENIED);
  });

  it.each<[string, () => Promise<Answer>, number, string]>([
    ['placements of several', () => post('placements/batch', { items: [{ id: 'a', pod: pod('web', WIDE) }] }), 200, ''],
    ['resources', () => post('pod-resources', { pod: pod('web', WIDE) }), 422, ''],
    ['findings', () => post('findings', { manifest: pod('web', WIDE) }), 200, 'The pools of the cluster reject it: '],
    ['quota reviews', () => post('quota-reviews', { items: [{ id: 'a', pod: pod('web', WIDE) }] }), 200, ''],
    [
      'pods of a scenario',
      () =>
        post('placements', {
          pod: pod('web'),
          scenario: { changes: [{ addPods: { pod: pod('web', WIDE), count: 1 } }] },
        }),
      422,
      '',
    ],
  ])('have the same effect in %s', async (_, ask, status, before) => {
    const answer = await ask();
    expect([answer.status, answer.text]).toEqual([
      status,
      expect.stringContaining(JSON.stringify(before + DENIED).slice(1, -1)),
    ]);
  });

  it('do not affect pods of DaemonSets and of the system', async () => {
    const daemon = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'web' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }], ...WIDE },
        },
      },
    };
    for (const manifest of [daemon, pod('kube-system', WIDE)]) {
      const answer = await post('placements', { pod: manifest, view: 'nodes' });
      expect([answer.status, nodesOf(answer).map(([, verdict]) => verdict)]).toEqual([
        200,
        ['feasible', 'feasible', 'feasible'],
      ]);
    }
  });
});

describe('pools in admission reviews', () => {
  it('are one step with the mutating webhooks, and another before ResourceQuota', async () => {
    const answer = await review(pod('ml'));
    const steps = answer.at('steps') as {
      by: string;
      type: string;
      outcome: string;
      patch: { path: string; value: unknown }[];
    }[];
    const names = steps.map(({ by, type, outcome }) => `${by} ${type} ${outcome}`);
    expect(names.slice(names.indexOf('RuntimeClass mutating passed'))).toEqual([
      'RuntimeClass mutating passed',
      'MutatingAdmissionPolicy mutating passed',
      'MutatingAdmissionWebhook mutating passed',
      'AlwaysDeny mutating disabled',
      'pools mutating passed',
      'preparation mutating passed',
      'validation validating passed',
      'NamespaceExists validating disabled',
      'LimitPodHardAntiAffinityTopology validating disabled',
      'LimitRanger validating passed',
      'ServiceAccount validating passed',
      'AlwaysPullImages validating disabled',
      'PodSecurity validating passed',
      'PodNodeSelector validating disabled',
      'PodTolerationRestriction validating disabled',
      'RuntimeClass validating passed',
      'ValidatingAdmissionPolicy validating passed',
      'ValidatingAdmissionWebhook validating passed',
      'pools validating passed',
      'ResourceQuota validating passed',
    ]);
    const patch = steps.find(({ by }) => by === 'pools')!.patch;
    expect(patch.map(({ path, value }) => [path, value])).toEqual(ADDED);

    const refused = await review(pod('web', WIDE));
    expect(refused.at('refusal')).toEqual({ by: 'pools', status: 403, message: DENIED, causes: [] });
    const last = (refused.at('steps') as typeof steps).slice(-2);
    expect(last.map(({ by, outcome }) => [by, outcome])).toEqual([
      ['pools', 'refused'],
      ['ResourceQuota', 'notReached'],
    ]);
    const graphql = await service.graphql(
      `query ($pod: KubernetesObject!) { cluster(name: "shop") { admissionReview(input: { pod: $pod }) {
         outcome refusal { by status message causes { reason } } steps { by type outcome why patch { op path value why } } } } }`,
      { pod: pod('web', WIDE) },
    );
    for (const part of ['outcome', 'refusal', 'steps']) {
      expect(graphql.at(`data.cluster.admissionReview.${part}`)).toEqual(refused.at(part));
    }
  });

  it("match the webhook's responses", async () => {
    const webhook = (which: string, object: object) =>
      post(`webhooks/${which}-pods`, {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: {
          uid: 'u',
          resource: { group: '', version: 'v1', resource: 'pods' },
          operation: 'CREATE',
          dryRun: true,
          namespace: (object as { metadata: { namespace: string } }).metadata.namespace,
          object,
        },
      });
    const two = {
      tolerations: [
        { key: 'a', operator: 'Exists' },
        { key: 'b', operator: 'Exists' },
      ],
    };
    const given = (await webhook('mutate', pod('ml', two))).at('response.patch') as string;
    const asked = { pod: pod('ml', two) };
    await service.request('PUT', `${AT}/admission-configuration`, { disablePlugins: ['DefaultTolerationSeconds'] });
    const steps = (await post('admission-reviews', asked)).at('steps') as {
      by: string;
      patch: Record<string, unknown>[];
    }[];
    const patch = steps.find(({ by }) => by === 'pools')!.patch.map(({ op, path, value }) => ({ op, path, value }));
    expect(JSON.parse(Buffer.from(given, 'base64').toString())).toEqual(patch);
    const refused = await webhook('validate', pod('web', WIDE));
    expect(refused.at('response.status')).toMatchObject({ code: 403, message: REASON });
    await service.request('DELETE', `${AT}/admission-configuration`);
  });

  it('are off if the API server calls no webhooks', async () => {
    const off = { disablePlugins: ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'] };
    expect((await service.request('PUT', `${AT}/admission-configuration`, off)).status).toBe(200);
    const answer = await review(pod('web', WIDE));
    expect(answer.at('outcome')).toBe('admitted');
    const pools = (answer.at('steps') as { by: string; outcome: string; why: string }[]).filter(
      ({ by }) => by === 'pools',
    );
    expect(pools.map(({ outcome, why }) => [outcome, why])).toEqual([
      ['disabled', 'the plugin MutatingAdmissionWebhook is disabled in the admission configuration of the cluster'],
      ['disabled', 'the plugin ValidatingAdmissionWebhook is disabled in the admission configuration of the cluster'],
    ]);
    await service.request('DELETE', `${AT}/admission-configuration`);
  });

  it('are unknown for namespaces that a limited snapshot did not contain', async () => {
    const some = `/api/v1/clusters/some`;
    const sent = await send(
      service,
      `${some}/snapshots?createCluster=true&namespaces=web`,
      list([labelled('big-1', { dedicated: 'ml' }, DEDICATED), namespace('web')]),
    );
    expect(sent.status).toBe(201);
    await service.request('PUT', `${some}/pools/ml`, ML);
    const asked = async (manifest: object) => service.request('POST', `${some}/admission-reviews`, { pod: manifest });
    const unknown = await asked(pod('ml'));
    expect(unknown.at('outcome')).toBe('unknown');
    expect(
      (unknown.at('undecided') as { plugin: string; why: string }[]).map(({ plugin, why }) => [plugin, why]),
    ).toEqual(
      expect.arrayContaining([
        [
          'NamespaceLifecycle',
          'Namespace was never loaded: whether the namespace exists and accepts new objects is not known',
        ],
        ['pools', 'whether this pod may use pool ml depends on the labels of namespace ml, which are not known'],
      ]),
    );
    const placed = await service.request('POST', `${some}/placements`, { pod: pod('ml') });
    expect(placed.status).toBe(200);
    const known = await asked(pod('web', WIDE));
    expect(known.at('refusal.message')).toBe(DENIED);
  });
});
