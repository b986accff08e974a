import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { ApiServer, messageOf } from '../control-plane/api-server.js';
import { missingAssets, startControlPlane, type ControlPlane } from '../control-plane/control-plane.js';
import {
  KUBECTL,
  Manifests,
  objectsOf,
  OVERLAYS,
  podTemplatesOf,
  RENDERED_CHARTS,
  type Manifest,
} from './kustomize.js';

const missing = missingAssets(process.env) ?? (KUBECTL === undefined ? 'there is no kubectl' : undefined);
if (missing !== undefined) process.stderr.write(`skipped: the manifests on a running control plane; ${missing}\n`);

const NAMESPACE = 'kube-placement';
/** Kinds of operators, by their group; their definitions here take any object. */
const OPERATORS = [
  ['postgresql.cnpg.io', 'v1', 'Cluster', 'clusters'],
  ['cert-manager.io', 'v1', 'Certificate', 'certificates'],
  ['cert-manager.io', 'v1', 'Issuer', 'issuers'],
  ['monitoring.coreos.com', 'v1', 'ServiceMonitor', 'servicemonitors'],
  ['monitoring.coreos.com', 'v1', 'PrometheusRule', 'prometheusrules'],
] as const;

let plane: ControlPlane;
let manifests: Manifests;

async function kubectl(args: readonly string[], input: string): Promise<{ code: unknown; out: string; err: string }> {
  const child = spawn(KUBECTL!, ['--kubeconfig', join(plane.folder!, 'kubeconfig'), ...args]);
  let [out, err] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (out += part.toString()));
  child.stderr.on('data', (part: Buffer) => (err += part.toString()));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, out, err };
}

const definitionOf = ([group, version, kind, plural]: (typeof OPERATORS)[number]): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

beforeAll(async () => {
  if (missing !== undefined) return;
  [plane, manifests] = await Promise.all([startControlPlane(), Manifests.copy()]);
  const definitions = OPERATORS.map((one) => stringify(definitionOf(one))).join('---\n');
  const namespaces = await Promise.all(
    ['kustomize/base', 'agent'].map((path) => readFile(`deploy/${path}/namespace.yaml`, 'utf8')),
  );
  const applied = await kubectl(['apply', '-f', '-'], [definitions, ...namespaces].join('---\n'));
  expect([applied.code, applied.err]).toEqual([0, '']);
  const names = OPERATORS.map(([group, , , plural]) => `crd/${plural}.${group}`);
  await kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...names], '');
}, 240_000);
afterAll(async () => {
  if (missing !== undefined) return;
  await plane.stop();
  await manifests.remove();
}, 60_000);

const listOf = (items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

/** A pod as a controller creates it; that of a StatefulSet has its claims as volumes. */
const podOf = ({ of, template }: ReturnType<typeof podTemplatesOf>[number]): object => {
  const claims = (of.spec['volumeClaimTemplates'] ?? []) as unknown as readonly Manifest[];
  const volumes = claims.map(({ metadata: { name } }) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...template.metadata,
      name: `${of.kind.toLowerCase()}-${of.metadata.name}`,
      namespace: of.metadata.namespace!,
    },
    spec: { ...template.spec, volumes: [...(template.spec.volumes ?? []), ...volumes] },
  };
};

