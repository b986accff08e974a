import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { list, node, pod } from '../support/dumps.js';
import { DEVICE_KINDS, GPU_CLASS, GPU_DRIVER, gpuSlice, gpuUser } from '../support/gpus.js';
import { NodesApiServer } from '../support/nodes-api-server.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

const NAMES = ['root', 'alice', 'bob', 'ann'] as const;
type Name = (typeof NAMES)[number];
const tokens = Object.fromEntries(NAMES.map((name) => [name, newToken()])) as Record<Name, string>;
/** alice changes and applies, bob approves, ann reads and evaluates. */
const AUTH_FILE = {
  tokens: NAMES.map((name) => ({ name, sha256: tokenHash(tokens[name]).toString('hex') })),
  bindings: [
    { subjects: ['token:root'], clusters: ['*'], roles: ['admin'] },
    { subjects: ['token:alice'], clusters: ['c*'], roles: ['apply', 'approve', 'audit'] },
    { subjects: ['token:bob'], clusters: ['c*'], roles: ['approve', 'audit'] },
    { subjects: ['token:ann'], clusters: ['c*'], roles: ['evaluate'] },
  ],
};

let folder: string;
let apiServer: NodesApiServer;
let service: TestService;
let browser: TestBrowser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'changes-view-'));
  await writeFile(join(folder, 'auth.json'), JSON.stringify(AUTH_FILE));
  await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
  [apiServer, browser] = await Promise.all([NodesApiServer.start(), TestBrowser.start()]);
  service = await startTestService({
    CONNECTION_KEY_FILE: join(folder, 'keys'),
    AUTH_FILE: join(folder, 'auth.json'),
    RATE_LIMIT: '0',
  });
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
  await apiServer.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A tag, and a mark that turns text around: both are text, wherever they are shown. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202Ereversed';
const as = (name: Name, method: string, path: string, body?: object | string): Promise<Answer> =>
  service.request(method, `/api/v1${path}`, body, { authorization: `Bearer ${tokens[name]}` });

const running = (key: string, on: string, tolerations: readonly object[] = []): object => ({
  ...pod(key, on, { tolerations }, { kind: 'ReplicaSet', name: 'web' }),
  status: { phase: 'Running' },
});
const TOLERATED = { key: 'maintenance', operator: 'Exists', effect: 'NoExecute' };
const PODS = [
  running('shop/web-1', 'p1'),
  running('shop/web-2', 'p1', [{ ...TOLERATED, tolerationSeconds: 300 }]),
  running('shop/web-3', 'p1', [TOLERATED]),
];

const snapshot = async (cluster: string): Promise<void> => {
  const { items } = apiServer.list() as { items: object[] };
  const answer = await as(
    'root',
    'POST',
    `/clusters/${cluster}/snapshots?createCluster=true`,
    list([...items, ...PODS]),
  );
  expect(answer.status).toBe(201);
};

async function newCluster(name: string, connection: object | undefined): Promise<void> {
  apiServer.nodes.clear();
  apiServer.lacks.clear();
  for (const node of ['p1', 'p2']) apiServer.addNode(node, { labels: { env: 'prod' } });
  apiServer.addNode('d1', { labels: { env: 'dev' } });
  await snapshot(name);
  if (connection !== undefined) {
    const put = await as('root', 'PUT', `/clusters/${name}/connection`, {
      kubeconfig: apiServer.kubeconfig(),
      ...connection,
    });
    expect(put.status).toBe(200);
  }
}

const guard = async (cluster: string, ...guardrails: readonly object[]): Promise<void> => {
  const document = { apiVersion: 'kube-placement/v1', kind: 'Guardrails', guardrails };
  expect((await as('root', 'PUT', `/clusters/${cluster}/guardrails`, document)).status).toBe(200);
};
const ONE_APPROVES = {
  name: 'one approves production',
  require: 'change.nodes.all(n, n.labels["env"] != "prod")',
  action: 'requireApproval',
  message: 'production needs an approval',
};

