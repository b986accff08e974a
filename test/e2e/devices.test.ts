import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node } from '../support/dumps.js';
import { GPU_CLASS } from '../support/gpus.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

const DRIVER = 'gpu.example.com';
const API = 'resource.k8s.io/v1';
const PLACEMENTS = '/api/v1/clusters/c/placements';

const object = (kind: string, name: string, spec: object, more: object = {}): object => ({
  apiVersion: API,
  kind,
  metadata: { name, ...(kind.startsWith('ResourceClaim') && { namespace: 'default' }) },
  spec,
  ...more,
});
const request = (more: object = {}): object => ({
  name: 'gpu',
  // The API server sets the mode and the count.
  exactly: { deviceClassName: 'gpu', ...more },
});
const slice = (on: string, devices: object): object =>
  object('ResourceSlice', `slice-${on}`, {
    driver: DRIVER,
    nodeName: on,
    pool: { name: on, generation: 1, resourceSliceCount: 1 },
    devices,
  });

const TAINT = { key: 'example.com/broken', value: 'quokka', effect: 'NoExecute', timeAdded: '2026-03-01T10:00:00Z' };
const TAINTED = Array.from({ length: 20 }, (_, index) => `tainted-${index}`);

const LIMITED = { key: 'example.com/drain', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 600 };

/** Costs more than a million for each device. */
const COSTLY = ['a', 'b', 'c', 'd'].reduceRight(
  (inner, name) => `[${Array.from({ length: 40 }, (_, index) => index).join()}].all(${name}, ${inner})`,
  'a + b + c + d >= 0',
);

const CLUSTER = [
  ...['free', 'taken', ...TAINTED].map((name) => node(name)),
  GPU_CLASS,
  slice('free', [{ name: 'gpu-0' }, { name: 'gpu-1' }]),
  slice('taken', [{ name: 'gpu-0' }]),
  ...TAINTED.map((name, index) => slice(name, [{ name: `gpu-${index}`, taints: [TAINT] }])),
  object('ResourceClaimTemplate', 'one', { spec: { devices: { requests: [request()] } } }),
  object('ResourceClaimTemplate', 'tolerant', {
    spec: { devices: { requests: [request({ tolerations: [{ key: TAINT.key, operator: 'Exists' }] })] } },
  }),
  object('ResourceClaimTemplate', 'costly', {
    spec: { devices: { requests: [request({ selectors: [{ cel: { expression: COSTLY } }] })] } },
  }),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'locked' } },
  {
    ...object('ResourceClaimTemplate', 'admin', { spec: { devices: { requests: [request({ adminAccess: true })] } } }),
    metadata: { name: 'admin', namespace: 'locked' },
  },
  object(
    'ResourceClaim',
    'holder',
    { devices: { requests: [request()] } },
    {
      status: {
        allocation: { devices: { results: [{ request: 'gpu', driver: DRIVER, pool: 'taken', device: 'gpu-0' }] } },
      },
    },
  ),
];

const USED = object(
  'ResourceClaim',
  'used',
  { devices: { requests: [request()] } },
  {
    status: {
      allocation: {
        devices: {
          results: [{ request: 'gpu', driver: DRIVER, pool: 'free', device: 'gpu-1', tolerations: [LIMITED] }],
        },
      },
      reservedFor: [{ resource: 'pods', name: 'train', uid: 'train' }],
    },
  },
);
const TRAIN = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'train', namespace: 'default', uid: 'train' },
  spec: {
    nodeName: 'free',
    containers: [{ name: 'c', image: 'i' }],
    resourceClaims: [{ name: 'gpu', resourceClaimName: 'used' }],
  },
  status: { phase: 'Running' },
};

const RULE = {
  apiVersion: 'resource.k8s.io/v1alpha3',
  kind: 'DeviceTaintRule',
  metadata: { name: 'drain-free' },
  spec: {
    deviceSelector: { driver: DRIVER, pool: 'free' },
    taint: { key: 'example.com/drain', effect: 'NoExecute', timeAdded: '2026-03-01T12:00:00Z' },
  },
};

const podWith = (resourceClaimTemplateName: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'gpu' }] } }],
    resourceClaims: [{ name: 'gpu', resourceClaimTemplateName }],
  },
});

const tokens = { open: newToken(), withheld: newToken() };
let folder: string;
let service: TestService;

const ask = (token: keyof typeof tokens, path: string, body: object | string): Promise<Answer> =>
  service.request('POST', path, body, { authorization: `Bearer ${tokens[token]}` });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'devices-'));
  const file = join(folder, 'auth.json');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  const bindings = [
    { subjects: ['token:open'], clusters: ['*'], roles: ['admin'] },
    { subjects: ['token:withheld'], clusters: ['*'], roles: ['evaluate'], taintValues: false },
  ];
  await writeFile(file, JSON.stringify({ tokens: entries, bindings }));
  service = await startTestService({ AUTH_FILE: file, RATE_LIMIT: '0' });
  const stored = await ask(
    'open',
    '/api/v1/clusters/c/snapshots?createCluster=true',
    list([...CLUSTER, RULE, USED, TRAIN]),
  );
  expect(stored.status).toBe(201);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

