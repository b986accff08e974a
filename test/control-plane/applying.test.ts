import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'yaml';
import { endLeases, expectOnRecord, json, untilApplied, type NodeInTheEnd } from '../support/applied-cluster.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { ServiceProcess } from '../support/service-process.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';

const run = promisify(execFile);
const missing = missingAssets(process.env);
const NODES = 200;

if (missing !== undefined) process.stderr.write(`skipped: applying changes to a running control plane; ${missing}\n`);

jest.setTimeout(300_000);
const live = missing === undefined ? it : it.skip;

interface ApiNode {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly managedFields?: readonly { readonly manager: string; readonly fieldsV1: { readonly 'f:spec'?: object } }[];
  };
  readonly spec: {
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  };
}

interface ApiRule {
  readonly metadata: { readonly resourceVersion: string };
}

const RULES = '/apis/resource.k8s.io/v1beta2/devicetaintrules';
const RULE = `${RULES}/broken`;
const rule = (value: string): object => ({
  apiVersion: 'resource.k8s.io/v1beta2',
  kind: 'DeviceTaintRule',
  metadata: { name: 'broken', ...(value === 'true' && { labels: { team: 'ml' } }) },
  spec: {
    deviceSelector: { driver: 'gpu.example.com', pool: 'n1' },
    taint: { key: 'example.com/broken', value, effect: 'NoExecute' },
  },
});

