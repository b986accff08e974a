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

describe('a running control plane', () => {
  let plane: ControlPlane;
  let postgres: TestPostgres;
  let service: ServiceProcess;
  let databaseUrl: string;
  let folder: string;
  const at = (): string => `${service.url}/api/v1/clusters/live`;
  const nodes = async (): Promise<readonly ApiNode[]> =>
    ((await plane.api.must('GET', '/api/v1/nodes')) as unknown as { readonly items: readonly ApiNode[] }).items;
  const snapshot = async (): Promise<void> => {
    const list = { apiVersion: 'v1', kind: 'List', items: await listed() };
    const stored = await json(`${at()}/snapshots?createCluster=true`, 'POST', list);
    expect(stored).toMatchObject({ revision: expect.any(Number) });
  };
  const listed = async (): Promise<object[]> =>
    (await nodes()).map((node) => ({ apiVersion: 'v1', kind: 'Node', ...node }));
  const change = async (body: object): Promise<Record<string, unknown>> =>
    json(`${at()}/taint-changes`, 'POST', { reason: 'a test', apply: true, ...body });
  const idOf = (made: Record<string, unknown>): string => (made['change'] as { readonly id: string }).id;
  const read = (id: string): Promise<Record<string, unknown>> => json(`${at()}/taint-changes/${id}`);

  beforeAll(async () => {
    if (missing !== undefined) return;
    await run('node', ['scripts/build.mjs', '--bundle']);
    plane = await startControlPlane();
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