interface NodeAnswer {
  readonly node: string;
  readonly verdict: string;
  readonly reasons: readonly { readonly code: string; readonly facts: object }[];
}

describe('a pod with a device claim', () => {
  it('is told node by node which device it cannot have, for which taint, or because of which claim', async () => {
    const answer = await ask('open', PLACEMENTS, { pod: podWith('one'), view: 'nodes' });
    expect(answer.status).toBe(200);
    const nodes = new Map((answer.at('items') as readonly NodeAnswer[]).map((one) => [one.node, one]));
    expect(nodes.get('free')?.verdict).toBe('feasible');
    expect(nodes.get('taken')?.reasons).toMatchObject([
      {
        code: 'DevicesNotAllocatable',
        message: 'cannot allocate all claims',
        facts: {
          claim: 'default/web-gpu',
          request: 'gpu',
          devices: [{ device: `${DRIVER}/taken/gpu-0`, because: 'InUse', claim: 'default/holder' }],
        },
      },
    ]);
    expect(nodes.get('tainted-0')?.reasons).toMatchObject([
      { facts: { devices: [{ device: `${DRIVER}/tainted-0/gpu-0`, because: 'Tainted', taint: TAINT }] } },
    ]);
  });

  it('is told which device its claim would get, how many it cannot have why, and which toleration would open nodes', async () => {
    const answer = await ask('open', PLACEMENTS, { pod: podWith('one'), view: 'nodes', fixes: true });
    const nodes = new Map((answer.at('items') as readonly NodeAnswer[]).map((one) => [one.node, one]));
    const got = { claim: 'default/web-gpu', request: 'gpu', adminAccess: false, consumedCapacity: [] };
    expect(nodes.get('free')).toMatchObject({ devices: [{ ...got, device: `${DRIVER}/free/gpu-0` }] });
    expect(nodes.get('taken')).toMatchObject({
      devices: null,
      reasons: [
        { facts: { counts: { inUse: 1, tainted: 0, capacity: 0, combination: 0 }, notSelected: 0, taints: [] } },
      ],
    });
    expect(nodes.get('tainted-0')).toMatchObject({
      reasons: [{ facts: { counts: { tainted: 1 }, taints: [{ taint: TAINT, devices: 1, tolerated: false }] } }],
    });
    const toleration = { key: TAINT.key, operator: 'Equal', value: TAINT.value, effect: 'NoExecute' };
    const changes = [{ kind: 'AddDeviceToleration', change: { request: 'gpu', toleration } }];
    const plan = { changes, verdict: 'feasible', remaining: [], refusal: null };
    expect(nodes.get('tainted-0')).toMatchObject({ fixes: { pod: null, node: null, claim: plan } });
    // Another claim has the only device of the node.
    expect(nodes.get('taken')).toMatchObject({ fixes: { pod: null, node: null, claim: null } });
    const groups = await ask('open', PLACEMENTS, { pod: podWith('one'), fixes: true });
    expect(groups.at('groups')).toMatchObject([
      { verdict: 'feasible', fixes: null },
      { count: TAINTED.length + 1, fixes: { pod: null, node: null, claim: { ...plan, nodes: TAINTED.length } } },
    ]);
    expect(answer.at('smallestFixes')).toMatchObject([
      {
        object: 'Claim',
        count: TAINTED.length,
        patch: null,
        changes: [
          {
            kind: 'AddDeviceToleration',
            summary: `tolerate ${TAINT.key}=${TAINT.value}:NoExecute in request gpu of ResourceClaimTemplate default/one`,
            change: {
              claim: { kind: 'ResourceClaimTemplate', namespace: 'default', name: 'one' },
              request: 'gpu',
              toleration,
            },
          },
        ],
      },
    ]);
  });

  it('gets the same device in queue runs, gates and landings', async () => {
    const pod = podWith('one');
    const placement = await ask('open', PLACEMENTS, { pod, view: 'nodes' });
    const onFree = (placement.at('items') as readonly NodeAnswer[]).find(({ node: name }) => name === 'free');
    const { devices } = onFree as NodeAnswer & { readonly devices: object };
    const of = (path: string, body: object): Promise<Answer> => ask('open', `/api/v1/clusters/c/${path}`, body);
    const queue = await of('queue-runs', { pending: false, pods: [{ id: 'web', pod }] });
    expect(queue.at('groups.0')).toMatchObject({ outcome: 'placed', node: 'free', devices });
    const gate = await of('gates', { manifests: [pod], proposeChanges: false });
    expect(gate.at('workloads.0.nodes')).toEqual([{ node: 'free', pods: 1, devices }]);
  });

  it('gets a device of its new node when it is replaced', async () => {
    const pods = '/api/v1/clusters/moving';
    const template = object('ResourceClaimTemplate', 'one', { spec: { devices: { requests: [request()] } } });
    const allocation = { devices: { results: [{ request: 'gpu', driver: DRIVER, pool: 'old', device: 'gpu-0' }] } };
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'web-1', controller: true };
    const claim = {
      ...object('ResourceClaim', 'web-1-gpu-x', { devices: { requests: [request()] } }),
      metadata: { name: 'web-1-gpu-x', namespace: 'default', ownerReferences: [owner] },
      status: { allocation, reservedFor: [{ resource: 'pods', name: 'web-1', uid: 'web-1' }] },
    };
    const running = {
      ...podWith('one'),
      metadata: {
        ...{ name: 'web-1', namespace: 'default', uid: 'web-1' },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true }],
      },
      status: { phase: 'Running', resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'web-1-gpu-x' }] },
    };
    const { spec } = running as unknown as { spec: object };
    const objects = [
      ...[node('old'), slice('old', [{ name: 'gpu-0' }]), node('new')],
      slice('new', [
        {
          name: 'gpu-0',
          bindingConditions: ['example.com/attached'],
          bindingFailureConditions: ['example.com/failed'],
        },
      ]),
      ...[CLUSTER.find((one) => (one as { kind: string }).kind === 'DeviceClass')!, template, claim],
      { ...running, spec: { ...spec, nodeName: 'old' } },
    ];
    expect((await ask('open', `${pods}/snapshots?createCluster=true`, list(objects))).status).toBe(201);
    const changes = [{ editNodes: { nodes: ['old'], taints: ['broken:NoExecute'] } }];
    const answer = await ask('open', `${pods}/eviction-schedules`, { landing: true, scenario: { changes } });
    expect(answer.at('landing.pods.items')).toMatchObject([
      {
        name: 'web-1',
        chosen: 'new',
        devices: [
          {
            claim: 'default/web-1-gpu',
            request: 'gpu',
            device: `${DRIVER}/new/gpu-0`,
            bindingConditions: ['example.com/attached'],
          },
        ],
      },
    ]);
    const withChange = (change: object): { scenario: object } => ({ scenario: { changes: [change] } });
    for (const change of [
      { removeNodes: { nodes: ['old'] } },
      { movePods: { pods: ['default/web-1'], pending: true } },
    ]) {
      const queue = await ask('open', `${pods}/queue-runs`, withChange(change));
      expect(queue.at('groups')).toMatchObject([
        { outcome: 'placed', devices: [{ claim: 'default/web-1-gpu', device: expect.stringContaining(DRIVER) }] },
      ]);
    }
    const grown = withChange({ addNodes: { like: 'old', name: 'more' } });
    const onMore = await ask('open', `${pods}/placements`, { pod: podWith('one'), view: 'nodes', ...grown });
    expect(
      (onMore.at('items') as readonly NodeAnswer[]).map(({ node: name, verdict }) => [name, verdict]).sort(),
    ).toEqual([
      ['more', 'feasible'],
      ['new', 'feasible'],
      ['old', 'infeasible'],
    ]);
    const freed = withChange({ removePods: { pods: ['default/web-1'] } });
    for (const [body, verdict] of [[freed, 'feasible'] as const, [{}, 'infeasible'] as const]) {
      const placement = await ask('open', `${pods}/placements`, { pod: podWith('one'), view: 'nodes', ...body });
      const nodes = placement.at('items') as readonly NodeAnswer[];
      expect(nodes.find(({ node: name }) => name === 'old')).toMatchObject({ verdict });
    }
  });

  it('is unblocked in a queue run by a toleration of its request', async () => {
    const body = { pending: false, pods: [{ id: 'web', pod: podWith('one'), replicas: 3 }], unblocking: true };
    const answer = await ask('open', '/api/v1/clusters/c/queue-runs', body);
    expect(answer.at('totals')).toMatchObject({ placed: 1, unplaced: 2 });
    expect(answer.at('unblocking.changes.0')).toMatchObject({
      kind: 'AddDeviceToleration',
      summary: `tolerate ${TAINT.key}=${TAINT.value}:NoExecute in request gpu of ResourceClaimTemplate default/one`,
      unblocks: 2,
      deviceTolerations: [
        { claim: { kind: 'ResourceClaimTemplate', name: 'one' }, toleration: { value: TAINT.value } },
      ],
    });
  });

  it('fits where its claim tolerates the taint', async () => {
    const answer = await ask('open', PLACEMENTS, { pod: podWith('tolerant') });
    expect(answer.at('summary')).toMatchObject({ feasible: TAINTED.length + 1, infeasible: 1 });
  });

  it('is kept off devices by a DeviceTaintRule where the feature gate is on, and only there', async () => {
    const body = { pod: podWith('one'), view: 'nodes' };
    const verdictOnFree = async (featureGates?: object): Promise<unknown> =>
      ((await ask('open', PLACEMENTS, { ...body, featureGates })).at('items') as readonly NodeAnswer[]).find(
        ({ node: name }) => name === 'free',
      );
    expect(await verdictOnFree()).toMatchObject({ verdict: 'feasible' });
    expect(await verdictOnFree({ DRADeviceTaintRules: true })).toMatchObject({
      verdict: 'infeasible',
      reasons: [{ facts: { devices: [{ because: 'Tainted', taint: RULE.spec.taint }, { because: 'InUse' }] } }],
    });
    expect(await verdictOnFree({ DRADeviceTaintRules: false })).toMatchObject({ verdict: 'feasible' });
  });

  it.each(['nodes', 'groups'])(
    'as %s tells no value of a device taint to a caller who may not see it',
    async (view) => {
      const body = { pod: podWith('one'), view };
      expect((await ask('open', PLACEMENTS, body)).text).toContain(TAINT.value);
      const answer = await ask('withheld', PLACEMENTS, body);
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain(TAINT.value);
    },
  );

  it('whose selector costs too much gets the error of the scheduler on each node', async () => {
    const answer = await ask('open', PLACEMENTS, { pod: podWith('costly'), view: 'nodes' });
    expect(answer.status).toBe(200);
    expect(answer.at('summary')).toMatchObject({ feasible: 0, unknown: 0 });
    const message =
      'claim default/web-gpu: selector #0: CEL runtime error: operation cancelled: actual cost limit exceeded';
    // The device of the node `taken` is in use, so nothing is asked about it.
    const others = (answer.at('items') as readonly NodeAnswer[]).filter((one) => one.node !== 'taken');
    expect(others.length).toBeGreaterThan(5);
    for (const { reasons } of others) {
      expect(reasons).toMatchObject([{ code: 'DeviceAllocationFailed', status: 'Error', message }]);
    }
  });

  it('is answered the same over GraphQL', async () => {
    const facts = 'facts { claim request wanted selected devices { device because claim taint { key value } } }';
    const query = `query ($pod: KubernetesObject!) {
      cluster(name: "c") {
        placement(input: { pod: $pod }) { nodes { edges { node { node reasons { ... on DeviceReason { ${facts} } } } } } }
      }
    }`;
    const answer = await ask('open', '/graphql', { query, variables: { pod: podWith('one') } });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(
      `{"device":"${DRIVER}/taken/gpu-0","because":"InUse","claim":"default/holder","taint":null}`,
    );
  });
});