(missing === undefined ? describe : describe.skip)('an API server with a namespace that enforces restricted', () => {
  it.each([...OVERLAYS, ...RENDERED_CHARTS, 'agent'])(
    'takes every object of %s with strict validation and without a warning',
    async (path) => {
      const text = await manifests.render(path);
      const dryRun = ['apply', '--dry-run=server', '--validate=strict', '-f', '-'];
      const answer = await kubectl(dryRun, text);
      expect([answer.code, answer.err]).toEqual([0, '']);
      const objects = objectsOf(text);
      expect(answer.out.trim().split('\n')).toHaveLength(objects.length);
      // The service accounts of pods must exist.
      await kubectl(['apply', '-f', '-'], listOf(objects.filter(({ kind }) => kind === 'ServiceAccount')));
      const pods = podTemplatesOf(objects).map(podOf);
      const created = await kubectl(['create', '--dry-run=server', '--validate=strict', '-f', '-'], listOf(pods));
      expect([created.code, created.err]).toEqual([0, '']);
    },
  );

  describe('the service account that writes', () => {
    let writer: ApiServer;
    let reader: ApiServer;
    beforeAll(async () => {
      const applied = await kubectl(['apply', '-f', '-'], await manifests.render('kustomize/overlays/whole'));
      expect([applied.code, applied.err]).toEqual([0, '']);
      const node = { metadata: { name: 'n', labels: { zone: 'a' } }, spec: { providerID: 'p' } };
      await plane.api.must('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', ...node });
      [writer, reader] = await Promise.all([as('kube-placement-writer'), as('kube-placement')]);
      // A policy takes a moment until it counts.
      await plane.api.until('the policy refuses', async () => {
        const { code } = await writer.ask('PATCH', '/api/v1/nodes/n?dryRun=All', { metadata: { labels: { x: 'y' } } });
        return code === 403 || undefined;
      });
    });
    afterAll(() => {
      writer?.close();
      reader?.close();
    });

    const as = async (account: string): Promise<ApiServer> => {
      const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${account}/token`;
      const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
      const { status } = await plane.api.must('POST', path, request);
      return ApiServer.open(
        plane.access.url,
        (status as JsonObject)['token'] as string,
        join(plane.folder!, 'pki/ca.crt'),
      );
    };
    const patched = async (patch: object): Promise<readonly unknown[]> => {
      const { code, body } = await writer.ask('PATCH', '/api/v1/nodes/n', patch);
      return code === 200 ? [code] : [code, messageOf(body)];
    };

    it('adds and removes taints, as the service writes them', async () => {
      const node = await writer.must('GET', '/api/v1/nodes/n');
      const { resourceVersion } = node['metadata'] as { resourceVersion: string };
      const taints = [{ key: 'maintenance', value: 'true', effect: 'NoSchedule' }];
      const patch = [
        { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'add', path: '/spec/taints', value: taints },
      ];
      const answer = await writer.ask('PATCH', '/api/v1/nodes/n', patch, 'application/json-patch+json');
      expect([answer.code, (answer.body['spec'] as JsonObject)['taints']]).toEqual([200, taints]);
      expect(await patched({ spec: { taints: null } })).toEqual([200]);
    });

    it.each([
      ['a label', { metadata: { labels: { zone: 'b' } } }],
      ['a new label', { metadata: { labels: { more: 'b' } } }],
      ['the last label away', { metadata: { labels: null } }],
      ['an annotation', { metadata: { annotations: { a: 'b' } } }],
      ['a finalizer', { metadata: { finalizers: ['example.com/f'] } }],
      ['a cordon', { spec: { unschedulable: true } }],
      ['the addresses of pods', { spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] } }],
      [
        'a label beside a taint',
        { metadata: { labels: { a: 'b' } }, spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
      ],
    ])('is refused %s', async (_, patch) => {
      expect(await patched(patch)).toEqual([
        403,
        expect.stringMatching(
          /kube-placement-writes-taints-alone.* denied request: kube-placement may change the taints/,
        ),
      ]);
    });

    it('may do nothing else to nodes, and the account that reads may not write at all', async () => {
      expect(await writer.ask('DELETE', '/api/v1/nodes/n')).toMatchObject({ code: 403 });
      const node = await writer.must('GET', '/api/v1/nodes/n');
      expect(await writer.ask('PUT', '/api/v1/nodes/n', node)).toMatchObject({ code: 403 });
      expect(await writer.ask('PATCH', '/api/v1/nodes/n/status', { status: {} })).toMatchObject({ code: 403 });
      expect(await reader.ask('PATCH', '/api/v1/nodes/n', { spec: { taints: [] } })).toMatchObject({ code: 403 });
      for (const api of [writer, reader]) {
        expect(await api.ask('GET', '/api/v1/secrets')).toMatchObject({ code: 403 });
        expect(await api.ask('GET', '/api/v1/pods')).toMatchObject({ code: 200 });
      }
    });

    it('leaves others free to change nodes', async () => {
      await plane.api.must('PATCH', '/api/v1/nodes/n', { metadata: { labels: { zone: 'c' } } });
    });

    it('is that of the pods, which the controllers create', async () => {
      const pods = await plane.api.until('pods of the Deployment and the Job', async () => {
        const { items } = await plane.api.must('GET', `/api/v1/namespaces/${NAMESPACE}/pods`);
        const found = items as unknown as Manifest[];
        return found.length === 4 ? found : undefined;
      });
      const accounts = pods.map(({ spec }) => spec['serviceAccountName']).sort();
      expect(accounts).toEqual(['kube-placement-migration', ...Array<string>(3).fill('kube-placement-writer')]);
    });
  });
});
