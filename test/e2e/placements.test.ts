import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { list, node, pod, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { processorTime } from '../support/processor-time.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const CLUSTERS = '/api/v1/clusters';
const take = async (cluster: string, body: string, query = ''): Promise<void> => {
  const answer = await send(service, `${CLUSTERS}/${cluster}/snapshots?createCluster=true${query}`, body);
  expect(answer).toMatchObject({ status: 201 });
};
/** The body of a placement; by default with nodes one by one. */
const place = (cluster: string, body: string | object, query = ''): Promise<Answer> =>
  service.request(
    'POST',
    `${CLUSTERS}/${cluster}/placements${query}`,
    typeof body === 'string' ? body.replace(/^\{/, '{"view":"nodes",') : { view: 'nodes', ...body },
    { 'content-type': 'application/json' },
  );
const demo = (file: string): Promise<string> => readFile(join(process.cwd(), 'demo/clusters', file), 'utf8');
const manifest = (spec: object, metadata: object = { name: 'asked' }) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { containers: [{ name: 'c' }], ...spec },
});
const tainted = (name: string, ...taints: object[]) => node(name, { spec: { taints } });

describe('the clusters of the demo', () => {
  it("minikube: the message about the pending pod equals its own scheduler's", async () => {
    const pods = await demo('minikube-1.35-pods.yaml');
    await take('minikube', `${await demo('minikube-1.35-nodes.yaml')}\n---\n${pods}`);
    const { items } = parse(pods) as {
      items: { metadata: { name: string; namespace: string }; status: { conditions: Condition[] } }[];
    };
    const pending = items.find(({ metadata }) => metadata.name === 'e2e-container-pending')!;
    const { namespace, name } = pending.metadata;
    const { message } = pending.status.conditions.find(({ type }) => type === 'PodScheduled')!;
    const path = `${CLUSTERS}/minikube/pods/${namespace}/${name}/placement`;
    const answer = await service.request('GET', path);
    expect(answer.json).toMatchObject({
      basis: { cluster: 'minikube', kubernetesVersion: 'v1.35.0' },
      pod: { source: 'stored', name },
      summary: { nodes: 1, feasible: 0, infeasible: 1 },
      message,
    });
    const again = await service.request('GET', path, undefined, { 'if-none-match': answer.headers.get('etag')! });
    expect(again.status).toBe(304);
  });

  it('EKS: the taint is named, with the toleration that admits the pod, and what differs in a version older than all rules', async () => {
    await take('eks', await demo('eks-nodes.json'));
    const answer = await place('eks', { pod: manifest({}) });
    expect(answer.at('summary')).toMatchObject({ feasible: 0 });
    const nodes = answer.at('items') as { reasons: object[]; untoleratedTaints: object[]; fixes: object }[];
    expect(nodes[0]).toMatchObject({
      node: 'duckboat-01',
      firstFail: 'TaintToleration',
      untoleratedTaints: [{ text: 'type=hound:NoSchedule' }],
      fixes: {
        pod: {
          changes: [
            {
              kind: 'AddToleration',
              change: { toleration: { key: 'type', operator: 'Equal', value: 'hound', effect: 'NoSchedule' } },
            },
          ],
          verdict: 'feasible',
          remaining: [],
        },
      },
    });
    // The cluster runs 1.21: the oldest known rules apply, whose message names the taint.
    expect(answer.at('basis')).toMatchObject({ rulesVersion: 'v1.31.14', rulesSource: 'nodes' });
    expect(answer.at('message')).toContain('node(s) had untolerated taint {type: hound}');
    const spread = {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      minDomains: 2,
      labelSelector: {},
    };
    const withDomains = await place('eks', { pod: manifest({ topologySpreadConstraints: [spread] }) });
    expect(withDomains.at('ruleDifferences')).toEqual([expect.objectContaining({ code: 'spread-min-domains' })]);
  });

  it('OpenShift: the masters are refused by the legacy role taint, with an explanation', async () => {
    await take('openshift', await demo('openshift-nodes.json'));
    const answer = await place('openshift', { pod: manifest({}), detail: 'summary' });
    const counts = answer.at('rollup') as { code: string; taints: { taint: string; wellKnown: string }[] }[];
    const { taints } = counts.find(({ code }) => code === 'UntoleratedTaint')!;
    expect(taints).toContainEqual(
      expect.objectContaining({ taint: 'node-role.kubernetes.io/master:NoSchedule', wellKnown: expect.any(String) }),
    );
    expect(answer.at('items')).toEqual([]);
  });
});

interface Condition {
  readonly type: string;
  readonly message?: string;
}