describe('a pod whose claim cannot be made', () => {
  const inLocked = (template: string): object => ({
    ...podWith(template),
    metadata: { name: 'web', namespace: 'locked' },
  });
  it.each([
    ['from a template with admin access, in a namespace that does not allow it', 'admin', 'admin-access: true'],
    ['from a template that does not exist', 'missing', 'the ResourceClaimTemplate does not exist'],
  ])('%s, is refused everywhere, and the template is named', async (_, template, why) => {
    const pod = inLocked(template);
    const note = expect.stringMatching(`^no claim can be made from ResourceClaimTemplate locked/${template}: .*${why}`);
    const message = 'pod "locked/web": ResourceClaim not created yet';
    const asked = (path: string, body: object): Promise<Answer> => ask('open', `/api/v1/clusters/c/${path}`, body);
    const placement = await asked('placements', { pod });
    expect([placement.at('summary.infeasible'), placement.at('rollup.0')]).toMatchObject([22, { message, note }]);
    const capacity = await asked('capacities', { pod });
    expect([capacity.at('isComplete'), capacity.at('next.reasons.0')]).toMatchObject([true, { note }]);
    const queue = await asked('queue-runs', { pending: false, pods: [{ id: 'web', pod }] });
    expect(queue.at('groups.0')).toMatchObject({ outcome: 'gated', message, reasons: [{ message, note }] });
    const gate = await asked('gates', { manifests: [pod], proposeChanges: false });
    expect(gate.at('reasons.0')).toMatchObject({
      verdict: 'no',
      nodeGroups: [{ reasons: [{ facts: { template: `locked/${template}`, because: expect.stringContaining(why) } }] }],
    });
  });
});

