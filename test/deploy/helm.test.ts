import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { canonicalJson } from '../../src/core/audit/canonical-json.js';
import type { JsonObject, JsonValue } from '../../src/core/json/json-value.js';
import { compileLabelSelector } from '../../src/core/kubernetes/label-selector.js';
import type { LabelSelector } from '../../src/core/kubernetes/objects/selectors.js';
import {
  exampleNames,
  HASH_FILE,
  hashOfSources,
  HELM,
  lintChart,
  renderChart,
  RENDERED,
  SHARED_FILES,
} from './chart.js';
import { KUBECTL, Manifests, objectsOf, type Manifest } from './kustomize.js';

if (HELM === undefined)
  process.stderr.write('skipped: rendering with helm; there is none, so its committed output is tested\n');

let manifests: Manifests;
let names: readonly string[];
beforeAll(async () => {
  [manifests, names] = await Promise.all([Manifests.copy(), exampleNames()]);
});
afterAll(() => manifests.remove());

const committed = (name: string): Promise<string> => readFile(`${RENDERED}/${name}.yaml`, 'utf8');

/** Labels of one of the two alone, and labels by which nothing is selected. */
const LABELS_OF_ONE = [
  'app.kubernetes.io/instance',
  'app.kubernetes.io/version',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/part-of',
  'helm.sh/chart',
];
/** Lists whose order means nothing; another test checks that variables come before their use. */
const BY_NAME = ['env', 'volumes', 'volumeMounts'];

/** An object without what differs between the two by design. */
function normalised(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item) => normalised(item));
    return BY_NAME.includes(key) ? items.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) : items;
  }
  if (value === null || typeof value !== 'object') return value;
  const isAnnotations = key === 'annotations';
  const members = Object.entries(value)
    .filter(([name]) => !LABELS_OF_ONE.includes(name) && !(isAnnotations && name.startsWith('helm.sh/')))
    .map(([name, member]): [string, JsonValue] => [name, normalised(member, name)])
    .filter(([name, member]) => name !== 'annotations' || Object.keys(member as JsonObject).length > 0);
  return Object.fromEntries(members);
}

const nameOf = (item: JsonValue): string => (item as JsonObject)['name'] as string;

/** A chart leaves the namespace and the database to others; policies are compared by what they allow. */
const isCompared = ({ kind, apiVersion }: Manifest): boolean =>
  kind !== 'Namespace' && kind !== 'NetworkPolicy' && !apiVersion.startsWith('postgresql.cnpg.io/');

/** kubectl's kustomize gives kinds that it does not know a namespace, also those that have none. */
const withoutNamespace = ({ metadata, ...object }: Manifest): object => {
  const isKnown = !object.kind.startsWith('ValidatingAdmissionPolicy');
  return {
    ...object,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => isKnown || key !== 'namespace')),
  };
};

const byName = (objects: readonly Manifest[]): Record<string, JsonValue> =>
  Object.fromEntries(
    objects
      .filter(isCompared)
      .map((object) => [`${object.kind} ${object.metadata.name}`, normalised(withoutNamespace(object) as JsonValue)]),
  );

interface NetworkPolicySpec {
  readonly podSelector: LabelSelector;
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly JsonObject[];
  readonly egress?: readonly JsonObject[];
}

/** What the pods of a component may do by all policies that select them. */
function allowed(objects: readonly Manifest[], component: string): object {
  const labels = {
    'app.kubernetes.io/name': 'kube-placement',
    'app.kubernetes.io/instance': 'kube-placement',
    'app.kubernetes.io/component': component,
  };
  const policies = objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec as unknown as NetworkPolicySpec)
    .filter(({ podSelector }) => {
      const compiled = compileLabelSelector(podSelector);
      return 'selector' in compiled && compiled.selector.matches(labels);
    });
  const rules = (direction: 'ingress' | 'egress'): string[] =>
    policies
      .flatMap((policy) => policy[direction] ?? [])
      .map((rule) => canonicalJson(rule))
      .sort();
  const types = new Set(policies.flatMap(({ policyTypes }) => policyTypes));
  return { types: [...types].sort(), ingress: rules('ingress'), egress: rules('egress') };
}

(KUBECTL === undefined ? describe.skip : describe)('the Helm chart', () => {
  it.each(['external', 'cloudnative-pg', 'whole'])(
    'makes the objects of the overlay %s, setting by setting',
    async (name) => {
      const ofHelm = objectsOf(await committed(name));
      const ofKustomize = objectsOf(await manifests.render(`kustomize/overlays/${name}`));
      expect(byName(ofHelm)).toEqual(byName(ofKustomize));
      for (const component of ['service', 'migration']) {
        expect([component, allowed(ofHelm, component)]).toEqual([component, allowed(ofKustomize, component)]);
        expect(allowed(ofHelm, component)).toMatchObject({ types: ['Egress', 'Ingress'] });
      }
    },
  );
});