describe('the subject of a placement', () => {
  const TEMPLATE = {
    metadata: { labels: { app: 'web' } },
    spec: {
      containers: [{ name: 'c', resources: { limits: { cpu: '500m' } } }],
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
    },
  };
  const workload = (kind: string): object => ({
    apiVersion: kind.includes('Job') ? 'batch/v1' : kind === 'ReplicationController' ? 'v1' : 'apps/v1',
    kind,
    metadata: { name: 'web', namespace: 'shop' },
    spec: kind === 'CronJob' ? { jobTemplate: { spec: { template: TEMPLATE } } } : { template: TEMPLATE },
  });
  const KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'Job', 'CronJob'];

  beforeAll(async () => {
    await take(
      'kinds',
      list([
        tainted('gpu', { key: 'gpu', effect: 'NoSchedule' }),
        node('cordoned', { spec: { unschedulable: true } }),
        ...KINDS.map(workload),
      ]),
    );
  });

  it.each(KINDS)('can be the template of a %s, sent or stored', async (kind) => {
    for (const field of ['pod', 'workload']) {
      const sent = await place('kinds', { [field]: workload(kind) });
      const path = kind === 'CronJob' ? 'spec/jobTemplate/spec/template' : 'spec/template';
      expect(sent.json).toMatchObject({
        pod: { source: 'template', namespace: 'shop', workload: { kind, name: 'web' }, requests: { cpu: '500m' } },
        items: [
          { node: 'cordoned', verdict: kind === 'DaemonSet' ? 'feasible' : 'infeasible' },
          {
            node: 'gpu',
            verdict: 'feasible',
            toleratedTaints: [
              { taint: { text: 'gpu:NoSchedule' }, toleration: { pointer: `/${field}/${path}/spec/tolerations/0` } },
            ],
          },
        ],
      });
    }
    const stored = await place('kinds', { workloadRef: { kind, namespace: 'shop', name: 'web' } });
    expect(stored.at('items.1.verdict')).toBe('feasible');
  });

  it("gets its controller's tolerations if it is a DaemonSet's pod, listed as added", async () => {
    const answer = await place('kinds', { pod: workload('DaemonSet') });
    expect(answer.at('added')).toContainEqual(
      expect.objectContaining({ by: 'DaemonSet controller', pointer: expect.stringMatching(/^\/spec\/tolerations/) }),
    );
    expect(answer.at('items.0.toleratedTaints')).toMatchObject([
      { taint: { key: 'node.kubernetes.io/unschedulable', implied: true }, toleration: { pointer: null } },
    ]);
  });

  it('that is a stored pod is neither counted on its own node nor bound to it', async () => {
    const big = { containers: [{ name: 'c', resources: { requests: { cpu: '3' } } }] };
    await take('full', list([node('a'), node('b'), pod('default/x', 'a', big), pod('default/y', 'b', big)]));
    const stored = await place('full', { podRef: { name: 'x' } });
    expect(stored.json).toMatchObject({
      added: [{ by: 'placement', pointer: '/spec/nodeName' }],
      items: [
        { node: 'a', verdict: 'feasible' },
        { node: 'b', verdict: 'infeasible', reasons: [{ message: 'Insufficient cpu' }] },
      ],
    });
    const sent = await place('full', { pod: manifest(big) });
    expect(sent.at('summary')).toEqual({ nodes: 2, feasible: 0, infeasible: 2, unknown: 0 });
    expect(sent.at('message')).toBe('0/2 nodes are available: 2 Insufficient cpu.');
    expect(sent.at('messageNote')).toMatch(/preemption/);
  });

  it('that is not stored is not found', async () => {
    expect(await place('kinds', { podRef: { name: 'gone' } })).toMatchObject({
      status: 404,
      json: { code: 'object-not-found' },
    });
    expect(await place('full', { workloadRef: { kind: 'Job', name: 'gone' } })).toMatchObject({
      status: 404,
      json: { detail: expect.stringContaining('no snapshot of this cluster has contained the kind Job') },
    });
  });
});

describe('missing knowledge never makes a node feasible', () => {
  it('a missing RuntimeClass makes every node unknown, with the kind or the class', async () => {
    await take('bare', list([tainted('a', { key: 'x', effect: 'NoSchedule' }), node('b')]));
    const asked = manifest({ runtimeClassName: 'kata' });
    const without = await place('bare', { pod: asked });
    expect(without.json).toMatchObject({
      summary: { nodes: 2, unknown: 2 },
      message: null,
      items: [
        { verdict: 'unknown', reasons: [{ plugin: 'RuntimeClass', facts: { missingKinds: ['RuntimeClass'] } }, {}] },
        { verdict: 'unknown', reasons: [{ plugin: 'RuntimeClass' }] },
      ],
    });
    const other = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'gvisor' }, handler: 'x' };
    await take('classes', list([node('b'), other]));
    const withOthers = await place('classes', { pod: asked });
    expect(withOthers.at('items.0.reasons.0')).toMatchObject({
      code: 'RuntimeClassNotFound',
      message: expect.stringContaining('RuntimeClass "kata" not found'),
    });
  });

  it('a rule that needs kinds which no snapshot has contained is named', async () => {
    const claim = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] };
    const answer = await place('bare', { pod: manifest(claim), nodes: { names: ['b', 'nowhere'] } });
    expect(answer.json).toMatchObject({
      items: [{ node: 'b', verdict: 'unknown', firstFail: null }],
      missingNodes: ['nowhere'],
    });
    const reasons = answer.at('items.0.reasons') as { plugin: string; status: string }[];
    expect(reasons.map(({ plugin, status }) => [plugin, status])).toContainEqual(['VolumeBinding', 'Unknown']);
  });
});

