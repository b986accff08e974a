import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const place = (cluster: string, body: object): Promise<Answer> =>
  service.request('POST', `/api/v1/clusters/${cluster}/placements`, body);
const manifest = (spec: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked', namespace: 'team' },
  spec: { containers: [{ name: 'c' }], ...spec },
});
const using = (resources: object) => ({ containers: [{ name: 'c', resources }] });
const tainted = (name: string, ...taints: object[]) => node(name, { spec: { taints } });
const gpu = { key: 'gpu', value: 'true', effect: 'NoSchedule' };

describe('a fix is admitted before it is called feasible', () => {
  beforeAll(() =>
    store(service, 'limited', [
      node('a'),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' }, status: { phase: 'Active' } },
      {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'least', namespace: 'team' },
        spec: { limits: [{ type: 'Container', max: { cpu: '8' }, maxLimitRequestRatio: { cpu: '1500m' } }] },
      },
    ]),
  );
  const tooMuch = { requests: { cpu: '6' }, limits: { cpu: '8' } };
  const refusal =
    'pods "asked" is forbidden: cpu max limit to request ratio per Container is 1500m, but provided ratio is 2.000000';

  it('a LimitRange refuses the lower request', async () => {
    const answer = await place('limited', { pod: manifest(using(tooMuch)) });
    expect(answer.at('groups.0.fixes.pod')).toMatchObject({
      changes: [{ kind: 'LowerRequest', change: { to: '4' } }],
      verdict: 'infeasible',
      remaining: [],
      refusal,
      nodes: 1,
    });
  });

  it('without admission it is feasible', async () => {
    const answer = await place('limited', { pod: manifest(using(tooMuch)), admission: 'skip', view: 'nodes' });
    expect(answer.at('items.0.fixes.pod')).toMatchObject({ verdict: 'feasible', refusal: null });
  });

  it('of a template, and of a CronJob', async () => {
    const template = { metadata: { labels: { app: 'w' } }, spec: { ...using(tooMuch), restartPolicy: 'Never' } };
    const workloads = [
      { apiVersion: 'batch/v1', kind: 'Job', spec: { template } },
      { apiVersion: 'batch/v1', kind: 'CronJob', spec: { jobTemplate: { spec: { template } } } },
    ];
    for (const one of workloads) {
      const workload = { ...one, metadata: { name: 'asked', namespace: 'team' } };
      const answer = await place('limited', { workload });
      expect(answer.at('groups.0.fixes.pod.refusal')).toBe(refusal);
      const skipped = await place('limited', { workload, admission: 'skip' });
      expect(skipped.at('groups.0.fixes.pod')).toMatchObject({ verdict: 'feasible', refusal: null });
    }
  });

  it('a request that a LimitRange refuses of a stored pod too', async () => {
    await store(service, 'limited', [pod('team/asked', '', using(tooMuch))], '&kinds=Pod');
    const answer = await service.request('GET', '/api/v1/clusters/limited/pods/team/asked/placement');
    expect(answer.at('groups.0.fixes.pod')).toMatchObject({ verdict: 'infeasible', refusal });
  });
});

it('what an owner puts back is explained and not proposed', async () => {
  const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' };
  await store(service, 'owned', [tainted('a', unreachable), tainted('b', unreachable, gpu)]);
  const answer = await place('owned', { pod: manifest({}) });
  const owned = [
    {
      kind: 'Taint',
      key: unreachable.key,
      effect: 'NoSchedule',
      setBy: 'the node lifecycle controller of kube-controller-manager',
      when: "the node's Ready condition is Unknown: its kubelet is unreachable",
      changedBy: 'the node lifecycle controller of kube-controller-manager, once Ready is no longer Unknown',
    },
  ];
  expect(answer.at('groups')).toMatchObject([
    { nodes: ['a'], fixes: { pod: null, node: null, owned } },
    { nodes: ['b'], fixes: { pod: { changes: [{ kind: 'AddToleration' }], verdict: 'infeasible' }, owned } },
  ]);
});