describe('a question with the feature gate DRADeviceTaintRules on', () => {
  const CLUSTER_PATH = '/api/v1/clusters/c';
  const ON = { featureGates: { DRADeviceTaintRules: true } };
  const work = { pending: false, pods: [{ id: 'web', pod: podWith('one') }] };

  it('as a queue run, has no device that a DeviceTaintRule taints, and keeps its pages apart from those without', async () => {
    const run = (more: object): Promise<Answer> =>
      ask('open', `${CLUSTER_PATH}/queue-runs?limit=1`, { ...work, ...more });
    const off = await run({});
    expect(off.at('totals')).toMatchObject({ placed: 1, unplaced: 0 });
    expect((await run(ON)).at('totals')).toMatchObject({ placed: 0, unplaced: 1 });
    expect((await run({ featureGates: { DRADeviceTaintRules: false } })).at('totals')).toMatchObject({ placed: 1 });
  });

  it('as a capacity, counts no such device', async () => {
    const count = async (more: object): Promise<unknown> =>
      (await ask('open', `${CLUSTER_PATH}/capacities`, { pod: podWith('one'), ...more })).at('replicas');
    expect(await count({})).toBe(1);
    expect(await count(ON)).toBe(0);
  });

  it('as a gate, says no, also when the recorded gate is answered again', async () => {
    const body = { manifests: [podWith('one')], proposeChanges: false };
    const off = await ask('open', `${CLUSTER_PATH}/gates`, body);
    // The kinds that admission reads were never loaded.
    expect(off.at('verdict')).toBe('unknown');
    const on = await ask('open', `${CLUSTER_PATH}/gates`, { ...body, ...ON });
    expect(on.at('verdict')).toBe('no');
    const id = String(on.at('decision.id'));
    const replay = await ask('open', `/api/v1/decisions/${id}/replay?head=false`, '');
    expect(replay.status).toBe(200);
    expect(replay.text).toContain('"verdict":"no"');
    expect(replay.text).not.toContain('"verdict":"unknown"');
  });

  it('as a list of devices, names the rule that taints a device, over REST and GraphQL', async () => {
    const get = (query: string): Promise<Answer> =>
      service.request('GET', `${CLUSTER_PATH}/devices?node=free${query}`, undefined, {
        authorization: `Bearer ${tokens.open}`,
      });
    const tainted = { taints: [{ taint: { key: RULE.spec.taint.key }, rule: 'drain-free' }] };
    expect((await get('')).at('items')).toMatchObject([{ taints: [] }, { taints: [] }]);
    expect((await get('&DRADeviceTaintRules=true')).at('items')).toMatchObject([tainted, tainted]);
    const query = `query ($pod: KubernetesObject!) { cluster(name: "c") {
      devices(node: "free", DRADeviceTaintRules: true) { edges { node { taints { taint { key } rule } } } }
      queueRun(input: { pending: false, pods: [{ id: "web", pod: $pod }], featureGates: { DRADeviceTaintRules: true } }) {
        totals { unplaced }
      }
    } }`;
    const answer = await ask('open', '/graphql', { query, variables: { pod: podWith('one') } });
    expect(answer.at('data.cluster')).toMatchObject({
      devices: { edges: [{ node: tainted }, { node: tainted }] },
      queueRun: { totals: { unplaced: 1 } },
    });
  });
});

