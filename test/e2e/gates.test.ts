import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { KINDS } from '../../src/core/kubernetes/kinds.js';
import { node } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/shop/gates';
const GPU = { key: 'gpu', value: 'a100', effect: 'NoSchedule' };

const labelled = (name: string, labels: Record<string, string>, rest: object = {}): object => ({
  ...node(name, rest),
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
});

const CLUSTER = [
  labelled('a', { pool: 'plain' }),
  labelled('b', { pool: 'gpu' }, { spec: { taints: [GPU] } }),
  labelled('c', { pool: 'gpu' }, { spec: { taints: [GPU] } }),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'strict', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  },
];
/** Nothing is missing: a kind without objects is there, and has none. */
const ALL_KINDS = `&kinds=${KINDS.map(({ kind }) => kind).join(',')}`;

let service: TestService;
let chart: string;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER, ALL_KINDS);
  await store(service, 'bare', [node('x')]);
  chart = await readFile('test/e2e/manifests/shop-chart.yaml', 'utf8');
});
afterAll(() => service.close());

const deployment = (replicas: number, spec: object = {}, cpu = '1'): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu } } }], ...spec },
    },
  },
});
const ask = (body: object, query = ''): Promise<Answer> => service.request('POST', `${AT}${query}`, body);
const raw = (body: string, query = '', accept = 'application/json'): Promise<Answer> =>
  service.request('POST', `${AT}${query}`, body, { 'content-type': 'application/yaml', accept });