const pageOf = async (name: Name): Promise<DashboardPage> => {
  const page = await browser.page(service.url);
  await page.page.evaluateOnNewDocument(
    `sessionStorage.setItem('kube-placement.token', ${JSON.stringify(tokens[name])})`,
  );
  return page;
};
/** The names of the buttons that do nothing, with what they say why. */
const closed = async (page: DashboardPage): Promise<Record<string, string>> =>
  (await page.page.evaluate(
    `Object.fromEntries([...document.querySelectorAll('button[aria-disabled="true"]')].map((button) => [
      button.textContent, document.getElementById(button.getAttribute('aria-describedby')).textContent]))`,
  )) as Record<string, string>;
const preview = async (page: DashboardPage): Promise<void> => {
  await page.click('radio', 'by label selector');
  await page.fill('Label selector', 'env=prod');
  await page.fill('Taints, as kubectl taint takes them', 'maintenance=true:NoExecute');
  await page.click('button', 'Preview');
  await page.sees('2 nodes change');
};

describe('a maintenance', () => {
  it('is planned, previewed, approved, applied, confirmed, reported and reverted', async () => {
    await newCluster('c1', { writes: true });
    await guard('c1', ONE_APPROVES);
    const alice = await pageOf('alice');
    await alice.open('clusters/c1/changes');
    await alice.sees('Plan a change');
    expect(await closed(alice)).toEqual({
      Preview: 'Name the nodes. Write a taint or a label, or cordon or uncordon.',
    });
    await preview(alice);
    // One now, one after 300 s, one never; and the rule that asks for approval.
    await alice.sees('after 300 s (5 min)');
    await alice.sees('one approves production');
    await alice.sees('production needs an approval');
    await alice.sees('Where the pods go');
    await alice.sees('The same with kubectl');
    expect(await alice.violations()).toEqual([]);
    // The address has the plan: a link shows the same.
    await alice.page.reload({ waitUntil: 'domcontentloaded' });
    await alice.sees('2 nodes change');
    expect((await closed(alice))['Ask for approval']).toBe('Give a reason.');
    await alice.fill('Reason', `Kernel update ${HOSTILE}`);
    await alice.click('button', 'Ask for approval, then apply');
    await alice.sees('waits for approval');
    await alice.sees(`Kernel update ${HOSTILE}`);
    expect((await closed(alice))['Approve']).toContain('Its author cannot approve it.');

    const bob = await pageOf('bob');
    await bob.open('clusters/c1/changes?changes=waiting');
    await bob.click('link', 'maintenance=true:NoExecute on nodes with env=prod');
    await bob.sees('waiting: 0 approvals of 1 needed');
    await bob.fill('Why you approve or reject it', 'checked with the shop');
    await bob.click('button', 'Approve');
    await bob.sees('approved: 1 approvals of 1 needed');
    // Written node by node, and both pages follow it.
    await bob.sees('2 written');
    await alice.sees('2 written');
    expect(apiServer.taintsOf('p1')).toEqual(['maintenance=true:NoExecute']);
    await alice.sees('0 confirmed, 2 not confirmed yet');
    await snapshot('c1');
    await alice.sees('2 confirmed, 0 not confirmed yet');
    expect(await alice.violations()).toEqual([]);

    await alice.click('link', 'Report to print');
    await alice.sees('4. Records of the trail');
    await alice.sees('checked with the shop');
    await alice.sees('applying the change done');
    expect(await alice.violations()).toEqual([]);
    await alice.page.emulateMediaType('print');
    expect(String(await alice.page.evaluate('document.body.innerText'))).not.toContain('Back to the change');
    await alice.page.emulateMediaType('screen');

    await alice.click('link', 'Back to the change');
    await alice.sees('Revert it');
    await alice.page.locator('summary ::-p-text(Revert it)').click();
    await alice.fill('Why it is reverted', 'the update is done');
    await alice.sees('one approves production');
    await alice.click('button', 'Revert in the cluster, too');
    await alice.click('link', 'The revert');
    await alice.sees('the update is done');
    await alice.sees('waits for approval');
    await bob.open(`clusters/c1/changes${new URL(alice.page.url()).search}`);
    await bob.sees('as a revert');
    await bob.fill('Why you approve or reject it', 'fine');
    await bob.click('button', 'Approve');
    await alice.sees('2 written');
    expect(apiServer.taintsOf('p1')).toEqual([]);
    expect([...alice.faults, ...bob.faults]).toEqual([]);
  }, 180_000);

  it('is rejected with a reason', async () => {
    await newCluster('c2', undefined);
    await guard('c2', ONE_APPROVES);
    const alice = await pageOf('alice');
    await alice.open('clusters/c2/changes');
    await preview(alice);
    // Nothing connects the service to this cluster.
    await alice.sees('has no connection');
    await alice.fill('Reason', 'an update');
    await alice.click('button', 'Ask for approval');
    await alice.sees('waits for approval');
    const bob = await pageOf('bob');
    await bob.open(`clusters/c2/changes${new URL(alice.page.url()).search}`);
    await bob.sees('waiting: 0 approvals');
    await bob.fill('Why you approve or reject it', 'not during the release');
    await bob.click('button', 'Reject');
    await bob.sees('rejected: 0 approvals');
    await bob.sees('not during the release');
    await alice.sees('not during the release');
    expect([...alice.faults, ...bob.faults]).toEqual([]);
  }, 120_000);
});