describe('a schedule of evictions', () => {
  const PATH = '/api/v1/clusters/c/eviction-schedules';

  it('has the pods that a DeviceTaintRule evicts, with rule, device and seconds, where its feature gate is on', async () => {
    const off = await ask('open', PATH, { landing: true });
    expect(off.at('counts')).toMatchObject({ now: 0, at: 0 });
    const on = await ask('open', PATH, { featureGates: { DRADeviceTaintRules: true }, landing: true, view: 'pods' });
    expect(on.status).toBe(200);
    expect((on.at('items') as readonly object[])[0]).toMatchObject({
      name: 'train',
      at: { earliest: '2026-03-01T12:10:00Z', latest: '2026-03-01T12:10:00Z' },
      because: expect.stringContaining(
        `The allocation tolerates example.com/drain:NoExecute of DeviceTaintRule drain-free on the device ${DRIVER}/free/gpu-1 for 600 s.`,
      ) as unknown,
      base: { known: 'deviceTaint', latest: '2026-03-01T12:00:00Z' },
      taints: [],
      devices: [
        {
          taint: 'example.com/drain:NoExecute',
          rule: 'drain-free',
          claim: 'default/used',
          device: `${DRIVER}/free/gpu-1`,
          seconds: 600,
          decides: true,
        },
      ],
      keptWithout: { anyOf: ['example.com/drain:NoExecute'], allOf: [] },
      disruption: { kind: 'deviceTaintEviction', reason: 'DeletionByDeviceTaintManager' },
    });
  });

  it('has the pods that a rule of a scenario would evict, from asOf on, and those that stay without a rule', async () => {
    const rule = {
      apiVersion: 'resource.k8s.io/v1beta2',
      kind: 'DeviceTaintRule',
      metadata: { name: 'planned' },
      spec: { deviceSelector: { device: 'gpu-1' }, taint: { key: 'planned', effect: 'NoExecute' } },
    };
    const body = { featureGates: { DRADeviceTaintRules: true }, asOf: '2027-01-01T00:00:00Z', view: 'pods' };
    const remove = { removeObjects: { objects: [{ kind: 'DeviceTaintRule', name: 'drain-free' }] } };
    const removed = await ask('open', PATH, { ...body, scenario: { changes: [remove] } });
    expect(removed.at('counts')).toMatchObject({ now: 0, at: 0 });
    const changes = [remove, { putObjects: { objects: [rule] } }];
    const planned = await ask('open', PATH, { ...body, scenario: { changes } });
    expect(planned.at('items')).toMatchObject([
      {
        name: 'train',
        at: { latest: '2027-01-01T00:00:00Z' },
        devices: [{ rule: 'planned', timeAdded: '2027-01-01T00:00:00.000Z' }],
      },
    ]);
    const wrong = { ...rule, spec: { taint: { key: '', effect: 'Never' } } };
    const refused = await ask('open', PATH, { ...body, scenario: { changes: [{ putObjects: { objects: [wrong] } }] } });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('spec.taint.key');
    expect(refused.text).toContain('spec.taint.effect');
  });
});

