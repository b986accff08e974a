import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { followedCluster } from '../../src/app/following/followed-cluster.js';
import { agentCommand } from '../../src/cli/agent.js';
import { readConfig } from '../../src/config.js';
import { KINDS } from '../../src/core/kubernetes/kinds.js';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { node } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';
import {
  KUBECTL,
  Manifests,
  objectsOf,
  OVERLAYS,
  podTemplatesOf,
  RENDERED_CHARTS,
  type Manifest,
} from './kustomize.js';

const ALL_KINDS = `&kinds=${KINDS.map(({ kind }) => kind).join(',')}`;

/** Three nodes in three zones, with room for one of the service's pods and one more in a rollout. */
const CLUSTER = [
  ...['a', 'b', 'c'].map((name) => ({
    ...node(name, { status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } } }),
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `zone-${name}` },
    },
  })),
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'csi.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  },
];

let service: TestService;
let manifests: Manifests;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'own', CLUSTER, ALL_KINDS);
  manifests = await Manifests.copy();
});
afterAll(async () => {
  await service.close();
  await manifests.remove();
});

const rendered = async (path: string): Promise<Manifest[]> => objectsOf(await manifests.render(path));

(KUBECTL === undefined ? describe.skip : describe)('the manifests of deploy/kustomize', () => {
  describe.each([...OVERLAYS, ...RENDERED_CHARTS])('%s', (path) => {
    it('passes the gate of the service, in the namespace with its pod security standard', async () => {
      const text = await manifests.render(path);
      const answer = await service.request('POST', '/api/v1/clusters/own/gates?record=false', text, {
        'content-type': 'application/yaml',
      });
      expect(answer.at('reasons')).toEqual([]);
      expect([answer.status, answer.at('verdict')]).toEqual([200, 'yes']);
      const workloads = answer.at('workloads') as { name: string; desired: number; bound: number }[];
      const own = workloads.find(({ name }) => name === 'kube-placement')!;
      expect([own.desired, own.bound]).toEqual(path.endsWith('trial') ? [1, 1] : [3, 3]);
      expect(answer.at('warnings')).toEqual([]);
    });

    it('gives every container a read-only root and limits, and a token only to pods that ask the API server', async () => {
      const templates = podTemplatesOf(await rendered(path));
      expect(templates.length).toBeGreaterThan(1);
      for (const { of, template } of templates) {
        for (const { name, securityContext, resources } of template.spec.containers) {
          expect([name, securityContext['readOnlyRootFilesystem'], resources.limits['memory']]).toEqual([
            name,
            true,
            resources.requests['memory'],
          ]);
        }
        const isService = of.kind === 'Deployment';
        expect([of.kind, template.spec.automountServiceAccountToken]).toEqual([of.kind, isService]);
      }
    });

    it('keeps what the owner of the tables needs from the pods of the service', async () => {
      const objects = await rendered(path);
      const [deployment] = podTemplatesOf(objects).filter(({ of }) => of.kind === 'Deployment');
      expect(JSON.stringify(deployment)).not.toMatch(/owner|postgres-app|MIGRATION/i);
      const [job] = podTemplatesOf(objects).filter(({ of }) => of.kind === 'Job');
      const names = job!.template.spec.containers[0]!.env!.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['MIGRATION_DATABASE_URL', 'DATABASE_URL']));
    });

    it('has variables that come before their use, and settings that the service takes and documents', async () => {
      const settings = await readFile('docs/settings.md', 'utf8');
      for (const { of, template } of podTemplatesOf(await rendered(path))) {
        const env: Record<string, string> = {};
        for (const { name, value, valueFrom } of template.spec.containers[0]!.env!) {
          for (const [, used] of (value ?? '').matchAll(/\$\((\w+)\)/g)) expect(Object.keys(env)).toContain(used);
          env[name] =
            valueFrom === undefined ? value! : name.endsWith('DATABASE_URL') ? 'postgres://a:b@c/d' : 'secret';
        }
        if (of.kind === 'StatefulSet') continue;
        // Of Node, and parts of URLs.
        const others = ['NODE_OPTIONS', 'SERVICE_PASSWORD', 'OWNER_PASSWORD'];
        const given = Object.fromEntries(Object.entries(env).filter(([name]) => !others.includes(name)));
        for (const name of Object.keys(given)) expect(settings).toContain(`\`${name}\``);
        expect(() => readConfig(given)).not.toThrow();
      }
    });
  });

  it('runs one agent, with the rights to follow its cluster', async () => {
    const objects = await rendered('agent');
    const text = await manifests.render('agent');
    const answer = await service.request('POST', '/api/v1/clusters/own/gates?record=false', text, {
      'content-type': 'application/yaml',
    });
    expect([answer.at('verdict'), answer.at('reasons'), answer.at('warnings')]).toEqual(['yes', [], []]);
    const [{ template }] = podTemplatesOf(objects) as [ReturnType<typeof podTemplatesOf>[number]];
    const [program, command, ...options] = template.spec.containers[0]!.args!;
    expect([program, command]).toEqual(['dist/bundle/kube-placement.js', 'agent']);
    const known = agentCommand().options.map(({ long }) => long);
    expect(known).toEqual(expect.arrayContaining(options.filter((word) => word.startsWith('--'))));
    const role = objects.find(({ kind }) => kind === 'ClusterRole') as unknown as JsonObject;
    expect(role['rules']).toEqual(followedCluster(undefined, new Date(0)).rules);
  });

  it('grants reading of exactly the kinds that the service follows', async () => {
    const role = (await rendered(OVERLAYS[2]!)).find(({ kind }) => kind === 'ClusterRole');
    expect((role as unknown as JsonObject)['rules']).toEqual(followedCluster(undefined, new Date(0)).rules);
  });

  it('registers the webhooks that the service describes', async () => {
    const path = '/api/v1/clusters/own/webhooks/configuration?service=kube-placement/kube-placement:443';
    const described = (await service.request('GET', path)).at('items') as JsonObject[];
    const registered = (await rendered(OVERLAYS[3]!)).filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
    const webhooks = (configurations: readonly object[]) =>
      configurations.map((one) => [(one as JsonObject)['kind'], (one as JsonObject)['webhooks']]);
    expect(webhooks(registered)).toEqual(webhooks(described));
  });

  it('selects database and migration by their labels, to be applied first', async () => {
    for (const path of OVERLAYS) {
      const isFirst = ({ metadata }: Manifest): boolean =>
        ['database', 'migration'].includes(metadata.labels?.['app.kubernetes.io/component'] ?? '');
      const objects = await rendered(path);
      const first = objects.filter(isFirst).map(({ kind }) => kind);
      expect(first).toEqual(expect.arrayContaining(['Job', 'NetworkPolicy']));
      expect(first).not.toContain('Deployment');
      const second = objects.filter((object) => !isFirst(object)).map(({ kind }) => kind);
      expect(second.filter((kind) => ['Secret', 'StatefulSet', 'Cluster'].includes(kind))).toEqual([]);
    }
  });
});

describe('the image that the manifests name', () => {
  it('is of the version of the service', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    const overlays = ['trial', 'cloudnative-pg', 'external'].map((name) => `kustomize/overlays/${name}`);
    for (const path of [...overlays, 'agent']) {
      const text = await readFile(join('deploy', path, 'kustomization.yaml'), 'utf8');
      expect(text).toContain(`newTag: ${version}\n`);
    }
  });
});