describe('what the caller may not do', () => {
  it('is visible to a reader, and says why', async () => {
    await newCluster('c3', { writes: true });
    const ann = await pageOf('ann');
    await ann.colors('dark');
    await ann.open('clusters/c3/changes');
    await preview(ann);
    await ann.sees('Ann needs the permission apply on cluster c3.');
    const lacks = 'ann lacks the permission “change” for cluster c3.';
    const why = await closed(ann);
    expect(why['Record the intent']).toContain(lacks);
    expect(why['Record and apply to the cluster']).toContain(lacks);
    expect(why['Record and apply to the cluster']).toContain('Ann needs the permission apply on cluster c3.');
    expect(await ann.violations()).toEqual([]);
    expect(ann.faults).toEqual([]);
  }, 120_000);

  it('is what a guardrail refuses, and what the connection does not allow', async () => {
    await newCluster('c4', { writes: false });
    apiServer.lacks.add('patch');
    const few = {
      name: 'no evictions',
      require: 'preview.evictions.now == 0',
      action: 'refuse',
      messageExpression: '"evicts %d pods".format([preview.evictions.now])',
    };
    await guard('c4', few);
    const alice = await pageOf('alice');
    await alice.open('clusters/c4/changes');
    await preview(alice);
    await alice.sees('put it again with writes');
    const why = (await closed(alice))['Record and apply to the cluster']!;
    expect(why).toContain('The guardrail “no evictions” refuses it: evicts 1 pods.');
    expect(why).toContain('is read only: put it again with writes');
    expect(why).toContain('may not patch nodes');
    expect(alice.faults).toEqual([]);
  }, 120_000);

  it('is a change of the past', async () => {
    const ann = await pageOf('ann');
    await ann.open('clusters/c1/changes?revision=1');
    await ann.sees('this page shows an earlier one');
    await ann.click('button', 'Go to now');
    await ann.sees('Plan a change');
    expect(ann.faults).toEqual([]);
  }, 120_000);
});