describe('a schedule of evictions where kinds were never loaded', () => {
  const scheduled = async (cluster: string, objects: readonly object[], body: object = {}): Promise<Answer> => {
    const path = `/api/v1/clusters/${cluster}`;
    expect((await ask('open', `${path}/snapshots?createCluster=true`, list(objects))).status).toBe(201);
    return ask('open', `${path}/eviction-schedules`, body);
  };
  const plain = { ...TRAIN, spec: { nodeName: 'free', containers: [{ name: 'c', image: 'i' }] } };
  const RULES_ON = { featureGates: { DRADeviceTaintRules: true } };

  it('names those that tell which pods device taints evict, if a pod has claims, or pods are not known either', async () => {
    const some = await scheduled('no-slices', [node('free'), TRAIN]);
    expect(some.json).toMatchObject({ counts: { now: 0 }, notLoaded: ['ResourceSlice', 'ResourceClaim'] });
    const noRules = await scheduled('no-rules', [...CLUSTER, USED, TRAIN], RULES_ON);
    expect(noRules.at('notLoaded')).toEqual(['DeviceTaintRule']);
    const noPods = await scheduled('no-pods', [node('free')]);
    expect(noPods.at('notLoaded')).toEqual(['Pod', 'ResourceSlice', 'ResourceClaim']);
  });

  it('names them in CSV at the end of each line, and in a line of their own without pods', async () => {
    const csv = async (cluster: string): Promise<readonly string[]> => {
      const { text } = await ask('open', `/api/v1/clusters/${cluster}/eviction-schedules?format=csv`, RULES_ON);
      return text.trimEnd().split('\r\n').slice(1);
    };
    const taint = { key: 'm', effect: 'NoExecute' };
    const tainted = { ...node('free'), spec: { taints: [taint] } };
    await scheduled('csv-no-slices', [tainted, TRAIN]);
    expect(await csv('csv-no-slices')).toEqual([
      expect.stringMatching(/^now,.*,default,train,free,.*,ResourceSlice; ResourceClaim; DeviceTaintRule$/),
    ]);
    await scheduled('csv-no-pods', [node('free')]);
    expect(await csv('csv-no-pods')).toEqual([`${','.repeat(17)}Pod; ResourceSlice; ResourceClaim; DeviceTaintRule`]);
    expect((await csv('c')).every((line) => line.endsWith(','))).toBe(true);
  });

  it('names none if no pod has claims, and none where they are loaded, over REST and GraphQL', async () => {
    expect((await scheduled('no-claims', [node('free'), plain], RULES_ON)).at('notLoaded')).toEqual([]);
    expect((await ask('open', '/api/v1/clusters/c/eviction-schedules', RULES_ON)).at('notLoaded')).toEqual([]);
    const query = '{ evictionSchedule(cluster: "no-slices") { notLoaded } }';
    expect((await ask('open', '/graphql', { query })).at('data.evictionSchedule')).toEqual({
      notLoaded: ['ResourceSlice', 'ResourceClaim'],
    });
  });
});

