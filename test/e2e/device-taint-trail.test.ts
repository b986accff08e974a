import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { list, node } from '../support/dumps.js';
import { DEVICE_KINDS, GPU_CLASS, GPU_DRIVER as DRIVER, gpuSlice, gpuUser } from '../support/gpus.js';
import { ManualClock } from '../support/manual-clock.js';
import { type Answer, startTestService, type TestService } from '../support/service.js';
import { TestTrail } from '../support/trails.js';

const at = (minute: number): string => `2026-06-01T08:0${minute}:00.000000Z`;

const clock = new ManualClock();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { clock });
});
afterAll(() => service.close());

let made = 0;
let trail: TestTrail;
beforeEach(() => {
  trail = new TestTrail(service, `c${++made}`);
});

interface Rule {
  readonly devices?: object | undefined;
  readonly value?: string;
  readonly version?: string;
  readonly metadata?: object;
}

const rule = ({
  devices = { driver: DRIVER, pool: 'a' },
  value = 'true',
  version = '1',
  metadata,
}: Rule = {}): object => ({
  apiVersion: 'resource.k8s.io/v1beta2',
  kind: 'DeviceTaintRule',
  metadata: { name: 'broken', uid: 'uid-of-broken', resourceVersion: version, ...metadata },
  spec: { deviceSelector: devices, taint: { key: 'example.com/broken', value, effect: 'NoExecute', timeAdded: at(1) } },
});

const TAINT = { key: 'example.com/broken', effect: 'NoExecute', timeAdded: at(1) };
const OF_RULE = '?deviceTaintRule=broken&order=oldest';

/** What the API server logs of a write of the rule. */
function write(verb: string, minute: number, user: string, object: object | undefined, previous?: string): object {
  const named = verb === 'create' ? '' : '/broken';
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: `${verb}-${minute}`,
    stage: 'ResponseComplete',
    requestURI: `/apis/resource.k8s.io/v1beta2/devicetaintrules${named}?fieldManager=kubectl-edit`,
    verb,
    user: { username: user, groups: ['system:authenticated'] },
    sourceIPs: ['192.0.2.10'],
    userAgent: 'kubectl/v1.36.2',
    objectRef: {
      resource: 'devicetaintrules',
      apiGroup: 'resource.k8s.io',
      apiVersion: 'v1beta2',
      ...(verb !== 'create' && { name: 'broken' }),
    },
    responseStatus: { metadata: {}, code: 200 },
    ...(object !== undefined && {
      requestObject: {
        ...object,
        metadata: { name: 'broken', ...(previous !== undefined && { resourceVersion: previous }) },
      },
      responseObject: object,
    }),
    requestReceivedTimestamp: at(minute),
    stageTimestamp: at(minute),
  };
}

async function logged(...events: readonly object[]): Promise<unknown> {
  const path = `/api/v1/clusters/${trail.cluster}/audit-events`;
  const answer = await service.request('POST', path, events.map((event) => JSON.stringify(event)).join('\n'));
  expect(answer.status).toBe(200);
  return answer.json;
}