describe('a running control plane', () => {
  let plane: ControlPlane;
  let postgres: TestPostgres;
  let service: ServiceProcess;
  let databaseUrl: string;
  let folder: string;
  const at = (): string => `${service.url}/api/v1/clusters/live`;
  const nodes = async (): Promise<readonly ApiNode[]> =>
    ((await plane.api.must('GET', '/api/v1/nodes')) as unknown as { readonly items: readonly ApiNode[] }).items;
  const rules = async (): Promise<readonly ApiRule[]> =>
    ((await plane.api.must('GET', RULES)) as unknown as { readonly items: readonly ApiRule[] }).items;
  const snapshot = async (): Promise<void> => {
    const list = { apiVersion: 'v1', kind: 'List', items: await listed() };
    const stored = await json(
      `${at()}/snapshots?createCluster=true&allowRemovals=true&kinds=Node,DeviceTaintRule`,
      'POST',
      list,
    );
    expect(stored).toMatchObject({ revision: expect.any(Number) });
  };
  const listed = async (): Promise<object[]> => [
    ...(await nodes()).map((node) => ({ apiVersion: 'v1', kind: 'Node', ...node })),
    ...(await rules()).map((one) => ({ apiVersion: 'resource.k8s.io/v1beta2', kind: 'DeviceTaintRule', ...one })),
  ];
  const change = async (body: object): Promise<Record<string, unknown>> =>
    json(`${at()}/taint-changes`, 'POST', { reason: 'a test', apply: true, ...body });
  const changeRule = async (body: object): Promise<Record<string, unknown>> =>
    json(`${at()}/device-taint-changes`, 'POST', { reason: 'a test', apply: true, ...body });
  /** What became of a rule. */
  const applied = async (made: Record<string, unknown>): Promise<Record<string, unknown>> => {
    await untilApplied(() => `${at()}/taint-changes/${idOf(made)}`);
    const { deviceTaintRule } = await read(idOf(made));
    return (deviceTaintRule as { readonly application: Record<string, unknown> }).application;
  };
  const records = async (kind: string): Promise<readonly object[]> => {
    const { items } = await json(`${at()}/taint-trail/records?kind=${kind}&order=oldest&deviceTaintRule=broken`);
    return items as readonly object[];
  };
  const idOf = (made: Record<string, unknown>): string => (made['change'] as { readonly id: string }).id;
  const read = (id: string): Promise<Record<string, unknown>> => json(`${at()}/taint-changes/${id}`);

  beforeAll(async () => {
    if (missing !== undefined) return;
    await run('node', ['scripts/build.mjs', '--bundle']);
    plane = await startControlPlane({ RUNTIME_CONFIG: 'resource.k8s.io/v1beta2=true' });
    for (let index = 0; index < NODES; index++) {
      await plane.api.must('POST', '/api/v1/nodes', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: `n${index}` },
      });
    }
    folder = await mkdtemp(join(tmpdir(), 'kube-placement-keys-'));
    await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
    postgres = await startTestPostgres();
    databaseUrl = await postgres.createEmptyDatabase();
    service = new ServiceProcess('service', databaseUrl, { CONNECTION_KEY_FILE: join(folder, 'keys') });
    await service.run();
    await snapshot();
  });
  afterAll(async () => {
    if (missing !== undefined) return;
    await service.kill();
    await postgres.stop();
    await plane.stop();
    await rm(folder, { recursive: true });
  });

  live('names the rules that its user lacks', async () => {
    const { url, ca } = plane.access;
    await plane.api.must('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'reader' } });
    const { status } = (await plane.api.must('POST', '/api/v1/namespaces/default/serviceaccounts/reader/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })) as unknown as { readonly status: { readonly token: string } };
    await json(`${at()}/connection`, 'PUT', { kubeconfig: kubeconfigOf(url, ca, status.token), writes: true });
    const refused = await change({ allNodes: true, taints: ['hold=x:NoSchedule'] });
    expect(refused).toMatchObject({
      code: 'apply-not-allowed',
      errors: [
        { code: 'rule-missing', message: expect.stringContaining('may not get nodes') },
        { code: 'rule-missing', message: expect.stringContaining('may not patch nodes') },
      ],
    });
    expect(await changeRule({ put: rule('true') })).toMatchObject({
      code: 'apply-not-allowed',
      errors: ['get', 'create', 'patch', 'delete'].map((verb) => ({
        code: 'rule-missing',
        message: expect.stringContaining(`may not ${verb} devicetaintrules`),
      })),
    });
  });

  live('gets a change on each of 200 nodes once, while the service is killed', async () => {
    const { url, ca, token } = plane.access;
    await json(`${at()}/connection`, 'PUT', { kubeconfig: kubeconfigOf(url, ca, token), writes: true });
    const id = idOf(await change({ allNodes: true, taints: ['hold=x:NoSchedule'] }));
    for (const written of [40, 120]) {
      await plane.api.until(`${written} nodes`, async () =>
        (await nodes()).filter(({ spec }) => spec.taints?.some(({ key }) => key === 'hold')).length >= written
          ? true
          : undefined,
      );
      await service.kill();
      await endLeases(databaseUrl);
      await service.run();
    }
    expect(await untilApplied(() => `${at()}/taint-changes/${id}`)).toBe('done');
    const ended = (await nodes()).map(({ metadata: { name, resourceVersion }, spec }): NodeInTheEnd => ({
      name,
      resourceVersion,
      taints: (spec.taints ?? []).map(({ key, value = '', effect }) => `${key}=${value}:${effect}`),
    }));
    await expectOnRecord(databaseUrl, `${at()}/taint-trail`, ended, 'hold=x:NoSchedule', 'since');
    await snapshot();
    expect((await read(id))['change']).toMatchObject({ status: 'confirmed', statuses: { confirmed: NODES } });
  });

  live('says what admission says, and leaves others alone', async () => {
    for (const object of POLICY)
      await plane.api.must('POST', `/apis/admissionregistration.k8s.io/v1/${object.plural}`, object.body);
    await plane.api.until('the policy to be in force', async () => {
      const tried = await plane.api.ask(
        'PATCH',
        '/api/v1/nodes/n1?dryRun=All',
        [{ op: 'add', path: '/spec/taints/-', value: { key: 'forbidden', effect: 'NoSchedule' } }],
        'application/json-patch+json',
      );
      return tried.code === 422 || tried.code === 403 ? true : undefined;
    });
    await snapshot();
    const id = idOf(await change({ nodes: ['n1', 'n2'], taints: ['forbidden:NoSchedule'] }));
    expect(await untilApplied(() => `${at()}/taint-changes/${id}`)).toBe('stopped');
    expect((await read(id))['nodes']).toMatchObject([
      { node: 'n1', application: { state: 'refused', message: expect.stringContaining('nobody may forbid') } },
      { node: 'n2', application: { state: 'waiting' } },
    ]);
    // Wiped by a client that does not look.
    await plane.api.must('PATCH', '/api/v1/nodes/n3', {
      spec: { taints: [{ key: 'hold', value: 'theirs', effect: 'NoSchedule' }] },
    });
    const removal = idOf(
      await change({ nodes: ['n3', 'n4'], taints: ['hold:NoSchedule-'], applyOptions: { maxFailures: 2 } }),
    );
    expect(await untilApplied(() => `${at()}/taint-changes/${removal}`)).toBe('done');
    expect((await read(removal))['nodes']).toMatchObject([
      {
        application: {
          state: 'refused',
          message: 'the change removes hold=x:NoSchedule, which is now hold=theirs:NoSchedule',
        },
      },
      { application: { state: 'written', code: 200 } },
    ]);
  });

  live('creates, replaces and removes a DeviceTaintRule, and leaves what others made of it alone', async () => {
    const { url, ca, token } = plane.access;
    await json(`${at()}/connection`, 'PUT', { kubeconfig: kubeconfigOf(url, ca, token), writes: true });
    expect(await changeRule({ put: rule('true'), dryRun: true })).toMatchObject({
      application: { state: 'admitted', resourceVersion: null },
    });
    expect((await plane.api.ask('GET', RULE)).code).toBe(404);

    const created = await changeRule({ put: rule('true') });
    expect(await applied(created)).toMatchObject({ state: 'written', code: 201, testedVersion: null });
    const stored = (await plane.api.must('GET', RULE)) as unknown as ApiRule;
    expect(stored).toMatchObject({
      metadata: { labels: { team: 'ml' }, managedFields: [{ manager: 'kube-placement', operation: 'Update' }] },
      spec: {
        deviceSelector: { driver: 'gpu.example.com', pool: 'n1' },
        taint: {
          key: 'example.com/broken',
          value: 'true',
          effect: 'NoExecute',
          timeAdded: (created['after'] as { readonly timeAdded: string }).timeAdded,
        },
      },
    });
    expect((await applied(created))['resourceVersion']).toBe(stored.metadata.resourceVersion);
    expect((await records('applied')).at(-1)).toMatchObject({
      deviceTaintRule: 'broken',
      change: idOf(created),
      summary: expect.stringContaining('written to the cluster'),
    });
    await snapshot();
    expect((await read(idOf(created)))['change']).toMatchObject({ status: 'confirmed' });

    const replaced = await changeRule({ put: rule('no') });
    expect(await applied(replaced)).toMatchObject({ state: 'written', code: 200 });
    expect(await plane.api.must('GET', RULE)).toMatchObject({
      metadata: { resourceVersion: (await applied(replaced))['resourceVersion'], labels: { team: 'ml' } },
      spec: { taint: { value: 'no' } },
    });
    const again = await json(`${at()}/taint-changes/${idOf(created)}/apply`, 'POST', {});
    expect(again).toMatchObject({ replayed: true });

    const theirs = [{ op: 'replace', path: '/spec/taint/value', value: 'theirs' }];
    await plane.api.ask('PATCH', RULE, theirs, 'application/json-patch+json');
    const late = await changeRule({ remove: 'broken' });
    expect(await applied(late)).toMatchObject({
      state: 'refused',
      message:
        'the change removes example.com/broken=no:NoExecute (driver gpu.example.com, pool n1), which is now ' +
        'example.com/broken=theirs:NoExecute (driver gpu.example.com, pool n1)',
    });
    expect(await plane.api.must('GET', RULE)).toMatchObject({ spec: { taint: { value: 'theirs' } } });
    await snapshot();
    const removed = await changeRule({ remove: 'broken' });
    expect(await applied(removed)).toMatchObject({ state: 'written', code: 200 });
    expect((await plane.api.ask('GET', RULE)).code).toBe(404);
    await snapshot();
    expect((await read(idOf(removed)))['change']).toMatchObject({ status: 'confirmed' });
  });

  live('takes a DeviceTaintRule back in the cluster: by a revert, and when it expires', async () => {
    const made = await changeRule({ put: rule('true') });
    expect(await applied(made)).toMatchObject({ state: 'written' });
    const undone = await json(`${at()}/taint-changes/${idOf(made)}/revert`, 'POST', { reason: 'mended', apply: true });
    expect(await applied(undone)).toMatchObject({ state: 'written' });
    expect((await plane.api.ask('GET', RULE)).code).toBe(404);
    const ends = await changeRule({ put: rule('true'), expiresAt: new Date(Date.now() + 5_000).toISOString() });
    expect(await applied(ends)).toMatchObject({ state: 'written' });
    await plane.api.until('the rule to be taken back', async () =>
      (await plane.api.ask('GET', RULE)).code === 404 ? true : undefined,
    );
    expect((await read(idOf(ends)))['change']).toMatchObject({ expiry: 'done' });
    expect(await json(`${at()}/taint-trail/verify`)).toMatchObject({ holds: true });
  });
});

const POLICY = [
  {
    plural: 'validatingadmissionpolicies',
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'forbidden' },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['nodes'] }],
        },
        validations: [
          {
            expression: '!has(object.spec.taints) || object.spec.taints.all(t, t.key != "forbidden")',
            message: 'nobody may forbid',
          },
        ],
      },
    },
  },
  {
    plural: 'validatingadmissionpolicybindings',
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'forbidden' },
      spec: { policyName: 'forbidden', validationActions: ['Deny'] },
    },
  },
];

function kubeconfigOf(server: string, ca: string, token: string): object {
  return parse(
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { token } }],
    }),
  ) as object;
}