describe('a scenario with other taints in a ResourceSlice', () => {
  const taint = { key: 'example.com/worn', value: 'yes', effect: 'NoExecute' };
  const put = (object: object): object => ({ scenario: { changes: [{ putObjects: { objects: [object] } }] } });
  const worn = put(slice('free', [{ name: 'gpu-0' }, { name: 'gpu-1', taints: [taint] }]));
  const spent = put(
    slice('free', [
      { name: 'gpu-0', taints: [taint] },
      { name: 'gpu-1', taints: [taint] },
    ]),
  );

  it('evicts the pods that use the device, from asOf on, and those pods only', async () => {
    const asOf = '2027-01-01T00:00:00Z';
    const path = '/api/v1/clusters/c/eviction-schedules';
    const evicted = await ask('open', path, { ...worn, asOf, landing: true, view: 'pods' });
    expect(evicted.status).toBe(200);
    expect(evicted.at('items')).toMatchObject([
      {
        name: 'train',
        at: { latest: asOf },
        devices: [{ rule: null, taint: 'example.com/worn=yes:NoExecute', device: `${DRIVER}/free/gpu-1` }],
      },
    ]);
    expect(evicted.at('landing.pods.items')).toMatchObject([{ name: 'train', from: 'free' }]);
    const unused = put(slice('free', [{ name: 'gpu-0', taints: [taint] }, { name: 'gpu-1' }]));
    expect((await ask('open', path, { ...unused, asOf })).at('counts')).toMatchObject({ now: 0, at: 0 });
  });

  it('keeps pods from the device in placements, and says why', async () => {
    const verdict = async (scenario: object): Promise<unknown> => {
      const answer = await ask('open', PLACEMENTS, { pod: podWith('one'), view: 'nodes', ...scenario });
      expect(answer.status).toBe(200);
      return (answer.at('items') as readonly NodeAnswer[]).find(({ node: name }) => name === 'free');
    };
    expect(await verdict({})).toMatchObject({ verdict: 'feasible' });
    expect(await verdict(worn)).toMatchObject({ verdict: 'feasible' });
    expect(await verdict(spent)).toMatchObject({
      verdict: 'infeasible',
      reasons: [{ code: 'DevicesNotAllocatable' }],
    });
    expect(JSON.stringify(await verdict(spent))).toContain('example.com/worn');
  });

  it('is refused with every field that the API server would refuse', async () => {
    const bad = { ...taint, key: '', effect: 'Never' };
    const answer = await ask('open', PLACEMENTS, {
      pod: podWith('one'),
      ...put(slice('free', [{ name: 'gpu-0' }, { name: 'gpu-0', taints: [bad] }])),
    });
    expect(answer.status).toBe(422);
    for (const field of ['spec.devices[1].name', 'spec.devices[1].taints[0].key', 'spec.devices[1].taints[0].effect']) {
      expect(answer.text).toContain(field);
    }
  });
});

describe('a scenario with other claims, templates and classes', () => {
  const verdicts = async (pod: object, ...objects: object[]): Promise<unknown> => {
    const scenario = { changes: [{ putObjects: { objects } }] };
    const answer = await ask('open', PLACEMENTS, { pod, ...(objects.length > 0 && { scenario }) });
    expect(answer.status).toBe(200);
    return answer.at('summary');
  };
  const everything = object('DeviceClass', 'everything', {});
  const ofClass = (deviceClassName: string): object => ({
    devices: { requests: [{ name: 'gpu', exactly: { deviceClassName } }] },
  });

  it('places the pods that ask for them', async () => {
    expect(await verdicts(podWith('new'))).toMatchObject({ feasible: 0, unknown: 0 });
    const template = object('ResourceClaimTemplate', 'new', { spec: ofClass('everything') });
    expect(await verdicts(podWith('new'), template)).toMatchObject({ feasible: 0, unknown: 0 });
    expect(await verdicts(podWith('new'), template, everything)).toMatchObject({ feasible: 1, unknown: 0 });
    const status = {
      allocation: { devices: { results: [{ request: 'gpu', driver: DRIVER, pool: 'free', device: 'gpu-0' }] } },
    };
    const holder = object('ResourceClaim', 'other-holder', ofClass('gpu'), { status });
    expect(await verdicts(podWith('one'))).toMatchObject({ feasible: 1 });
    expect(await verdicts(podWith('one'), holder)).toMatchObject({ feasible: 0, unknown: 0 });
  });

  it('is refused with every field that the API server would refuse', async () => {
    const objects = [object('DeviceClass', 'A', {}), object('ResourceClaim', 'c', ofClass(''))];
    const answer = await ask('open', PLACEMENTS, {
      pod: podWith('one'),
      scenario: { changes: [{ putObjects: { objects } }] },
    });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('/scenario/changes/0/putObjects/objects/0/metadata/name');
    expect(answer.text).toContain(
      '/scenario/changes/0/putObjects/objects/1/spec/devices/requests/0/exactly/deviceClassName',
    );
  });
});