describe('the response', () => {
  beforeAll(async () => {
    const nodes = Array.from({ length: 25 }, (_, index) =>
      node(`n${String(index).padStart(2, '0')}`, {
        metadata: { name: `n${String(index).padStart(2, '0')}`, labels: { pool: index % 5 === 0 ? 'gpu' : 'cpu' } },
        spec: index % 5 === 0 ? { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } : {},
      }),
    );
    await take('pages', list(nodes));
  });

  it('is paged by name on one revision while the head moves on', async () => {
    const question = { pod: manifest({}), limit: 10, detail: 'verdicts' };
    const first = await place('pages', question);
    expect(first.at('remainingItemCount')).toBe(15);
    await take('pages', list([node('z')]), '&allowRemovals=true');
    const second = await place('pages', { ...question, continue: first.at('continue') });
    const third = await place('pages', { ...question, continue: second.at('continue') });
    expect(third.at('basis.revision')).toBe(1);
    expect(third.at('continue')).toBeNull();
    const names = [first, second, third].flatMap((page) => (page.at('items') as { node: string }[]).map((n) => n.node));
    expect(names).toEqual(Array.from({ length: 25 }, (_, index) => `n${String(index).padStart(2, '0')}`));
    const other = { ...question, pod: manifest({ nodeName: 'z' }), continue: first.at('continue') };
    expect(await place('pages', other)).toMatchObject({ status: 400, json: { code: 'invalid-continue-token' } });
    expect(await place('pages', { ...question, continue: first.at('continue') }, '?revision=2')).toMatchObject({
      status: 400,
      json: { code: 'invalid-continue-token' },
    });
  });

  it('lists nodes by verdict, name or label, while the counts cover all', async () => {
    const ask = async (more: object): Promise<unknown> => {
      const answer = await place('pages', { pod: manifest({}), detail: 'verdicts', ...more }, '?revision=1');
      expect(answer.at('summary.nodes')).toBe(25);
      return (answer.at('items') as { node: string }[]).map((one) => one.node);
    };
    expect(await ask({ verdict: 'infeasible' })).toEqual(['n00', 'n05', 'n10', 'n15', 'n20']);
    expect(await ask({ nodes: { labelSelector: 'pool=gpu' }, verdict: 'feasible' })).toEqual([]);
    expect(await ask({ nodes: { names: ['n05', 'n01'], labelSelector: 'pool in (gpu)' } })).toEqual(['n05']);
    expect(await ask({ filters: ['NodeResourcesFit'], verdict: 'feasible', limit: 1 })).toEqual(['n00']);
  });

  it('uses comparison operators only behind their feature gate', async () => {
    await take('sla', list([tainted('a', { key: 'sla', value: '950', effect: 'NoSchedule' })]));
    const asked = manifest({ tolerations: [{ key: 'sla', operator: 'Gt', value: '900', effect: 'NoSchedule' }] });
    const refused = await place('sla', { pod: asked });
    expect(refused).toMatchObject({ status: 422, json: { errors: [{ pointer: '/pod/spec/tolerations/0/operator' }] } });
    const featureGates = { TaintTolerationComparisonOperators: true };
    expect((await place('sla', { pod: asked, featureGates })).at('items.0.verdict')).toBe('feasible');
    const ask = (path: string, body: object): Promise<Answer> =>
      service.request('POST', `/api/v1/clusters/sla/${path}`, body);
    const queue = { pods: [{ id: 'p', pod: asked, replicas: 1 }] };
    expect((await ask('queue-runs', queue)).at('errors.0.pointer')).toBe('/pods/0/pod/spec/tolerations/0/operator');
    expect((await ask('queue-runs', { ...queue, featureGates })).at('totals.placed')).toBe(1);
    expect((await ask('capacities', { pod: asked })).status).toBe(422);
    expect((await ask('capacities', { pod: asked, featureGates })).at('replicas')).toBeGreaterThan(0);
    const complete = { ...asked, spec: { ...asked.spec, containers: [{ name: 'c', image: 'c' }] } };
    expect((await ask('gates', { manifests: [complete] })).at('verdict')).toBe('no');
    // The kinds that admission reads were never loaded.
    expect((await ask('gates', { manifests: [complete], featureGates })).at('verdict')).toBe('unknown');
  });

  it('returns an int64 unchanged', async () => {
    const toleration = '{"key":"sla","operator":"Exists","effect":"NoExecute","tolerationSeconds":9223372036854775807}';
    await take('int64', list([tainted('a', { key: 'sla', effect: 'NoExecute' })]));
    const answer = await place(
      'int64',
      `{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[],"tolerations":[${toleration}]}}}`,
    );
    expect(answer.text).toContain('"tolerationSeconds":9223372036854775807');
  });

  it('counts unknown fields instead of refusing them', async () => {
    const answer = await place('sla', { pod: manifest({ tolerance: 1, containers: [{ name: 'c', imagee: 'x' }] }) });
    expect(answer.json).toMatchObject({
      unknownFieldCount: 2,
      unknownFields: ['spec.containers[0].imagee', 'spec.tolerance'],
    });
  });
});

