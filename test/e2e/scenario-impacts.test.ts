import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/shop';
const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const ML = { key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' };
const OF_API_SERVER = ['not-ready', 'unreachable'].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));
const MEMORY_PRESSURE = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };

const kata = (key: string, on: string, cpu: string): object => ({
  ...pod(key, on, {
    containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
    runtimeClassName: 'kata-fc',
    overhead: { cpu: '250m', memory: '120Mi' },
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    tolerations: OF_API_SERVER,
  }),
  status: { phase: 'Running' },
});

const CLUSTER = [
  node('a', {
    status: { allocatable: { cpu: '2', memory: '16Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
  }),
  node('ml', { spec: { taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }] } }),
  ...['team', 'ml', 'kube-system'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, ...(name === 'ml' ? { annotations: { [DEFAULTS]: JSON.stringify([ML]) } } : {}) },
  })),
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'kata-fc' },
    handler: 'kata-fc',
    overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high' },
    value: 5,
  },
  kata('team/one', 'a', '600m'),
  kata('team/two', 'a', '600m'),
  {
    ...pod('ml/train', 'ml', {
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }],
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      tolerations: [...OF_API_SERVER, ML, MEMORY_PRESSURE],
    }),
    status: { phase: 'Running' },
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: 'team', name: 'q' },
    // Stale by 100m: that stays so.
    spec: { hard: { 'requests.cpu': '2', pods: '9' } },
    status: { hard: { 'requests.cpu': '2', pods: '9' }, used: { 'requests.cpu': '1800m', pods: '2' } },
  },
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER);
});
afterAll(() => service.close());

const ask = (changes: object[], more: object = {}): Promise<Answer> =>
  service.request('POST', `${AT}/scenario-impacts`, { scenario: { changes }, ...more });
const rows = (answer: Answer): unknown[] =>
  (answer.at('items') as Record<string, unknown>[]).map(
    ({ kind, namespace, name, node: on, by, before, after, limit, message }) =>
      [kind, namespace, name, on, by, before, after, limit, message].join('|'),
  );

