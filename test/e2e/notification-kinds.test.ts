import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { node, pod, send } from '../support/dumps.js';
import { nodeWrite } from '../support/audit-event.js';
import { eventFaults } from '../support/event-schemas.js';
import { ManualClock } from '../support/manual-clock.js';
import { type Received, TestReceiver } from '../support/receiver.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;

let folder: string;
let receiver: TestReceiver;
let service: TestService;
let clock: ManualClock;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-placement-keys-'));
  const keyFile = join(folder, 'keys');
  await writeFile(keyFile, `${randomBytes(32).toString('base64')}\n`);
  receiver = await TestReceiver.start();
  clock = new ManualClock();
  const settings = { CONNECTION_KEY_FILE: keyFile, NOTIFICATION_ALLOWED_ADDRESSES: '127.0.0.0/8' };
  service = await startTestService(settings, { clock });
});
afterAll(async () => {
  await service.close();
  await receiver.stop();
  await rm(folder, { recursive: true });
});
/** The cluster of the test, whose rules must not tell of later tests. */
let ruled = '';
beforeEach(() => {
  receiver.got.length = 0;
});
afterEach(async () => {
  expect(await eventFaults(service.url, receiver.got)).toEqual([]);
  await service.request('DELETE', `/api/v1/clusters/${ruled}`);
});

const put = async (cluster: string, name: string, body: object): Promise<void> => {
  const rule = { format: 'cloudevents', url: `${receiver.url}/${name}`, secret: SECRET, ...body };
  ruled = cluster;
  const path = `/api/v1/clusters/${cluster}/notification-rules/${name}`;
  const answer = await service.request('PUT', path, rule);
  if (answer.status !== 200) throw new Error(answer.text);
};
const take = (cluster: string, objects: readonly object[]): Promise<void> =>
  store(service, cluster, objects, `&capturedAt=${clock.now().toISOString()}`);
const told = ({ json }: Received): unknown => [json['type'], (json['data'] as { summary: string }).summary];
const MAINTENANCE = { key: 'maintenance', value: 'true', effect: 'NoExecute' };
const tainted = (at: Date): object =>
  node('a', { spec: { taints: [{ ...MAINTENANCE, timeAdded: at.toISOString().replace(/\.\d+/, '') }] } });
const tolerating = (name: string, tolerationSeconds: number): object =>
  pod(name, 'a', {
    tolerations: [{ key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds }],
  });