describe('the smallest fixes over all nodes', () => {
  const ssd = { key: 'disk', value: 'ssd', effect: 'NoSchedule' };
  const expected = [
    {
      object: 'Pod',
      changes: [{ kind: 'AddToleration', summary: 'tolerate gpu=true:NoSchedule' }],
      count: 2,
      nodes: ['a', 'b'],
    },
    {
      object: 'Node',
      changes: [{ kind: 'RemoveTaint', command: 'kubectl taint nodes a gpu:NoSchedule-' }],
      count: 2,
      nodes: ['a', 'b'],
    },
    {
      object: 'Pod',
      changes: [{ kind: 'AddToleration' }, { kind: 'AddToleration' }],
      count: 3,
      nodes: ['a', 'b', 'c'],
    },
    { object: 'Node', changes: [{ kind: 'RemoveTaint' }, { kind: 'RemoveTaint' }], count: 1, nodes: ['c'] },
  ];

  beforeAll(() => store(service, 'pools', [tainted('a', gpu), tainted('b', gpu), tainted('c', gpu, ssd)]));

  it('come with groups and with nodes, whatever the page', async () => {
    for (const listing of [{}, { view: 'nodes', limit: 1 }, { limit: 1, verdict: 'infeasible' }]) {
      const answer = await place('pools', { pod: manifest({}), ...listing });
      expect(answer.at('smallestFixes')).toMatchObject(expected);
    }
  });

  it('come with a summary on request, and are null where fixes are omitted', async () => {
    const ask = (more: object): Promise<Answer> => place('pools', { pod: manifest({}), ...more });
    expect((await ask({ detail: 'summary', fixes: true })).at('smallestFixes')).toMatchObject(expected);
    for (const more of [{ detail: 'summary' }, { detail: 'verdicts' }, { fixes: false }]) {
      expect((await ask(more)).at('smallestFixes')).toBeNull();
    }
  });

  it('name what a change needs besides: other images for nodes of another architecture', async () => {
    await store(service, 'arch', [node('a', { metadata: { name: 'a', labels: { 'kubernetes.io/arch': 'amd64' } } })]);
    const answer = await place('arch', { pod: manifest({ nodeSelector: { 'kubernetes.io/arch': 'arm64' } }) });
    expect(answer.at('smallestFixes')).toMatchObject([
      {
        object: 'Pod',
        changes: [
          {
            kind: 'SetNodeSelector',
            summary: 'select kubernetes.io/arch=amd64',
            condition: 'needs images built for amd64',
          },
        ],
      },
    ]);
  });

  it('come with the JSON Patch that makes a change of the pod to the manifest as it was sent', async () => {
    const toleration = { key: 'gpu', operator: 'Equal', value: 'true', effect: 'NoSchedule' };
    const ofPod = await place('pools', { pod: manifest({ tolerations: [{ key: 'other', operator: 'Exists' }] }) });
    expect(ofPod.at('smallestFixes.0.patch')).toEqual([{ op: 'add', path: '/spec/tolerations/1', value: toleration }]);
    expect(ofPod.at('smallestFixes.1.patch')).toBeNull();
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { selector: { matchLabels: { app: 'web' } }, template };
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
    expect((await place('pools', { workload })).at('smallestFixes.0.patch')).toEqual([
      { op: 'add', path: '/spec/template/spec/tolerations', value: [toleration] },
    ]);
  });

  it('are a list without items where no node is refused', async () => {
    const tolerations = [{ operator: 'Exists' }];
    expect((await place('pools', { pod: manifest({ tolerations }) })).at('smallestFixes')).toEqual([]);
  });

  it('are the same over GraphQL', async () => {
    const answer = await service.graphql(
      `query ($input: PlacementInput!) { placement(cluster: "pools", input: $input) {
        smallestFixes { object count nodes changes { kind summary yaml condition command } patch { op path value } }
      } }`,
      { input: { pod: manifest({}) } },
    );
    expect(answer.at('errors')).toBeUndefined();
    const { smallestFixes } = (await place('pools', { pod: manifest({}) })).json as { smallestFixes: Change[] };
    expect(answer.at('data.placement.smallestFixes')).toEqual(
      smallestFixes.map((fix) => ({ ...fix, changes: fix.changes.map((one) => ({ ...one, change: undefined })) })),
    );
  });

  interface Change {
    readonly changes: readonly { readonly change: object }[];
  }
});