describe('the output of helm that is committed', () => {
  it('is of the sources of the chart: run npm run render-chart after a change', async () => {
    expect((await readFile(HASH_FILE, 'utf8')).trim()).toBe(await hashOfSources());
    expect((await readdir(RENDERED)).sort()).toEqual([...names.map((name) => `${name}.yaml`), 'sources.sha256'].sort());
  });

  it('is of files that are those of the kustomize manifests', async () => {
    for (const { from, to } of SHARED_FILES) {
      expect([to, await readFile(to, 'utf8')]).toEqual([to, await readFile(from, 'utf8')]);
    }
  });

  it('is of the version of the service', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    const chart = parse(await readFile('deploy/helm/kube-placement/Chart.yaml', 'utf8')) as object;
    expect(chart).toMatchObject({ version, appVersion: version });
  });

  it('starts with what the migration needs, and the migration, as hooks that come before the release', async () => {
    for (const name of names) {
      const hooks = objectsOf(await committed(name)).flatMap(({ kind, metadata }) => {
        const { annotations } = metadata as { annotations?: Record<string, string> };
        const hook = annotations?.['helm.sh/hook'];
        return hook === undefined ? [] : [{ kind, hook, weight: Number(annotations!['helm.sh/hook-weight']) }];
      });
      const before = { hook: 'pre-install,pre-upgrade' };
      expect(hooks.sort((a, b) => a.weight - b.weight || (a.kind < b.kind ? -1 : 1))).toEqual([
        { kind: 'NetworkPolicy', ...before, weight: -10 },
        { kind: 'ServiceAccount', ...before, weight: -10 },
        { kind: 'Job', ...before, weight: -5 },
      ]);
    }
  });
});

(HELM === undefined ? describe.skip : describe)('helm', () => {
  it('finds nothing to complain about, and renders what is committed', async () => {
    for (const name of names) {
      expect(await lintChart(name)).toContain('1 chart(s) linted, 0 chart(s) failed');
      expect(byName(objectsOf(await renderChart(name)))).toEqual(byName(objectsOf(await committed(name))));
    }
  });

  it.each([
    ['image.digest=sha256:1', /digest/],
    ['replica=1', /replica/],
    ['settings.DATABASE_URL=postgres://a', /DATABASE_URL/],
    ['settings.DATABASE_READ_URL=postgres://a', /DATABASE_READ_URL/],
    ['settings.log-level=warn', /log-level/],
    ['database.readUrlSecret.name=standby', /readUrlSecret/],
    ['networkPolicy.databaseCidrs={10.0.0.1}', /databaseCidrs/],
    ['auth.fileSecret=', /auth\.fileSecret is empty: set settings\.OIDC_ISSUER/],
  ])('refuses --set %s', async (setting, message) => {
    await expect(renderChart('external', ['--set', setting])).rejects.toThrow(message);
  });

  it('refuses to write taints of a cluster that it does not follow, and webhooks without a certificate', async () => {
    const render = (setting: string): Promise<string> => renderChart('whole', ['--set', setting]);
    await expect(render('followOwnCluster.enabled=false')).rejects.toThrow('needs followOwnCluster.enabled');
    await expect(render('admissionWebhooks.certManager.enabled=false')).rejects.toThrow('needs caBundle and tlsSecret');
  });

  it('gives the address of a standby to the service, and not to the migration', async () => {
    const secret = { name: 'standby', key: 'url' };
    for (const name of ['external', 'cloudnative-pg']) {
      const set = ['--set-json', `database.readUrlSecret=${JSON.stringify(secret)}`];
      const objects = objectsOf(await renderChart(name, set));
      const withIt = objects.filter((object) => JSON.stringify(object).includes('DATABASE_READ_URL'));
      expect(withIt.map(({ kind }) => kind)).toEqual(['Deployment']);
      const variable = { name: 'DATABASE_READ_URL', valueFrom: { secretKeyRef: secret } };
      const env = expect.arrayContaining([variable]) as unknown;
      expect(withIt[0]!.spec).toMatchObject({ template: { spec: { containers: [{ env }] } } });
    }
  });

  it('puts settings, files and an image by digest into the pods', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const values = {
      settings: { LOG_LEVEL: 'warn', RATE_LIMIT: 100 },
      extraVolumes: [{ name: 'keys', secret: { secretName: 'keys' } }],
      extraVolumeMounts: [{ name: 'keys', mountPath: '/etc/keys' }],
      image: { repository: 'registry.example/kube-placement', digest },
    };
    const set = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
    const deployment = objectsOf(await renderChart('external', set)).find(({ kind }) => kind === 'Deployment')!;
    expect(deployment.spec).toMatchObject({
      template: {
        spec: {
          containers: [
            {
              image: `registry.example/kube-placement@${digest}`,
              env: expect.arrayContaining([
                { name: 'LOG_LEVEL', value: 'warn' },
                { name: 'RATE_LIMIT', value: '100' },
              ]),
              volumeMounts: expect.arrayContaining([values.extraVolumeMounts[0]]),
            },
          ],
          volumes: expect.arrayContaining([values.extraVolumes[0]]),
        },
      },
    });
  });
});