describe('nodes with the same outcome', () => {
  const question = { pod: manifest({}), view: 'groups' };
  const groupsOf = (answer: Answer) =>
    (answer.at('groups') as { verdict: string; count: number; nodes: string[] }[]).map(({ verdict, count, nodes }) => [
      verdict,
      count,
      nodes.join(' '),
    ]);
  const TAINTED = ['infeasible', 5, 'n00 n05 n10 n15 n20'];

  beforeAll(async () => {
    const used = { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] };
    await take('amounts', list([node('a'), node('b'), pod('default/x', 'a', used)]));
  });

  it('are one group by default, with reasons and fixes once and every name', async () => {
    const path = `${CLUSTERS}/pages/placements?revision=1`;
    const answer = await service.request('POST', path, { pod: manifest({}) });
    expect(answer.json).toMatchObject({ items: [], missingNodes: [], continue: null, remainingItemCount: 0 });
    const groups = answer.at('groups') as { nodes: string[] }[];
    expect(groups).toHaveLength(2);
    expect(groups[0]).toMatchObject({ verdict: 'feasible', count: 20, firstFail: null, reasons: [], fixes: null });
    expect(groups[0]!.nodes).toHaveLength(20);
    expect(groups[1]).toEqual({
      verdict: 'infeasible',
      count: 5,
      firstFail: 'TaintToleration',
      reasons: [expect.objectContaining({ code: 'UntoleratedTaint', first: true })],
      untoleratedTaints: [expect.objectContaining({ text: 'gpu:NoSchedule' })],
      toleratedTaints: [],
      fixes: {
        evaluatedOn: 'n00',
        pod: expect.objectContaining({ verdict: 'feasible', nodes: 5 }),
        node: expect.objectContaining({ verdict: 'feasible', nodes: null }),
        claim: null,
        owned: [],
      },
      nodes: ['n00', 'n05', 'n10', 'n15', 'n20'],
      columns: [],
    });
  });

  it('have the amounts that differ in columns, and a fix for the largest', async () => {
    const big = { containers: [{ name: 'c', resources: { requests: { cpu: '5' } } }] };
    const answer = await place('amounts', { ...question, pod: manifest(big) });
    expect(answer.at('groups')).toMatchObject([
      {
        nodes: ['a', 'b'],
        reasons: [{ code: 'InsufficientResource', facts: { resource: 'cpu', requested: '5', allocatable: '4' } }],
        columns: [{ reason: 0, name: 'available', unit: 'millicores', values: [3000, 4000] }],
        fixes: { evaluatedOn: 'b', pod: { changes: [{ kind: 'LowerRequest' }], verdict: 'feasible', nodes: 1 } },
      },
    ]);
  });

  it('are paged by group on one revision', async () => {
    const first = await place('pages', { ...question, limit: 1 }, '?revision=1');
    expect([groupsOf(first).length, first.at('remainingItemCount')]).toEqual([1, 1]);
    const second = await place('pages', { ...question, limit: 1, continue: first.at('continue') });
    expect([groupsOf(second), second.at('basis.revision'), second.at('continue')]).toEqual([[TAINTED], 1, null]);
    const otherView = { pod: manifest({}), view: 'nodes', continue: first.at('continue') };
    expect(await place('pages', otherView)).toMatchObject({ status: 400, json: { code: 'invalid-continue-token' } });
  });

  it('are grouped among the requested nodes, in the requested detail', async () => {
    const ask = (more: object) => place('pages', { ...question, ...more }, '?revision=1');
    expect(groupsOf(await ask({ verdict: 'infeasible' }))).toEqual([TAINTED]);
    const named = await ask({ nodes: { names: ['n05', 'n01', 'gone'] } });
    expect(groupsOf(named)).toEqual([
      ['feasible', 1, 'n01'],
      ['infeasible', 1, 'n05'],
    ]);
    expect(named.at('missingNodes')).toEqual(['gone']);
    const verdicts = await ask({ detail: 'verdicts', verdict: 'infeasible' });
    expect(verdicts.at('groups')).toMatchObject([{ firstFail: 'TaintToleration', reasons: null, fixes: null }]);
    expect((await ask({ detail: 'summary' })).at('groups')).toEqual([]);
    expect((await ask({ fixes: false })).at('groups.1.fixes')).toBeNull();
    expect(await ask({ view: 'lists' })).toMatchObject({ status: 400, json: { errors: [{ pointer: '/view' }] } });
  });

  it('are the same for a stored pod, in every cluster, and over GraphQL', async () => {
    const stored = await service.request('GET', `${CLUSTERS}/amounts/pods/default/x/placement`);
    expect(groupsOf(stored)).toEqual([['feasible', 2, 'a b']]);
    await service.request('PUT', `${CLUSTERS}/amounts`, { labels: { grouped: 'yes' } });
    const across = await service.request('POST', '/api/v1/placements', {
      clusterSelector: 'grouped=yes',
      pod: manifest({}),
      detail: 'nodes',
    });
    expect(across.at('items.0.placement.groups')).toMatchObject([{ nodes: ['a', 'b'] }]);
    const overRest = await place('pages', question, '?revision=1');
    const graphql = await service.graphql(
      `query ($input: PlacementInput!) { placement(cluster: "pages", revision: 1, input: $input) {
        groups { totalCount missingNodes nodes {
          verdict count firstFail nodes columns { reason name unit values }
          reasons { plugin code first status message ... on TaintReason { facts { taint { key effect } } } ... on ResourceReason { facts { resource requested used allocatable available } } fields { object path pointer } }
          untoleratedTaints { key value effect text implied wellKnown }
          toleratedTaints { taint { key } }
          fixes { evaluatedOn pod { nodes verdict changes { kind summary yaml condition command ... on TolerationFix { change { toleration { key operator value effect } } } ... on TaintFix { change { taint { key effect } } } } remaining { code } refusal } owned { kind key effect setBy when changedBy } node { nodes verdict changes { kind summary yaml condition command ... on TolerationFix { change { toleration { key operator value effect } } } ... on TaintFix { change { taint { key effect } } } } remaining { code } refusal } claim { verdict } }
        } } } }`,
      { input: { pod: manifest({}) } },
    );
    expect(graphql.at('errors')).toBeUndefined();
    expect(graphql.at('data.placement.groups.totalCount')).toBe(2);
    expect(graphql.at('data.placement.groups.nodes')).toEqual(overRest.at('groups'));
  });
});