describe('gates', () => {
  it('say yes if everything is accepted and every pod has a node', async () => {
    const answer = await ask({ namespace: 'shop', manifests: [deployment(3)] });
    expect(answer.status).toBe(200);
    expect([answer.at('verdict'), answer.at('summary')]).toEqual([
      'yes',
      'the object is accepted, and all 3 pods have a node',
    ]);
    expect(answer.at('objects.0')).toMatchObject({ outcome: 'created', code: 201, namespace: 'shop', document: 0 });
    expect(answer.at('workloads.0')).toMatchObject({
      desired: 3,
      created: 3,
      bound: 3,
      nodes: [{ node: 'a', pods: 3 }],
    });
    expect([answer.at('reasons'), answer.at('changes'), answer.at('load')]).toEqual([[], null, []]);
    const decision = await service.request('GET', `/api/v1/decisions/${answer.at('decision.id') as string}`);
    expect([decision.status, decision.at('verdict')]).toEqual([200, 'yes']);
  });

  it('turn a no into a yes by their own proposal', async () => {
    const manifest = deployment(2, { nodeSelector: { pool: 'gpu' } });
    const no = await ask({ namespace: 'shop', manifests: [manifest] });
    expect(no.at('verdict')).toBe('no');
    expect(no.at('reasons.0.code')).toBe('Unschedulable');
    expect(no.at('reasons.0.message')).toMatch(/^0\/3 nodes are available: /);
    expect(no.at('reasons.0.nodeGroups.0.untoleratedTaints.0.text')).toBe('gpu=a100:NoSchedule');
    const [change] = no.at('changes') as { patch: { op: string; path: string; value: unknown }[]; text: string }[];
    expect(change?.text).toBe('tolerate gpu=a100:NoSchedule');
    const [operation] = change!.patch;
    expect([operation?.op, operation?.path]).toEqual(['add', '/spec/template/spec/tolerations']);
    const fixed = deployment(2, { nodeSelector: { pool: 'gpu' }, tolerations: operation!.value });
    const yes = await ask({ namespace: 'shop', manifests: [fixed] });
    expect(yes.at('verdict')).toBe('yes');
  });

  it('take the output of Helm as it is', async () => {
    const answer = await raw(chart, '?namespace=shop');
    expect(answer.status).toBe(200);
    expect(answer.at('verdict')).toBe('no');
    const objects = answer.at('objects') as { kind: string; outcome: string; line: number }[];
    expect(objects.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['ServiceAccount', 'created'],
      ['ConfigMap', 'notLookedAt'],
      ['Service', 'created'],
      ['Deployment', 'created'],
      ['HorizontalPodAutoscaler', 'notLookedAt'],
      ['PodDisruptionBudget', 'created'],
      ['Ingress', 'notLookedAt'],
    ]);
    const lines = chart.split('\n');
    for (const { line } of objects) expect(lines[line - 1]).toMatch(/^apiVersion: /);
    expect(answer.at('changes.0.text')).toBe('tolerate gpu=a100:NoSchedule');
    const warnings = answer.at('warnings') as { code: string; rule: string | null }[];
    expect(warnings.map(({ code, rule }) => [code, rule])).toContainEqual(['DisruptionBudget', 'budget-never-allows']);
  });

  it('answer as text, SARIF and JUnit XML', async () => {
    const text = await raw(chart, '?namespace=shop', 'text/plain');
    expect(text.text).toMatch(/^NO: 3 of 3 pods find no node/);
    expect(text.text).toContain('node(s) had untolerated taint(s) (gpu=a100:NoSchedule) [TaintToleration]');
    expect(text.text).toContain('Not looked at:');
    // Each taint has a line of its own.
    const scenario = { changes: [{ editNodes: { nodes: ['b', 'c'], taints: ['new:NoExecute'] } }] };
    const tainted = { manifests: [deployment(1, { nodeSelector: { pool: 'gpu' } })], namespace: 'shop', scenario };
    const both = await service.request('POST', AT, tainted, { accept: 'text/plain' });
    const named = [...both.text.matchAll(/untolerated taint\(s\) \((.*)\) \[TaintToleration\]/g)].map(
      ([, taint]) => taint,
    );
    expect(named).toEqual(['new:NoExecute', 'gpu=a100:NoSchedule']);
    // Without lines, the number of the document, which counts from 1.
    const refusing = { manifests: [deployment(1, { nodeSelector: { pool: 'none' } })], namespace: 'shop' };
    const listed = await service.request('POST', AT, refusing, { accept: 'text/plain' });
    expect(listed.text).toContain('Deployment shop/web (document 1): ');
    const sarif = await raw(chart, '?namespace=shop', 'application/sarif+json');
    const { version, runs } = JSON.parse(sarif.text) as { version: string; runs: { results: { ruleId: string }[] }[] };
    expect([version, runs[0]?.results[0]?.ruleId]).toEqual(['2.1.0', 'Unschedulable']);
    const junit = await raw(chart, '?namespace=shop', 'application/junit+xml');
    expect(junit.text).toContain('failures="1"');
  });

  it('refuse what the pod security standard of the namespace forbids, and propose what meets it', async () => {
    const answer = await ask({ namespace: 'strict', manifests: [deployment(1)] });
    expect(answer.at('verdict')).toBe('no');
    expect(answer.at('reasons.0.code')).toBe('PodRefused');
    expect(answer.at('reasons.0.message')).toContain(
      'violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
    );
    expect(answer.at('objects.0.warnings.0')).toContain('would violate PodSecurity "restricted:latest"');
    expect(answer.at('changes.0.of')).toBe('Manifest');
  });

  it('are unknown by the kinds to load', async () => {
    const answer = await service.request('POST', '/api/v1/clusters/bare/gates', { manifests: [deployment(1)] });
    expect(answer.at('verdict')).toBe('unknown');
    expect(answer.at('load')).toEqual(expect.arrayContaining(['LimitRange', 'ResourceQuota']));
  });

  it('ask several clusters where manifests can go', async () => {
    const answer = await service.request('POST', '/api/v1/gates', { namespace: 'shop', manifests: [deployment(1)] });
    expect(answer.status).toBe(200);
    const items = answer.at('items') as { cluster: string; gate: { verdict: string } }[];
    expect(items.map(({ cluster, gate }) => [cluster, gate.verdict])).toEqual([
      ['bare', 'unknown'],
      ['shop', 'yes'],
    ]);
    const raws = await service.request('POST', '/api/v1/gates?namespace=shop&limit=1', chart, {
      'content-type': 'application/yaml',
    });
    expect(raws.status).toBe(200);
  });

  it('are the same over GraphQL', async () => {
    const rest = await ask({ namespace: 'shop', manifests: [deployment(2, { nodeSelector: { pool: 'gpu' } })] });
    const answer = await service.graphql(
      `query ($input: GateInput!, $all: GateAcrossInput!) {
        cluster(name: "shop") { gate(input: $input) { verdict summary reasons { code message pods } changes { text patch { op path value } } } }
        gates(input: $all, first: 5) { nodes { cluster gate { verdict } error { code } } } }`,
      {
        input: { namespace: 'shop', manifests: [deployment(2, { nodeSelector: { pool: 'gpu' } })], record: false },
        all: { namespace: 'shop', manifests: [deployment(1)], record: false },
      },
    );
    expect(answer.at('errors')).toBeUndefined();
    for (const member of ['verdict', 'summary']) {
      expect(answer.at(`data.cluster.gate.${member}`)).toEqual(rest.at(member));
    }
    expect(answer.at('data.cluster.gate.changes.0.patch')).toEqual(rest.at('changes.0.patch'));
    expect(answer.at('data.gates.nodes')).toHaveLength(2);
  });

  it('give the same answer to the same question, and to its replay', async () => {
    const asked = await ask({ namespace: 'shop', manifests: [deployment(2, { nodeSelector: { pool: 'gpu' } })] });
    const id = asked.at('decision.id') as string;
    const replay = await service.request('POST', `/api/v1/decisions/${id}/replay`, {});
    expect(replay.status).toBe(200);
    expect(replay.at('same.differences')).toEqual([]);
    expect([replay.at('same.identical'), replay.at('head.verdict')]).toEqual([true, 'no']);
  });

  it('refuse what is no manifest, with every document that is not', async () => {
    const bad = [
      ['an empty file', ''],
      ['notes of a chart', 'Thank you for installing shop.\n\nYour release is named shop.\n'],
      ['HTML', '<!DOCTYPE html><html><body>404</body></html>'],
      ['two objects of one name', `${chart}\n---\n${chart}`],
      ['a list that is no object', '- a\n- b\n'],
    ];
    for (const [, text] of bad) {
      const answer = await ask({ text });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
    const both = await ask({ text: chart, manifests: [deployment(1)] });
    expect(both.at('errors.0.code')).toBe('conflicting-fields');
    const none = await ask({ namespace: 'shop' });
    expect(none.at('errors.0.code')).toBe('required');
  });
});