describe('the trail of a DeviceTaintRule', () => {
  it('has what snapshots show: that it was there, other devices, another value, that it is gone', async () => {
    await trail.snapshot(at(2), [node('a'), rule()]);
    await trail.snapshot(at(3), [node('a'), rule({ devices: { driver: DRIVER, pool: 'a', device: 'gpu-1' } })]);
    await trail.snapshot(at(4), [
      node('a'),
      rule({ devices: { driver: DRIVER, pool: 'a', device: 'gpu-1' }, value: 'no' }),
    ]);
    await trail.snapshot(at(5), [node('a')], '&allowRemovals=true&kinds=Node,DeviceTaintRule');
    const records = await trail.records(OF_RULE);
    expect(records).toMatchObject([
      {
        kind: 'found',
        node: null,
        deviceTaintRule: 'broken',
        revision: 1,
        summary: 'found example.com/broken=true:NoExecute (driver gpu.example.com, pool a)',
        body: { state: { taints: [{ ...TAINT, value: 'true', devices: { driver: DRIVER, pool: 'a' } }] } },
      },
      {
        kind: 'change',
        revision: 2,
        when: { kind: 'interval', from: '2026-06-01T08:02:00.000Z', to: '2026-06-01T08:03:00.000Z' },
        by: null,
        basis: 'none',
        body: {
          difference: {
            changed: [
              {
                before: { devices: { driver: DRIVER, pool: 'a' } },
                after: { devices: { driver: DRIVER, pool: 'a', device: 'gpu-1' } },
              },
            ],
          },
        },
      },
      { kind: 'change', revision: 3, difference: { changed: [{ before: { value: 'true' }, after: { value: 'no' } }] } },
      {
        kind: 'change',
        revision: 4,
        summary:
          'the rule was deleted; removed example.com/broken=no:NoExecute (driver gpu.example.com, pool a, device gpu-1)',
        difference: { removed: [{ key: TAINT.key, value: 'no' }] },
      },
    ]);
    expect((await trail.get('verify')).json).toMatchObject({ holds: true });
  });

  it('names the user whom audit events name, whichever comes first, and verifies', async () => {
    await trail.snapshot(at(1), [node('a')], '&kinds=Node,DeviceTaintRule');
    await trail.snapshot(at(3), [node('a'), rule({ version: '10' })]);
    expect(await trail.records(OF_RULE)).toMatchObject([{ kind: 'change', by: null, channel: 'snapshot' }]);
    expect(await logged(write('create', 2, 'alice', rule({ version: '10' })))).toMatchObject({
      kept: 1,
      nodes: { count: 0 },
      unknownNodes: { count: 0 },
      deviceTaintRules: { count: 1, first: ['broken'] },
    });
    await logged(
      write('update', 4, 'bob', rule({ version: '11', devices: { driver: DRIVER } }), '10'),
      write('delete', 5, 'carol', undefined),
    );
    expect(await trail.records(OF_RULE)).toMatchObject([
      { by: { username: 'alice' }, basis: 'creation', certainty: 'certain', supersedes: [1] },
      { by: { username: 'bob' }, basis: 'unbrokenWrite', certainty: 'certain' },
      { by: { username: 'carol' }, basis: 'deletion', summary: expect.stringContaining('the rule was deleted') },
    ]);
    expect((await trail.get('records/2')).at('proves')).toEqual([
      'This request created the rule, and the response contains these taints.',
    ]);
    expect((await trail.get('verify')).json).toMatchObject({ holds: true });
  });

  it('is told to followers as a change of a rule, and is no fight over a node', async () => {
    await trail.snapshot(at(1), [node('a'), rule()]);
    const [value, other] = ['no', 'true'];
    await logged(
      write('update', 2, 'alice', rule({ value, version: '2' }), '1'),
      write('update', 3, 'bob', rule({ value: other, version: '3' }), '2'),
      write('update', 4, 'alice', rule({ value, version: '4' }), '3'),
      write('update', 5, 'bob', rule({ value: other, version: '5' }), '4'),
    );
    const events = await service.request('GET', `/api/v1/clusters/${trail.cluster}/events?after=0&follow=false`);
    const told = events.text
      .split('\n')
      .filter((line) => line.startsWith('data:') && line.includes('taintChangeRecorded'));
    expect(
      told.map((line) => (JSON.parse(line.slice(5)) as { taintChangeRecorded: object }).taintChangeRecorded),
    ).toEqual(
      ['alice', 'bob', 'alice', 'bob'].map((by) =>
        expect.objectContaining({ by, nodes: [], nodeCount: 0, deviceTaintRules: ['broken'], deviceTaintRuleCount: 1 }),
      ),
    );
    expect((await trail.get('fights?min=1')).json).toMatchObject({ total: 0, fights: [] });
  });

  it('names the last writer of the taint by managedFields', async () => {
    const managedFields = (manager: string, minute: number): object => ({
      managedFields: [
        {
          manager,
          operation: 'Update',
          time: at(minute).replace('.000000', ''),
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { 'f:taint': { 'f:key': {} } } },
        },
      ],
    });
    await trail.snapshot(at(2), [node('a'), rule({ metadata: managedFields('kubectl-create', 1) })]);
    await trail.snapshot(at(4), [node('a'), rule({ value: 'no', metadata: managedFields('gpu-operator', 3) })]);
    expect(await trail.records(OF_RULE)).toMatchObject([
      { kind: 'found', body: { lastWriters: { taints: [{ manager: 'kubectl-create' }] } } },
      { kind: 'change', basis: 'fieldOwner', by: null, body: { lastWriters: [{ manager: 'gpu-operator' }] } },
    ]);
  });

  it('is apart from that of nodes, over REST and GraphQL', async () => {
    await trail.snapshot(at(2), [node('a', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }), rule()]);
    expect(await trail.records('?node=a')).toMatchObject([{ node: 'a', deviceTaintRule: null }]);
    const answer = await service.graphql(
      `query ($name: String!) { cluster(name: $name) { taintTrail {
         records(deviceTaintRule: "broken") { nodes { node deviceTaintRule summary } } } } }`,
      { name: trail.cluster },
    );
    expect(answer.json).toMatchObject({
      data: { cluster: { taintTrail: { records: { nodes: [{ node: null, deviceTaintRule: 'broken' }] } } } },
    });
    const both = await trail.get('records?node=a&deviceTaintRule=broken');
    expect([both.status, both.at('errors')]).toMatchObject([400, [{ field: 'deviceTaintRule' }]]);
  });
});