describe('errors of a placement request', () => {
  it('name errors of the envelope, the filters and the manifest together', async () => {
    const answer = await place('eks', {
      rulez: [],
      filters: ['NoSuchFilter'],
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: {
          containers: [{ name: 'web', resources: { requests: { cpu: '1.5.5' } } }],
          tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }],
        },
      },
    });
    expect(answer.status).toBe(400);
    const { errors } = answer.json as { errors: { pointer: string }[] };
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/rulez',
      '/filters/0',
      '/pod/spec/containers/0/resources/requests/cpu',
      '/pod/spec/tolerations/0/operator',
    ]);
  });

  const errorsOf = (answer: Answer): unknown =>
    (answer.at('errors') as { pointer: string; message: string }[]).map(({ pointer, message }) => [pointer, message]);

  it("name all errors of a manifest in Kubernetes' words, with pointers into the request", async () => {
    const answer = await place('sla', {
      pod: manifest({
        containers: [{ name: 'c', resources: { requests: { cpu: '1.5.5', memory: '-1' } } }],
        tolerations: [
          { key: 'a', operator: 'Like' },
          { key: 'a', operator: 'Exists', value: 'v', effect: 'NoSchedule', tolerationSeconds: 5 },
        ],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'in', values: ['x'] }] }],
            },
          },
        },
      }),
    });
    expect(answer.status).toBe(422);
    expect(answer.at('code')).toBe('invalid-object');
    expect(errorsOf(answer)).toEqual(
      expect.arrayContaining([
        ['/pod/spec/containers/0/resources/requests/cpu', expect.stringContaining('quantities must match')],
        ['/pod/spec/containers/0/resources/requests/memory', 'Invalid value: "-1": must be greater than or equal to 0'],
        ['/pod/spec/tolerations/0/operator', 'Unsupported value: "Like": supported values: "Equal", "Exists"'],
        ['/pod/spec/tolerations/1/operator', `Invalid value: "v": value must be empty when \`operator\` is 'Exists'`],
        [
          '/pod/spec/tolerations/1/effect',
          `Invalid value: "NoSchedule": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
        ],
        [
          '/pod/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchExpressions/0/operator',
          'Invalid value: "in": not a valid selector operator',
        ],
      ]),
    );
    expect(answer.at('errors')).toHaveLength(6);
  });

  it.each([
    ['an unreadable one', 'NaN', 422],
    ['one of 400 digits', '1e400', 200],
    ['one whose exponent is out of all bounds', '1e99999999999', 200],
    ['a tiny one', '1e-99999999999', 200],
  ])('cost no time for the quantity %s', async (_, cpu, status) => {
    const used = processorTime();
    const answer = await place('sla', {
      pod: manifest({ containers: [{ name: 'c', resources: { requests: { cpu } } }] }),
    });
    expect(answer.status).toBe(status);
    expect(used()).toBeLessThan(20);
  });

  it.each([
    ['NUL in a label', { labels: { a: 'x\0' } }, '/pod/metadata/labels'],
    ['a lone surrogate in a label', { labels: { a: 'x\ud800' } }, '/pod/metadata/labels'],
    ['a name of the prototype with a bad value', { labels: { constructor: '!' } }, '/pod/metadata/labels'],
    ['NUL in the namespace', { namespace: 'a\0' }, '/pod/metadata/namespace'],
  ])('%s', async (_, metadata, pointer) => {
    const answer = await place('sla', { pod: manifest({}, { name: 'p', ...metadata }) });
    expect(answer).toMatchObject({ status: 422, json: { code: 'invalid-object', errors: [{ pointer }] } });
  });

  it('do not include labels and selectors with names of the prototype', async () => {
    const labels = JSON.parse('{"constructor":"x","__proto__":"y"}') as object;
    const body = (key: string) =>
      `{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[],"nodeSelector":{"${key}":"x"}}}}`;
    await take('proto', list([node('a', { metadata: { name: 'a', labels: { constructor: 'x' } } }), node('b')]));
    expect((await place('proto', body('constructor'))).at('items.0.verdict')).toBe('feasible');
    expect((await place('proto', body('constructor'))).at('items.1.verdict')).toBe('infeasible');
    expect((await place('proto', body('toString'))).at('summary.feasible')).toBe(0);
    expect(Object.keys(labels)).toContain('__proto__');
    expect(await place('proto', body('__proto__'))).toMatchObject({
      status: 422,
      json: { errors: [{ pointer: '/pod/spec/nodeSelector', message: expect.stringContaining('__proto__') }] },
    });
  });

  it.each([
    ['nothing to place', {}, ''],
    ['two things to place', { pod: manifest({}), podRef: { name: 'x' } }, '/podRef'],
    ['an unknown filter', { pod: manifest({}), filters: ['Taint', 'NodeName', 'X'] }, '/filters/0'],
    ['an unknown member', { pod: manifest({}), limits: 1 }, '/limits'],
    ['a verdict that is none', { pod: manifest({}), verdict: 'maybe' }, '/verdict'],
    ['a page of a million', { pod: manifest({}), limit: 1_000_000 }, '/limit'],
    ['a bad label selector', { pod: manifest({}), nodes: { labelSelector: 'a in b' } }, undefined],
  ])('%s', async (_, body, pointer) => {
    const answer = await place('sla', body);
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid-request' } });
    if (pointer !== undefined) expect(answer.at('errors.0.pointer')).toBe(pointer);
  });

  it('name all unknown filters, and those that exist', async () => {
    const answer = await place('sla', { pod: manifest({}), filters: ['Taint', 'NodeName', 'X'] });
    expect(errorsOf(answer)).toEqual([
      ['/filters/0', expect.stringMatching(/^unknown filter "Taint"; known filters are NodeUnschedulable, NodeName, /)],
      ['/filters/2', expect.stringContaining('unknown filter "X"')],
    ]);
  });

  it('name the new name of filters, over REST and GraphQL', async () => {
    const RENAMED = 'unknown field "rules"; it is now called "filters"';
    const asked = { pod: manifest({}), rules: ['NodeName'] };
    const placed = await place('sla', asked);
    expect([placed.status, errorsOf(placed)]).toEqual([400, [['/rules', RENAMED]]]);
    const batch = await service.request('POST', `${CLUSTERS}/sla/placements/batch`, { items: [{ id: 'a', ...asked }] });
    expect(batch.at('items.0.error.errors')).toMatchObject([{ pointer: '/items/0/rules', message: RENAMED }]);
    const stored = await service.request('GET', `${CLUSTERS}/sla/pods/default/web/placement?rules=NodeName`);
    expect(stored.status).toBe(400);
    expect(stored.at('errors')).toMatchObject([
      { field: 'rules', message: 'unknown query parameter "rules"; it is now called "filters"' },
    ]);
    const graphql = await service.graphql(
      'query ($input: PlacementInput!) { placement(cluster: "sla", input: $input) { message } }',
      { input: asked },
    );
    expect(graphql.status).toBe(400);
    expect(graphql.at('errors.0.message')).toMatch(/It is now called "filters"\.$/);
    const literal = await service.graphql(
      '{ placement(cluster: "sla", input: { podRef: { name: "web" }, rules: ["NodeName"] }) { message } }',
    );
    expect(literal.status).toBe(400);
    expect(literal.at('errors.0.message')).toMatch(/It is now called "filters"\.$/);
  });

  it('name the kinds that can be placed', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: {} };
    const answer = await place('sla', { pod: service });
    expect(answer).toMatchObject({ status: 422, json: { errors: [{ pointer: '/pod/kind' }] } });
    expect(answer.at('errors.0.message')).toMatch(
      /^Unsupported value: "Service": supported values: "Pod", "Deployment"/,
    );
  });

  it('include an unknown cluster and a revision in the future', async () => {
    expect(await place('nowhere', { pod: manifest({}) })).toMatchObject({
      status: 404,
      json: { code: 'cluster-not-found' },
    });
    expect(await place('sla', { pod: manifest({}) }, '?revision=99')).toMatchObject({
      json: { code: 'revision-not-found' },
    });
  });
});

describe('many placements in one request', () => {
  it('are evaluated item by item, and bad items fail alone', async () => {
    const answer = await service.request('POST', `${CLUSTERS}/sla/placements/batch`, {
      items: [
        { id: 'good', pod: manifest({}) },
        { id: 'bad', pod: manifest({ tolerations: [{ operator: 'Exists', value: 'x' }] }) },
        { id: 'unknown member', pod: manifest({}), what: 1 },
        { pod: manifest({}) },
        { id: 'told in full', pod: manifest({}), view: 'nodes', detail: 'nodes' },
        { id: 'by groups', pod: manifest({}), detail: 'nodes' },
        { id: 'bad selector', pod: manifest({}), nodes: { labelSelector: 'a in b' } },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      basis: { cluster: 'sla' },
      items: [
        { id: 'good', placement: { summary: { infeasible: 1 }, items: [] }, error: null },
        {
          id: 'bad',
          placement: null,
          error: { code: 'invalid-object', errors: [{ pointer: '/items/1/pod/spec/tolerations/0/operator' }] },
        },
        { error: { code: 'invalid-request', errors: [{ pointer: '/items/2/what' }] } },
        { id: '3', error: { errors: [{ pointer: '/items/3/id' }] } },
        { id: 'told in full', placement: { items: [{ node: 'a', verdict: 'infeasible' }], groups: [] } },
        { id: 'by groups', placement: { items: [], groups: [{ nodes: ['a'], verdict: 'infeasible' }] } },
        { id: 'bad selector', placement: null, error: { errors: [{ field: 'nodes.labelSelector' }] } },
      ],
    });
  });

  it('are evaluated for each cluster of a selector', async () => {
    await service.request('PUT', `${CLUSTERS}/eks`, { labels: { demo: 'yes' } });
    await service.request('PUT', `${CLUSTERS}/empty`, { labels: { demo: 'yes' } });
    const answer = await service.request('POST', '/api/v1/placements', {
      clusterSelector: 'demo=yes',
      pod: manifest({}),
    });
    expect(answer.json).toMatchObject({
      items: [
        { cluster: 'eks', placement: { summary: { feasible: 0 }, items: [] }, error: null },
        { cluster: 'empty', placement: null, error: { code: 'no-snapshot' } },
      ],
      continue: null,
    });
  });

  it('rank the nodes of each cluster on request', async () => {
    await service.request('PUT', `${CLUSTERS}/sla`, { labels: { ranked: 'yes' } });
    const ask = async (ranking: object): Promise<Answer> =>
      service.request('POST', '/api/v1/placements?intents=exclude', {
        clusterSelector: 'ranked=yes',
        pod: manifest({ tolerations: [{ operator: 'Exists' }] }),
        ...ranking,
      });
    const asked = await ask({ ranking: true, rankingLimit: 1 });
    expect(asked.at('items')).toMatchObject([
      {
        cluster: 'sla',
        placement: {
          basis: { intents: { included: false } },
          ranking: { nodeCount: 1, nodes: [{ node: 'a', rank: 1 }] },
        },
      },
    ]);
    expect((await ask({})).at('items.0.placement.ranking')).toBeNull();
  });
});

describe('a placement over GraphQL', () => {
  it('has the same parts as over REST', async () => {
    const query = `query ($input: PlacementInput!) {
        placement(cluster: "sla", input: $input) {
          basis { cluster revision } message summary { infeasible }
          nodes(first: 1) { totalCount missingNodes nodes { node verdict firstFail fixes { pod { changes { yaml } } } reasons { __typename code ... on TaintReason { facts { taint { key value } } } } } }
        }
      }`;
    const ask = () => service.graphql(query, { input: { pod: manifest({}) } });
    const answer = await ask();
    // A frequent query is compiled, and must still distinguish the forms of reasons.
    for (let times = 0; times < 10; times++) expect((await ask()).at('data')).toEqual(answer.at('data'));
    expect(answer.at('errors')).toBeUndefined();
    expect(answer.at('data.placement')).toMatchObject({
      basis: { cluster: 'sla' },
      message:
        '0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
      nodes: {
        totalCount: 1,
        nodes: [
          {
            node: 'a',
            verdict: 'infeasible',
            firstFail: 'TaintToleration',
            fixes: { pod: { changes: [{ yaml: expect.stringContaining('key: sla') }] } },
            reasons: [{ __typename: 'TaintReason', code: 'UntoleratedTaint', facts: { taint: { key: 'sla' } } }],
          },
        ],
      },
    });
  });

  it('works for batches and clusters', async () => {
    const answer = await service.graphql(
      `query ($pod: KubernetesObject!, $bad: KubernetesObject!) {
        placements(cluster: "sla", input: { items: [{ id: "a", pod: $pod }, { id: "b", pod: $bad }] }) {
          items { id placement { summary { nodes } } error { code errors { field } } }
        }
        placementsAcross(clusterSelector: "demo=yes", input: { pod: $pod }) {
          nodes { cluster placement { summary { nodes } } error { code } }
        }
      }`,
      { pod: manifest({}), bad: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x' }, spec: { tolerations: 7 } } },
    );
    expect(answer.at('errors')).toBeUndefined();
    expect(answer.at('data')).toMatchObject({
      placements: {
        items: [
          { id: 'a', error: null },
          { id: 'b', placement: null, error: { code: 'invalid-object', errors: [{ field: 'spec.tolerations' }] } },
        ],
      },
      placementsAcross: { nodes: [{ cluster: 'eks' }, { cluster: 'empty', error: { code: 'no-snapshot' } }] },
    });
  });
});

describe('new nodes', () => {
  const zoned = (name: string): object => ({
    ...node(name),
    metadata: { name, labels: { 'karpenter.sh/nodepool': 'general', 'node.kubernetes.io/instance-type': 'm5.large' } },
  });
  const nodePool = (name: string, spec: object): object => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: { template: { spec: { requirements: [], ...spec } } },
  });
  const GPU = { key: 'gpu', value: 'a100', effect: 'NoSchedule' };
  const READY = { key: 'readiness.k8s.io/disk', effect: 'NoSchedule' };

  beforeAll(async () => {
    const rule = {
      apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
      kind: 'NodeReadinessRule',
      metadata: { name: 'disk-ready' },
      spec: {
        conditions: [{ type: 'DiskReady', requiredStatus: 'True' }],
        enforcementMode: 'continuous',
        nodeSelector: {},
        taint: READY,
      },
    };
    const pools = [nodePool('general', {}), nodePool('gpu', { taints: [GPU] })];
    await take('karpenter', list([zoned('n1'), node('n2', { spec: { taints: [READY] } }), ...pools, rule]));
  });

  it('are answered for each NodePool, with the reasons of nodes and what the pod waits for', async () => {
    const { json } = await place('karpenter', { pod: manifest({}), newNodes: true });
    expect(json).toMatchObject({
      newNodes: {
        notLoaded: ['MachineDeployment', 'MachineSet', 'MachinePool', 'OpenShiftMachineSet'],
        groups: [
          {
            kind: 'NodePool',
            name: 'general',
            verdict: 'feasible',
            machine: { source: 'node', like: 'n1', instanceType: 'm5.large' },
            startupTaints: [
              { taint: { key: 'karpenter.sh/unregistered' }, tolerated: false },
              { taint: { text: 'readiness.k8s.io/disk:NoSchedule' }, removedBy: expect.stringContaining('Controller') },
            ],
          },
          {
            name: 'gpu',
            verdict: 'infeasible',
            groupReasons: [],
            firstFail: 'TaintToleration',
            untoleratedTaints: [{ text: 'gpu=a100:NoSchedule' }],
          },
        ],
      },
    });
  });

  it('are not answered unless they are asked for, and are a field in GraphQL', async () => {
    expect((await place('karpenter', { pod: manifest({}) })).json).toMatchObject({ newNodes: null });
    const query = `query ($pod: KubernetesObject!) { placement(cluster: "karpenter", input: { pod: $pod }) {
      newNodes { groups { name verdict reasons { ... on TaintReason { code } } } } } }`;
    const answer = await service.request('POST', '/graphql', { query, variables: { pod: manifest({}) } });
    expect(answer.json).toMatchObject({
      data: {
        placement: {
          newNodes: {
            groups: [
              { name: 'general', verdict: 'feasible', reasons: [] },
              { name: 'gpu', verdict: 'infeasible', reasons: [{ code: 'UntoleratedTaint' }] },
            ],
          },
        },
      },
    });
  });

  it('a readiness taint is named with its rule', async () => {
    const { json } = await place('karpenter', { pod: manifest({}) });
    expect(json).toMatchObject({
      items: [
        { node: 'n1', verdict: 'feasible' },
        { node: 'n2', untoleratedTaints: [{ wellKnown: expect.stringContaining('NodeReadinessRule disk-ready') }] },
      ],
    });
    const known = await service.request('GET', `${CLUSTERS}/karpenter/nodes/n2`);
    expect(JSON.stringify(known.json)).toContain(
      'NodeReadinessRule disk-ready sets it on nodes until DiskReady is True',
    );
  });
});