describe('the impacts of a scenario', () => {
  it('show the effects of doubling the overhead of a RuntimeClass', async () => {
    const changes = [
      { editRuntimeClass: { name: 'kata-fc', overhead: { cpu: '500m', memory: '240Mi' } } },
      { readmitPods: { runtimeClass: 'kata-fc' } },
    ];
    const answer = await ask(changes);
    expect(answer.status).toBe(200);
    expect(answer.at('counts')).toEqual({ podRefused: 0, podDoesNotFit: 2, nodeOvercommitted: 1, quotaOverflows: 1 });
    expect(rows(answer)).toEqual([
      'podDoesNotFit|team|one|a|NodeResourcesFit||2200m|2|Insufficient cpu',
      'podDoesNotFit|team|two|a|NodeResourcesFit||2200m|2|Insufficient cpu',
      'nodeOvercommitted||a|a|cpu|1700m|2200m|2|its pods request 2200m cpu, but it has only 2; before, they requested 1700m',
      'quotaOverflows|team|q||requests.cpu|1700m|2200m|2|2200m requests.cpu is used, but only 2 allowed; before, 1700m was used',
    ]);
    expect((answer.at('basis.scenario.notes') as string[])[0]).toContain('assumed to come from admission');
    // Without readmission the pods are unchanged.
    expect((await ask(changes.slice(0, 1))).at('items')).toEqual([]);
    const page = await service.request('POST', `${AT}/scenario-impacts?limit=3`, { scenario: { changes } });
    expect(page.at('remainingItemCount')).toBe(1);
    expect(rows(await ask(changes, { kinds: ['quotaOverflows'] }))).toHaveLength(1);
  });

  it('change status.used of quotas by the difference, so that reviews use it', async () => {
    const scenario = { changes: [{ removePods: { pods: ['team/one'] } }] };
    const items = [
      {
        id: 'a',
        pod: {
          metadata: { namespace: 'team' },
          spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1m' } } }] },
        },
      },
    ];
    const review = await service.request('POST', `${AT}/quota-reviews`, { scenario, items });
    // 1800m less 850m.
    expect(review.at('items.0.review.rooms')).toMatchObject([{ resource: 'pods', used: '1' }, { used: '950m' }]);
  });

  it('list pods that admission would refuse', async () => {
    const answer = await ask([
      { removeObjects: { objects: [{ kind: 'RuntimeClass', name: 'kata-fc' }] } },
      { readmitPods: { namespace: 'team' } },
    ]);
    expect(rows(answer)).toEqual([
      'podRefused|team|one|a|RuntimeClass||||pods "one" is forbidden: pod rejected: RuntimeClass "kata-fc" not found',
      'podRefused|team|two|a|RuntimeClass||||pods "two" is forbidden: pod rejected: RuntimeClass "kata-fc" not found',
    ]);
  });

  it('show the effects of removing the default tolerations of a namespace', async () => {
    const plugins = [
      'NamespaceLifecycle',
      'LimitRanger',
      'Priority',
      'DefaultTolerationSeconds',
      'PodTolerationRestriction',
      'RuntimeClass',
      'ResourceQuota',
    ];
    const told = await service.request('PUT', `${AT}/admission-configuration`, { plugins });
    expect(told.status).toBeLessThan(300);
    const gone = await ask([
      { editNamespace: { name: 'ml', annotations: { [DEFAULTS]: null } } },
      { readmitPods: { namespace: 'ml' } },
    ]);
    expect(rows(gone)).toEqual(['podDoesNotFit|ml|train|ml|TaintToleration||||node(s) had untolerated taint(s)']);
    const forbidden = await ask([
      { editNamespace: { name: 'ml', annotations: { [WHITELIST]: JSON.stringify([MEMORY_PRESSURE]) } } },
      { readmitPods: { pods: ['ml/train'] } },
    ]);
    expect(forbidden.at('items.0')).toMatchObject({
      kind: 'podRefused',
      by: 'PodTolerationRestriction',
      message:
        'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    });
    // Without other changes, a readmitted pod is unchanged.
    expect((await ask([{ readmitPods: { namespace: 'ml' } }])).at('items')).toEqual([]);
  });

  it('include new quotas, whose usage is known immediately', async () => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: 'ml', name: 'new' },
      spec: { hard: { 'requests.cpu': '500m' } },
    };
    const answer = await ask([{ putObjects: { objects: [quota] } }]);
    expect(rows(answer)).toEqual([
      'quotaOverflows|ml|new||requests.cpu||1|500m|1 requests.cpu is used, but only 500m allowed; before, nothing was used',
    ]);
  });

  it.each<[string, object, string, string]>([
    [
      'a class that is not there',
      { editRuntimeClass: { name: 'x' } },
      '/editRuntimeClass/name',
      'runtimeclasses.node.k8s.io "x" not found',
    ],
    [
      'a namespace that is not there',
      { editNamespace: { name: 'x' } },
      '/editNamespace/name',
      'namespaces "x" not found',
    ],
    [
      'an overhead that is none',
      { editRuntimeClass: { name: 'kata-fc', overhead: { cpu: 'much' } } },
      '/editRuntimeClass/overhead/cpu',
      'quantities must match',
    ],
    [
      'a negative overhead',
      { editRuntimeClass: { name: 'kata-fc', overhead: { cpu: '-1' } } },
      '/editRuntimeClass/overhead/cpu',
      'must be greater than or equal to 0',
    ],
    [
      'a quota with an amount that is none',
      {
        putObjects: {
          objects: [
            { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { pods: 'many' } } },
          ],
        },
      },
      '/putObjects/objects/0/spec/hard/pods',
      'quantities must match',
    ],
    [
      'a quota of a resource that there is not',
      {
        putObjects: {
          objects: [
            { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { cpus: '1' } } },
          ],
        },
      },
      '/putObjects/objects/0/spec/hard/cpus',
      'must be a standard resource type or fully qualified',
    ],
    [
      'objects of other kinds',
      { putObjects: { objects: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }] } },
      '/putObjects/objects/0/kind',
      'supported values',
    ],
    [
      'an object that is not there',
      { removeObjects: { objects: [{ kind: 'ResourceQuota', name: '__proto__' }] } },
      '/removeObjects/objects/0',
      'resourcequotas "__proto__" not found',
    ],
    [
      'pods in two ways',
      { readmitPods: { runtimeClass: 'kata-fc', namespace: 'team' } },
      '/readmitPods',
      'specify either',
    ],
    [
      'labels that are none',
      { editNamespace: { name: 'ml', labels: { a: 1, 'b c': 'x' } } },
      '/editNamespace/labels/a',
      'must be a string',
    ],
  ])('are refused for %s', async (_, change, pointer, message) => {
    const answer = await ask([change]);
    expect(answer.json).toMatchObject({ status: 422, code: 'invalid-scenario' });
    const [first] = answer.at('errors') as { pointer: string; message: string }[];
    expect(first?.pointer).toBe(`/scenario/changes/0${pointer}`);
    expect(first?.message).toContain(message);
  });

  it('are the same in GraphQL', async () => {
    const changes = [{ resizeNodes: { nodes: ['a'], allocatable: { cpu: '1' } } }];
    const { json } = await service.graphql(
      `query ($scenario: ScenarioInput!) { cluster(name: "shop") { scenarioImpacts(scenario: $scenario) { totalCount
        counts { podRefused podDoesNotFit nodeOvercommitted quotaOverflows }
        nodes { kind namespace name node by before after limit message } } } }`,
      { scenario: { changes } },
    );
    const rest = await ask(changes);
    expect(rest.at('counts.nodeOvercommitted')).toBe(1);
    expect(json).toEqual({
      data: { cluster: { scenarioImpacts: { totalCount: 1, counts: rest.at('counts'), nodes: rest.at('items') } } },
    });
  });
});