describe('a change of a DeviceTaintRule', () => {
  const GATES = { featureGates: { DRADeviceTaintRules: true } };
  const DECADE = 315_360_000;
  const CLUSTER = [
    node('a'),
    node('b'),
    GPU_CLASS,
    gpuSlice('a', 'gpu-0', 'gpu-1', 'gpu-2'),
    gpuSlice('b', 'gpu-0'),
    ...gpuUser('at-once', { node: 'a', device: 'gpu-0' }),
    ...gpuUser('patient', {
      node: 'a',
      device: 'gpu-1',
      tolerations: [{ key: TAINT.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: DECADE }],
    }),
  ];
  const ALL_KINDS = `&kinds=${DEVICE_KINDS}`;
  const change = (body: object, headers?: Record<string, string>): ReturnType<TestService['request']> =>
    service.request('POST', `/api/v1/clusters/${trail.cluster}/device-taint-changes`, body, headers);
  const put = { ...GATES, put: rule(), reason: 'ECC errors' };
  /** A snapshot of the cluster a second later, with these rules. */
  const shown = (...rules: readonly object[]): Promise<unknown> => {
    clock.pass(1);
    return trail.snapshot(clock.now().toISOString(), [...CLUSTER, ...rules], ALL_KINDS);
  };

  beforeEach(() => trail.snapshot(at(1), CLUSTER, ALL_KINDS));

  it('previews devices, evictions and landings, and stores nothing', async () => {
    const preview = await change({ ...put, dryRun: true });
    expect(preview.status).toBe(200);
    expect(preview.json).toMatchObject({
      basis: { revision: 1 },
      dryRun: true,
      change: null,
      rule: 'broken',
      outcome: 'created',
      before: null,
      after: { ...TAINT, value: 'true', devices: { driver: DRIVER, pool: 'a' } },
      inEffect: true,
      notLoaded: [],
      devices: {
        total: 3,
        items: [
          { driver: DRIVER, pool: 'a', name: 'gpu-0', node: 'a', claims: ['default/at-once-gpu'] },
          { name: 'gpu-1', claims: ['default/patient-gpu'] },
          { name: 'gpu-2', claims: [] },
        ],
      },
      evictions: {
        now: 1,
        after: 1,
        cancelled: 0,
        pods: [
          { name: 'at-once', node: 'a', when: 'now', at: '2026-06-01T08:01:00.000Z', formerly: null },
          { name: 'patient', node: 'a', when: 'after', at: '2036-05-29T08:01:00.000Z', formerly: null },
        ],
      },
    });
    expect(await trail.records()).toEqual([]);
    const again = await service.graphql(
      `mutation ($input: DeviceTaintChangeInput!) { changeDeviceTaints(input: $input) { outcome inEffect evictions { now after } } }`,
      { input: { cluster: trail.cluster, put: put.put, dryRun: true } },
    );
    expect(again.json).toEqual({
      data: { changeDeviceTaints: { outcome: 'created', inEffect: false, evictions: { now: 0, after: 0 } } },
    });
  });

  it('answers a request that changes nothing alike when it is repeated with its key, whatever happened since', async () => {
    expect((await change(put)).status).toBe(201);
    await shown(rule());
    const key = { 'idempotency-key': 'no-op' };
    const first = await change(put, key);
    expect(first).toMatchObject({ status: 200, json: { change: null, replayed: false, outcome: 'unchanged' } });
    await shown();
    const again = await change(put, key);
    expect(again.status).toBe(200);
    // As of any that is repeated, where pods would land is not told.
    expect(again.json).toEqual({ ...(first.json as object), replayed: true, landing: null });
    expect((await change(put)).status).toBe(201);
  });

  it('names the kinds that were never loaded, so that nobody takes zero evictions for certain, also on the record', async () => {
    const other = `${trail.cluster}-nodes`;
    const path = `/api/v1/clusters/${other}`;
    const pods = CLUSTER.filter((one) => ['Node', 'Pod'].includes((one as { kind: string }).kind));
    const stored = await service.request('POST', `${path}/snapshots?createCluster=true`, list(pods));
    expect(stored.status).toBe(201);
    const previewed = { devices: { total: 0 }, evictions: { now: 0 } };
    const notLoaded = ['DeviceTaintRule', 'ResourceSlice', 'ResourceClaim'];
    const preview = await service.request('POST', `${path}/device-taint-changes`, { ...put, dryRun: true });
    expect(preview.json).toMatchObject({ ...previewed, notLoaded });
    const made = await service.request('POST', `${path}/device-taint-changes`, put);
    const id = made.at('change.id') as string;
    const read = await service.request('GET', `${path}/taint-changes/${id}`);
    expect(read.at('deviceTaintRule')).toMatchObject({ ...previewed, notLoaded });
    const again = await service.graphql(
      `mutation ($input: DeviceTaintChangeInput!) { changeDeviceTaints(input: $input) { notLoaded } }`,
      { input: { cluster: other, put: put.put, dryRun: true } },
    );
    expect(again.json).toEqual({ data: { changeDeviceTaints: { notLoaded } } });
    const absent = await service.request('POST', `${path}/device-taint-changes`, { remove: 'other', reason: 'a test' });
    expect([absent.status, absent.at('detail')]).toEqual([
      404,
      'It is not known whether DeviceTaintRule "other" exists: DeviceTaintRules were never loaded.',
    ]);
  });

  it('does not hold in guardrails about what was never loaded', async () => {
    const other = `${trail.cluster}-nodes`;
    const path = `/api/v1/clusters/${other}`;
    const known = CLUSTER.filter((one) => (one as { kind: string }).kind !== 'DeviceTaintRule');
    await service.request('POST', `${path}/snapshots?createCluster=true`, list(known));
    const conditions = ['!change.taintsOverwritten.exists(t, t.effect == "NoExecute")', 'preview.evictions.now < 9'];
    const guardrails = [...conditions, 'change.deviceTaintRule.outcome == "created"', 'change.devices.size() > 0'].map(
      (condition, index) => ({
        name: `g${index}`,
        require: `change.subject == "nodes" || ${condition}`,
        action: 'refuse',
      }),
    );
    const document = { apiVersion: 'kube-placement/v1', kind: 'Guardrails', guardrails };
    expect((await service.request('PUT', `${path}/guardrails`, document)).status).toBe(200);
    const preview = await service.request('POST', `${path}/device-taint-changes`, { ...put, dryRun: true });
    const why = 'no snapshot contained objects of kind DeviceTaintRule';
    expect(preview.at('guardrails')).toMatchObject([
      ...[0, 1, 2].map((index) => ({
        rule: `g${index}`,
        outcome: 'refused',
        evaluation: 'unknown',
        message: expect.stringContaining(why),
      })),
      { rule: 'g3', outcome: 'holds' },
    ]);
  });

  it('is recorded as previewed, and what the cluster then does is what was previewed', async () => {
    const preview = await change({ ...put, dryRun: true });
    const made = await change(put);
    expect(made.status).toBe(201);
    for (const member of [
      'after',
      'devices',
      'evictions',
      'landing.totals',
      'landing.pods.items.0.chosen',
      'kubectl',
    ]) {
      expect(made.at(member)).toEqual(preview.at(member));
    }
    const id = made.at('change.id') as string;
    expect(made.at('change')).toMatchObject({ deviceTaintRule: 'broken', status: 'recorded', reason: 'ECC errors' });
    expect(await trail.records('?order=oldest')).toMatchObject([
      {
        kind: 'request',
        change: id,
        by: { username: 'anonymous' },
        reason: 'ECC errors',
        body: { deviceTaintRule: { rule: 'broken', outcome: 'created', devices: 3, now: 1, after: 1, cancelled: 0 } },
      },
      {
        kind: 'change',
        deviceTaintRule: 'broken',
        channel: 'api',
        status: 'recorded',
        body: {
          difference: { added: [{ devices: { driver: DRIVER, pool: 'a' } }] },
          effect: { counts: { now: 1, after: 1 } },
        },
      },
    ]);
    await shown(rule());
    expect(await trail.records(`?change=${id}&kind=intent`)).toMatchObject([
      { deviceTaintRule: 'broken', status: 'confirmed' },
    ]);
    const stored = await service.request('GET', `/api/v1/clusters/${trail.cluster}/taint-changes/${id}`);
    expect(stored.at('change')).toMatchObject({ deviceTaintRule: 'broken', status: 'confirmed' });
    const schedule = await service.request('POST', `/api/v1/clusters/${trail.cluster}/eviction-schedules`, {
      ...GATES,
      view: 'pods',
    });
    const evicted = schedule.at('items') as readonly { name: string; at: { earliest: string } }[];
    const previewed = preview.at('evictions.pods') as readonly { name: string; at: string }[];
    expect(evicted.map(({ name, at: when }) => [name, Date.parse(when.earliest)])).toEqual(
      previewed.map(({ name, at: when }) => [name, Date.parse(when)]),
    );
    const removal = await change({ ...GATES, remove: 'broken', dryRun: true });
    expect(removal.at('evictions')).toMatchObject({ now: 0, cancelled: 2 });
    expect((await trail.get('verify')).json).toMatchObject({ holds: true });
  });

  it('is planned on those before it, which the cluster may not show yet', async () => {
    await change(put);
    const again = await change({ ...put, dryRun: true });
    expect([again.at('outcome'), again.at('kubectl')]).toEqual(['unchanged', []]);
    const other = await change({ ...put, put: rule({ value: 'no' }), reason: 'no' });
    expect([other.at('outcome'), other.at('before.value')]).toEqual(['replaced', 'true']);
    const removed = await change({ ...GATES, remove: 'broken', reason: 'mended' });
    expect([removed.status, removed.at('outcome'), removed.at('before.value')]).toEqual([201, 'removed', 'no']);
    expect((await change({ remove: 'broken', reason: 'again' })).status).toBe(404);
    await shown();
    const listed = await service.request('GET', `/api/v1/clusters/${trail.cluster}/taint-changes`);
    expect(listed.at('items')).toMatchObject([
      { status: 'confirmed' },
      { status: 'overwritten' },
      { status: 'notApplied' },
    ]);
    expect((await trail.get('verify')).json).toMatchObject({ holds: true });
  });

  const revert = (id: unknown, body: object = {}): Promise<Answer> =>
    service.request('POST', `/api/v1/clusters/${trail.cluster}/taint-changes/${String(id)}/revert`, {
      reason: 'mended',
      ...body,
    });
  const get = (id: unknown): Promise<Answer> =>
    service.request('GET', `/api/v1/clusters/${trail.cluster}/taint-changes/${String(id)}`);

  it('is judged by the gates of its version, and reverted by those that it was made with', async () => {
    const { put: manifest, reason } = put;
    const made = await change(put);
    const id = made.at('change.id');
    const counts = { now: 1, after: 1, cancelled: 0 };
    expect((await get(id)).json).toMatchObject({
      deviceTaintRule: { evictions: counts },
      effects: {
        evictions: {
          counts,
          byWorkload: { total: 1, items: [{ now: 1, after: 1 }] },
          pods: { total: 2 },
        },
      },
    });
    expect((await revert(id)).at('deviceTaintRule')).toMatchObject({ inEffect: true, evictions: { cancelled: 2 } });

    const version = `/api/v1/clusters/${trail.cluster}/kubernetes-version`;
    await service.request('PUT', version, { version: 'v1.34.1', featureGates: ['DRADeviceTaints=true'] });
    const older = await change({ put: manifest, reason, dryRun: true });
    expect(older.json).toMatchObject({ inEffect: true, evictions: { now: 1 } });
    expect(older.at('kubectl.0')).toContain('"apiVersion":"resource.k8s.io/v1alpha3"');
    expect(made.at('kubectl.0')).toContain('"apiVersion":"resource.k8s.io/v1beta2"');
    const refused = async (): Promise<unknown> => {
      const list = await service.request('GET', `/api/v1/clusters/${trail.cluster}/devices?DRADeviceTaintRules=true`);
      expect([list.status, list.at('errors.0.field')]).toEqual([400, 'DRADeviceTaintRules']);
      const answer = await change({ ...put, dryRun: true });
      expect([answer.status, answer.at('errors.0.field')]).toEqual([400, 'featureGates.DRADeviceTaintRules']);
      return answer.at('errors.0.message');
    };
    expect(await refused()).toContain('Kubernetes 1.34 has no feature gate DRADeviceTaintRules');
    const featureGates = ['DRADeviceTaintRules=true', 'DRADeviceTaints=false'];
    const fault = 'DRADeviceTaintRules depends on the feature gate DRADeviceTaints, which is off';
    const declared = await service.request('PUT', version, { version: 'v1.36.2', featureGates });
    expect(declared.at('featureGates')).toContainEqual(
      expect.objectContaining({ name: 'DRADeviceTaintRules', enabled: false, problem: fault }),
    );
    expect(await refused()).toContain(fault);
    const findings = await service.request('GET', `/api/v1/clusters/${trail.cluster}/findings?view=findings`);
    expect(findings.at('items')).toContainEqual(
      expect.objectContaining({ code: 'feature-gate-absent', message: expect.stringContaining(fault) }),
    );
  });

  it('is reverted by id, with a preview, on the record', async () => {
    const labels = { team: 'ml' };
    const id = (await change({ ...put, put: rule({ metadata: { labels } }) })).at('change.id');
    const preview = await revert(id, { dryRun: true });
    expect([preview.status, preview.at('change')]).toEqual([200, null]);
    const undone = await revert(id);
    expect([undone.status, undone.json]).toMatchObject([
      201,
      {
        change: { action: 'revert', undoes: id, deviceTaintRule: 'broken', status: 'recorded' },
        nodes: [],
        kubectl: ['kubectl delete devicetaintrule broken'],
        deviceTaintRule: { rule: 'broken', outcome: 'removed', after: null, devices: { total: 3 } },
      },
    ]);
    expect(preview.at('deviceTaintRule')).toEqual(undone.at('deviceTaintRule'));
    expect((await get(id)).at('change.undoneBy')).toBe(undone.at('change.id'));
    expect((await revert(id)).at('code')).toBe('already-reverted');
    const back = await revert(undone.at('change.id'));
    expect(back.at('deviceTaintRule')).toMatchObject({
      outcome: 'created',
      after: { key: TAINT.key, value: 'true', devices: { driver: DRIVER, pool: 'a' } },
    });
    expect(back.at('kubectl.0')).toContain('"labels":{"team":"ml"}');
    await shown(rule());
    expect((await get(back.at('change.id'))).at('change.status')).toBe('confirmed');
    expect(await trail.records(`?change=${String(undone.at('change.id'))}&order=oldest`)).toMatchObject([
      { kind: 'request', reason: 'mended', body: { action: 'revert', undoes: id } },
      { kind: 'change', deviceTaintRule: 'broken', summary: expect.stringContaining('removed example.com/broken') },
      { kind: 'intent' },
    ]);
    expect((await trail.get('verify')).json).toMatchObject({ holds: true });
  });

  it('is not reverted where it was changed since, unless that is forced, nor where it was never made', async () => {
    const id = (await change(put)).at('change.id');
    await shown(rule());
    await shown(rule({ value: 'no' }));
    const refused = await revert(id);
    const left = 'example.com/broken=true:NoExecute (driver gpu.example.com, pool a)';
    expect([refused.status, refused.at('code'), refused.at('errors')]).toMatchObject([
      409,
      'revert-conflict',
      [
        {
          code: 'changed-since',
          kind: 'DeviceTaintRule',
          name: 'broken',
          message: expect.stringContaining(
            `the taint was ${left} after the change, but is now ${left.replace('true', 'no')}; changed since: `,
          ),
        },
      ],
    ]);
    const forced = await revert(id, { force: true });
    expect([forced.status, forced.at('deviceTaintRule.before.value')]).toEqual([201, 'no']);
    await shown();
    const never = (await change(put)).at('change.id');
    await shown();
    expect((await get(never)).at('change.status')).toBe('notApplied');
    const nothing = await revert(never);
    expect([nothing.status, nothing.at('deviceTaintRule.outcome'), nothing.at('change')]).toEqual([
      200,
      'unchanged',
      null,
    ]);
  });

  it('is taken back when it expires, unless it was changed since', async () => {
    const expiresAt = new Date(clock.now().getTime() + 60_000).toISOString();
    const made = await change({ ...put, expiresAt });
    expect(made.at('change')).toMatchObject({ expiresAt, expiry: 'pending' });
    const id = made.at('change.id') as string;
    clock.pass(61);
    for (;;) if ((await get(id)).at('change.expiry') === 'done') break;
    const by = (await get(id)).at('change.undoneBy');
    expect((await get(by)).json).toMatchObject({
      change: { action: 'expiry', undoes: id, deviceTaintRule: 'broken', by: { kind: 'service' } },
      deviceTaintRule: { outcome: 'removed', before: { value: 'true' } },
    });
    await shown();
    const other = await change({ ...put, expiresAt: new Date(clock.now().getTime() + 60_000).toISOString() });
    await shown(rule());
    await shown(rule({ value: 'no' }));
    clock.pass(60);
    for (;;) if ((await get(other.at('change.id'))).at('change.expiry') === 'refused') break;
    expect(await trail.records(`?change=${String(other.at('change.id'))}&kind=request&order=newest`)).toMatchObject([
      {
        body: {
          action: 'expiry',
          refusals: [{ node: 'devicetaintrules/broken', message: expect.stringContaining('but is now') }],
        },
      },
      { body: { action: 'change' } },
    ]);
    const late = await change({ ...put, expiresAt: '2020-01-01T00:00:00Z' });
    expect([late.status, late.at('errors.0.field')]).toEqual([400, 'expiresAt']);
  });

  it('is made once for a key, and only on the revision that the caller has seen', async () => {
    const key = { 'idempotency-key': 'k' };
    const first = await change(put, key);
    const second = await change(put, key);
    expect([second.status, second.at('replayed'), second.at('change.id')]).toEqual([200, true, first.at('change.id')]);
    expect(second.at('evictions')).toEqual(first.at('evictions'));
    expect((await change({ ...put, reason: 'another' }, key)).at('code')).toBe('idempotency-key-reused');
    expect((await change({ ...put, reason: 'late' }, { 'if-match': '"1"' })).at('errors')).toMatchObject([
      { kind: 'DeviceTaintRule', name: 'broken' },
    ]);
  });

  it('names every error of a request at once', async () => {
    const bad = { ...rule(), spec: { taint: { key: 'not a key', value: 'true', effect: 'Evict' } } };
    const answer = await change({ put: bad, remove: 'broken', link: 'ftp://x' });
    expect(answer.status).toBe(400);
    const fields = (answer.at('errors') as { field: string }[]).map(({ field }) => field).sort();
    expect([...new Set(fields)]).toEqual(['link', 'put.spec.taint.effect', 'put.spec.taint.key', 'reason', 'remove']);
    const missing = await change({ remove: 'none', reason: 'because' });
    expect([missing.status, missing.at('errors.0.field')]).toEqual([404, 'remove']);
  });

  it('is refused where the API server would refuse the manifest, with every field', async () => {
    const errorsOf = async (given: object): Promise<readonly (readonly [string, string])[]> => {
      const answer = await change({ put: given, reason: 'because' });
      expect(answer.status).toBe(400);
      return (answer.at('errors') as { field: string; message: string }[]).map(({ field, message }) => [
        field,
        message,
      ]);
    };
    const devices = { driver: 'Bad_Driver', pool: 'G1/..', device: 'GPU_0' };
    const misnamed = await errorsOf(rule({ devices, metadata: { name: 'Bad_Name' } }));
    expect([...new Set(misnamed.map(([field]) => field))]).toEqual([
      'put.metadata.name',
      'put.spec.deviceSelector.driver',
      'put.spec.deviceSelector.pool',
      'put.spec.deviceSelector.device',
    ]);
    const { spec, ...others } = rule() as { spec: { taint: object } };
    const mistyped = { ...others, spec: { taint: { ...spec.taint, effects: '' }, deviceSelecter: {} } };
    expect(await errorsOf(mistyped)).toEqual([
      ['put.spec.taint.effects', 'strict decoding error: unknown field "spec.taint.effects"'],
      ['put.spec.deviceSelecter', 'strict decoding error: unknown field "spec.deviceSelecter"'],
    ]);
    const byClass = rule({ devices: { deviceClassName: 'gpu', selectors: [] } });
    const former = ['put.spec.deviceSelector.deviceClassName', 'put.spec.deviceSelector.selectors'];
    expect((await errorsOf(byClass)).map(([field]) => field)).toEqual(former);
    const alpha = { ...byClass, apiVersion: 'resource.k8s.io/v1alpha3' };
    expect((await errorsOf(alpha)).map(([field]) => field)).toEqual(former);
    expect(await trail.records()).toEqual([]);

    const version = `/api/v1/clusters/${trail.cluster}/kubernetes-version`;
    expect((await service.request('PUT', version, { version: 'v1.34.1' })).status).toBe(200);
    const inTime = { ...rule({ devices: { deviceClassName: 'gpu' } }), apiVersion: 'resource.k8s.io/v1alpha3' };
    expect((await change({ put: inTime, dryRun: true })).status).toBe(200);
  });
});