describe('the list of devices', () => {
  const PATH = '/api/v1/clusters/c/devices';
  const devices = async (query: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const answer = await service.request('GET', `${PATH}${query}`, undefined, {
      authorization: `Bearer ${tokens.open}`,
    });
    expect(answer.status).toBe(200);
    return answer.at('items') as readonly Readonly<Record<string, unknown>>[];
  };

  it('has the state, the class, the taints and the holders of each', async () => {
    expect(await devices('?node=free')).toMatchObject([
      {
        driver: DRIVER,
        pool: 'free',
        name: 'gpu-0',
        node: 'free',
        state: 'free',
        classes: ['gpu'],
        taints: [],
        holders: [],
      },
      {
        name: 'gpu-1',
        state: 'allocated',
        holders: [{ claim: 'default/used', request: 'gpu', pods: ['default/train'] }],
      },
    ]);
    expect(await devices('?pool=tainted-0')).toMatchObject([
      { state: 'tainted', taints: [{ taint: TAINT, rule: null }] },
    ]);
  });

  it('says which kinds were never loaded, and what is therefore not known', async () => {
    const headers = { authorization: `Bearer ${tokens.open}` };
    const snapshot = '/api/v1/clusters/slices-only/snapshots?createCluster=true';
    expect((await ask('open', snapshot, list([node('free'), slice('free', [{ name: 'gpu-0' }])]))).status).toBe(201);
    const answer = await service.request('GET', '/api/v1/clusters/slices-only/devices', undefined, headers);
    expect(answer.at('notLoaded')).toEqual(['ResourceClaim', 'DeviceClass']);
    expect(answer.at('items')).toMatchObject([{ name: 'gpu-0', state: 'unknown', classes: null }]);
    const whole = await service.request('GET', `${PATH}?limit=1`, undefined, headers);
    expect(whole.at('notLoaded')).toEqual([]);
  });

  it('calls no device free that cannot be had: siblings use its counters, or the rules of the version have none', async () => {
    const consumes = (value: string): object => ({
      consumesCounters: [{ counterSet: 'card', counters: { memory: { value } } }],
    });
    const pool = { name: 'p', generation: 1, resourceSliceCount: 2 };
    const parts = [
      ...[
        node('free'),
        GPU_CLASS,
        object('ResourceClaimTemplate', 'one', { spec: { devices: { requests: [request()] } } }),
      ],
      object('ResourceSlice', 'card', {
        ...{ driver: DRIVER, nodeName: 'free', pool },
        sharedCounters: [{ name: 'card', counters: { memory: { value: '40Gi' } } }],
      }),
      object('ResourceSlice', 'parts', {
        ...{ driver: DRIVER, nodeName: 'free', pool },
        devices: [
          { name: 'whole', ...consumes('40Gi') },
          { name: 'half', ...consumes('20Gi') },
        ],
      }),
      object(
        'ResourceClaim',
        'holder',
        { devices: { requests: [request()] } },
        {
          status: {
            allocation: { devices: { results: [{ request: 'gpu', driver: DRIVER, pool: 'p', device: 'half' }] } },
          },
        },
      ),
    ];
    const path = '/api/v1/clusters/parts';
    expect((await ask('open', `${path}/snapshots?createCluster=true`, list(parts))).status).toBe(201);
    const states = async (query: string): Promise<readonly unknown[]> => {
      const headers = { authorization: `Bearer ${tokens.open}` };
      const answer = await service.request('GET', `${path}/devices${query}`, undefined, headers);
      return (answer.at('items') as readonly { name: string; state: string }[]).map((one) => [one.name, one.state]);
    };
    const half = ['half', 'allocated'];
    expect(await states('')).toEqual([['whole', 'countersUsed'], half]);
    expect(await states('?state=free')).toEqual([]);
    expect(await states('?rulesVersion=1.35')).toEqual([['whole', 'gateOff'], half]);
    // As placements say.
    const placed = await ask('open', `${path}/placements`, { pod: podWith('one'), view: 'nodes' });
    expect(placed.at('items')).toMatchObject([{ verdict: 'infeasible', reasons: [{ code: 'DevicesNotAllocatable' }] }]);
  });

  it('is filtered by state, class, driver and pool, page by page', async () => {
    expect((await devices('?state=allocated')).map(({ pool, name }) => `${String(pool)}/${String(name)}`)).toEqual([
      'free/gpu-1',
      'taken/gpu-0',
    ]);
    expect(await devices('?deviceClass=gpu&state=tainted&limit=500')).toHaveLength(TAINTED.length);
    expect(await devices('?deviceClass=nothing')).toEqual([]);
    expect(await devices('?driver=other.example.com')).toEqual([]);
    const first = await service.request('GET', `${PATH}?limit=20`, undefined, {
      authorization: `Bearer ${tokens.open}`,
    });
    const token = String(first.at('continue'));
    const rest = await devices(`?limit=20&continue=${encodeURIComponent(token)}`);
    expect((first.at('items') as readonly object[]).length + rest.length).toBe(TAINTED.length + 3);
  });

  it('tells no value of a taint to a caller who may not see it', async () => {
    const withheld = { authorization: `Bearer ${tokens.withheld}` };
    const answer = await service.request('GET', `${PATH}?pool=tainted-0`, undefined, withheld);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(TAINT.value);
  });

  it('is answered over GraphQL', async () => {
    const query =
      '{ cluster(name: "c") { devices(state: allocated) { edges { node { pool name holders { claim pods } } } } } }';
    const answer = await ask('open', '/graphql', { query });
    expect(answer.text).toContain(
      '{"pool":"free","name":"gpu-1","holders":[{"claim":"default/used","pods":["default/train"]}]}',
    );
  });
});