describe('a change of a DeviceTaintRule', () => {
  it('is listed, shown with its devices and evictions, and reported', async () => {
    const cluster = [
      node('a'),
      GPU_CLASS,
      gpuSlice('a', 'gpu-0', 'gpu-1'),
      ...gpuUser('train', { node: 'a', device: 'gpu-0' }),
    ];
    const path = `/clusters/c6/snapshots?createCluster=true&kinds=${DEVICE_KINDS}`;
    expect((await as('root', 'POST', path, list(cluster))).status).toBe(201);
    const taint = { key: 'example.com/broken', value: 'true', effect: 'NoExecute' };
    const made = await as('alice', 'POST', '/clusters/c6/device-taint-changes', {
      put: {
        apiVersion: 'resource.k8s.io/v1beta2',
        kind: 'DeviceTaintRule',
        metadata: { name: 'broken' },
        spec: { deviceSelector: { driver: GPU_DRIVER, pool: 'a' }, taint },
      },
      featureGates: { DRADeviceTaintRules: true },
      reason: 'ECC errors',
    });
    expect(made.status).toBe(201);
    const alice = await pageOf('alice');
    await alice.open('clusters/c6/changes');
    await alice.click('link', 'DeviceTaintRule broken');
    await alice.sees('DeviceTaintRule broken: created.');
    await alice.sees(`example.com/broken=true:NoExecute on driver ${GPU_DRIVER}, pool a`);
    await alice.sees('Devices: 2');
    await alice.sees(`${GPU_DRIVER}/a/gpu-1`);
    await alice.sees('1 now, 0 later, 0 no longer.');
    await alice.sees('train');
    await alice.click('link', 'Report to print');
    await alice.sees('1. What was foreseen');
    await alice.sees('Devices: 2');
    await alice.sees('4. Records of the trail');
    expect(alice.faults).toEqual([]);
  }, 120_000);
});

describe('a large cluster', () => {
  it('is chosen from, previewed and shown in tables that hold what is in sight', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `worker-in-some-zone-${String(index).padStart(3, '0')}`);
    const nodes = names.map((name, index) =>
      node(name, index < 120 ? { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } } : {}),
    );
    expect((await as('root', 'POST', '/clusters/c5/snapshots?createCluster=true', list(nodes))).status).toBe(201);
    const alice = await pageOf('alice');
    await alice.open('clusters/c5/changes');
    await alice.click('radio', 'by their taints');
    await alice.sees('gpu:NoSchedule (120 nodes)');
    await alice.page.select('label.wide select', 'gpu:NoSchedule');
    await alice.fill('Taints, as kubectl taint takes them', 'gpu:NoSchedule-');
    await alice.click('button', 'Preview');
    await alice.sees('120 nodes change');
    const table = '[role=table][aria-label="The change, node by node"]';
    expect(await alice.page.evaluate(`document.querySelector(${JSON.stringify(table)}).ariaRowCount`)).toBe('121');
    expect((await alice.page.$$(`${table} .vtable-body [role=row]`)).length).toBeLessThan(100);
    // The last one comes into sight by keyboard.
    await alice.page.focus(table);
    await alice.page.keyboard.press('End');
    await alice.sees('worker-in-some-zone-119');
    expect(await alice.violations()).toEqual([]);
    // All by name: too long for an address, and previewed all the same.
    await alice.click('radio', 'by name');
    await alice.page.locator('summary ::-p-text(Choose from the nodes)').click();
    await alice.click('button', 'Choose these 300');
    await alice.fill('Taints, as kubectl taint takes them', 'hold:NoSchedule');
    await alice.click('button', 'Preview');
    await alice.sees('300 nodes change');
    expect(alice.page.url().length).toBeLessThan(200);
    expect(alice.faults).toEqual([]);
  }, 120_000);
});

describe('a change that cannot be read', () => {
  it('is told in the service’s words', async () => {
    const ann = await pageOf('ann');
    await ann.open('clusters/c3/changes');
    await ann.click('radio', 'by name');
    await ann.fill('Node names', 'p1 nowhere');
    await ann.fill('Taints, as kubectl taint takes them', 'maintenance=true:Never');
    ann.expectFaults(/400/);
    await ann.click('button', 'Preview');
    await ann.page.waitForSelector('.failure');
    expect(ann.faults).toEqual([]);
  }, 120_000);
});