describe('notifications of what will happen and what lasts', () => {
  it('tell of evictions when they are due, each pod once, in the namespaces of the rule', async () => {
    const pods = [tolerating('shop/five', 300), tolerating('shop/ten', 600), tolerating('ops/five', 300)];
    await take('due', [node('a'), ...pods]);
    await put('due', 'shop', { kinds: ['evictionDue'], namespaces: ['shop'] });
    clock.pass(10);
    await take('due', [tainted(clock.now()), ...pods]);
    clock.pass(301);
    await receiver.hasGot(1);
    clock.pass(300);
    await receiver.hasGot(2);
    expect(receiver.got.map(told)).toEqual([
      ['io.kube-placement.eviction.due.v1', 'Pod shop/five from a is evicted now'],
      ['io.kube-placement.eviction.due.v1', 'Pod shop/ten from a is evicted now'],
    ]);
    expect(receiver.got[0]!.json).toMatchObject({
      subject: 'namespaces/shop/pods/five',
      severity: 'warning',
      data: { evictionDue: { podCount: 1, pods: [{ namespace: 'shop', name: 'five', node: 'a' }] } },
    });
  });

  it('tell of quotas that reach the threshold, are used up, and are free again', async () => {
    const quota = (pods: number): object => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'shop' },
      spec: { hard: { pods: String(pods) } },
      status: { hard: { pods: String(pods) }, used: { pods: '4' } },
    });
    const pods = ['a', 'b', 'c', 'd'].map((name) => pod(`shop/${name}`, 'a'));
    await take('quota', [node('a'), ...pods, quota(10)]);
    await put('quota', 'events', { kinds: ['quotaAtRisk'], quotaThreshold: 80 });
    await put('quota', 'alerts', {
      kinds: ['quotaAtRisk'],
      quotaThreshold: 80,
      format: 'alertmanager',
      secret: undefined,
      url: `${receiver.url}/alerts/api/v2/alerts`,
    });
    const got = (path: string): readonly Received[] => receiver.got.filter((one) => one.path.startsWith(path));
    for (const [hard, count] of [
      [5, 2],
      [4, 5],
      [10, 7],
    ] as const) {
      clock.pass(10);
      await take('quota', [node('a'), ...pods, quota(hard)]);
      await receiver.hasGot(count);
    }
    expect(got('/events').map(told)).toEqual([
      ['io.kube-placement.quota.at-risk.v1', 'pods of ResourceQuota shop/q is at risk: 4 of 5 used'],
      ['io.kube-placement.quota.at-risk.v1', 'pods of ResourceQuota shop/q is used up: 4 of 4 used'],
      ['io.kube-placement.quota.recovered.v1', 'pods of ResourceQuota shop/q is below 80 % again'],
    ]);
    const alerts = got('/alerts').map(({ json }) => (json as unknown as Record<string, unknown>[])[0]!);
    // An alert with another severity is another alert, so the former one ends.
    const labels = { alertname: 'KubePlacementQuotaAtRisk', namespace: 'shop', resourcequota: 'q', resource: 'pods' };
    const [info, warning] = [
      { ...labels, severity: 'info' },
      { ...labels, severity: 'warning' },
    ];
    expect(alerts).toMatchObject([{ labels: info }, { labels: info }, { labels: warning }, { labels: warning }]);
    expect(alerts.map(({ endsAt }) => Date.parse(endsAt as string) > clock.now().getTime())).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(new Set(alerts.slice(0, 2).map(({ startsAt }) => startsAt)).size).toBe(1);
  });

  it('tell of a state that grows stale, and that it is current again', async () => {
    await take('stale', [node('a')]);
    await put('stale', 'old', { kinds: ['snapshotStale'], staleAfter: '30m' });
    clock.pass(1801);
    await receiver.hasGot(1);
    await take('stale', [node('a'), node('b')]);
    await receiver.hasGot(2);
    expect(receiver.got.map(({ json }) => json['type'])).toEqual([
      'io.kube-placement.snapshot.stale.v1',
      'io.kube-placement.snapshot.current.v1',
    ]);
  });

  it('tell of expectations that turn', async () => {
    await take('hopes', [node('a')]);
    await put('hopes', 'turns', { kinds: ['expectationTurned'] });
    const file = {
      apiVersion: 'kube-placement/v1',
      kind: 'Expectations',
      expectations: [{ name: 'There are 2 nodes', nodeCount: { atLeast: 2 } }],
    };
    expect((await service.request('PUT', '/api/v1/clusters/hopes/expectations', file)).status).toBe(200);
    await receiver.hasGot(1);
    clock.pass(10);
    await take('hopes', [node('a'), node('b')]);
    await receiver.hasGot(2);
    const data = receiver.got.map(({ json }) => json['data']);
    expect(data).toMatchObject([
      { expectationTurned: { name: 'There are 2 nodes', former: null, verdict: 'broken' } },
      { expectationTurned: { name: 'There are 2 nodes', former: 'broken', verdict: 'holds' } },
    ]);
    expect(receiver.got.map(({ json }) => json['severity'])).toEqual(['warning', 'info']);
  });

  it('tell of writers who undo each other’s changes of a taint, and that they have stopped', async () => {
    await take('fight', [node('a')]);
    await put('fight', 'fights', { kinds: ['taintFight'], taintKeys: ['dedicated'] });
    for (let turn = 0; turn < 6; turn++) {
      clock.pass(30);
      const [user, taints] = turn % 2 === 0 ? ['alice', [{ key: 'dedicated', effect: 'NoSchedule' }]] : ['bob', []];
      const write = nodeWrite({
        id: `turn-${turn}`,
        node: 'a',
        at: clock.now().toISOString(),
        user: user,
        taints: taints,
      });
      expect((await send(service, '/api/v1/clusters/fight/audit-events', write)).status).toBe(200);
    }
    await receiver.hasGot(1);
    expect(receiver.got[0]!.json).toMatchObject({
      type: 'io.kube-placement.taint.fight-started.v1',
      subject: 'nodes/a',
      data: { taintFight: { node: 'a', key: 'dedicated', effect: 'NoSchedule', proven: true } },
    });
    clock.pass(3601);
    await receiver.hasGot(2);
    expect(told(receiver.got[1]!)).toEqual([
      'io.kube-placement.taint.fight-ended.v1',
      'The fight about taint dedicated:NoSchedule on a has ended',
    ]);
  });

  it('tell of changes that wait for approval, and what became of them, without the values of taints', async () => {
    await take('held', [node('a')]);
    await put('held', 'approvals', { kinds: ['approvalNeeded', 'taintChanged'] });
    const guardrails = [{ name: 'somebody looks', require: 'change.approvals >= 1', action: 'requireApproval' }];
    const document = { apiVersion: 'kube-placement/v1', kind: 'Guardrails', guardrails };
    expect((await service.request('PUT', '/api/v1/clusters/held/guardrails', document)).status).toBe(200);
    const reason = 'dedicated=finance:NoSchedule is needed';
    const change = { nodes: ['a'], taints: ['dedicated=finance:NoSchedule'], reason };
    const asked = await service.request('POST', '/api/v1/clusters/held/taint-changes', change);
    expect(asked.status).toBe(202);
    const id = asked.at('change.id') as string;
    await receiver.hasGot(1);
    const rejected = await service.request('POST', `/api/v1/clusters/held/taint-changes/${id}/reject`, {
      reason: 'no',
    });
    expect(rejected.status).toBe(200);
    await receiver.hasGot(2);
    expect(receiver.got.map(told)).toEqual([
      [
        'io.kube-placement.change.approval-needed.v1',
        'A taint change waits for approval, by anonymous: dedicated=***:NoSchedule is needed',
      ],
      ['io.kube-placement.change.approval-decided.v1', 'A taint change was rejected, by anonymous: no'],
    ]);
    expect(receiver.got[0]!.json).toMatchObject({
      subject: `taint-changes/${id}`,
      data: { status: 'active', approval: { change: id, step: 'asked', by: 'anonymous' } },
    });
    expect(receiver.got.map(({ body }) => body).join()).not.toContain('finance');
  });

  it('tell of predictions that a cluster does not fulfil', async () => {
    const kinds =
      'Node,Pod,Namespace,Service,ReplicationController,ReplicaSet,StatefulSet,PodDisruptionBudget,DeviceClass';
    const nodes = ['a', 'b'].map((name) => node(name, { status: { allocatable: { cpu: '2', pods: '110' } } }));
    const large = pod('web/large', '', {
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '4' } } }],
    });
    const message = '0/2 nodes are available: 2 something else.';
    const said = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    const refused = { ...large, status: { phase: 'Pending', conditions: [said] } };
    // The ledger waits for a later revision that could explain a difference.
    const states = [{ ...large, status: { phase: 'Pending' } }, refused, refused];
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } };
    for (const [index, state] of states.entries()) {
      clock.pass(index === 2 ? 600 : 10);
      const query = `&kinds=${kinds}&capturedAt=${clock.now().toISOString()}`;
      await store(
        service,
        'ledger',
        [...nodes.slice(0, index === 2 ? 1 : 2), namespace, state],
        `${query}&allowRemovals=true`,
      );
      if (index === 0) await put('ledger', 'wrong', { kinds: ['disagreement'] });
    }
    await receiver.hasGot(1);
    expect(receiver.got[0]!.json).toMatchObject({
      type: 'io.kube-placement.prediction.disagreed.v1',
      subject: 'namespaces/web/pods/large',
      data: { disagreement: { number: 1, outcome: 'disagreed', namespace: 'web', name: 'large' } },
    });
  });
});
