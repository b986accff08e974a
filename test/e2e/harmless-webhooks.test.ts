import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KINDS } from '../../src/core/kubernetes/kinds.js';
import { node } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const ALL_KINDS = `&kinds=${KINDS.map(({ kind }) => kind).join(',')}`;
const PODS = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
const configuration = (kind: string, name: string, ...webhooks: readonly string[]): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name },
  webhooks: webhooks.map((webhook) => ({ name: webhook, rules: PODS })),
});
const CLUSTER = [
  node('a'),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  configuration('MutatingWebhookConfiguration', 'istio', 'inject.istio.io', 'other.istio.io'),
  configuration('ValidatingWebhookConfiguration', 'kyverno', 'validate.kyverno.svc'),
];
const AT = '/api/v1/clusters';
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER, ALL_KINDS);
});
afterAll(() => service.close());

const declare = (body: object): Promise<Answer> => service.request('PUT', `${AT}/shop/admission-configuration`, body);
const ask = (question: string, body: object): Promise<Answer> =>
  service.request('POST', `${AT}/shop/${question}`, body);

describe('webhooks that are declared harmless', () => {
  it('leave every answer certain, which names them', async () => {
    const before = await ask('admission-reviews', { pod: POD });
    expect([before.at('outcome'), before.at('basis.harmlessWebhooks')]).toEqual(['unknown', []]);
    const declared = await declare({ harmlessWebhooks: ['kyverno', 'istio', 'absent'] });
    expect(declared.at('harmlessWebhooks')).toEqual(['absent', 'istio', 'kyverno']);
    const review = await ask('admission-reviews', { pod: POD });
    expect([review.at('outcome'), review.at('undecided')]).toEqual(['admitted', []]);
    expect(review.at('basis.harmlessWebhooks')).toEqual(['istio', 'kyverno']);
    expect(review.at('webhooks')).toEqual([
      expect.objectContaining({ name: 'inject.istio.io', certain: true, assumedHarmless: true }),
      expect.objectContaining({ name: 'other.istio.io', certain: true, assumedHarmless: true }),
      expect.objectContaining({ name: 'validate.kyverno.svc', certain: true, assumedHarmless: true }),
    ]);
    const placed = await ask('placements', { pod: POD });
    expect([placed.at('summary.feasible'), placed.at('basis.harmlessWebhooks')]).toEqual([1, ['istio', 'kyverno']]);
    const gate = await ask('gates', { manifests: [POD] });
    expect([gate.at('verdict'), gate.at('basis.harmlessWebhooks')]).toEqual(['yes', ['istio', 'kyverno']]);
    const text = await service.request('POST', `${AT}/shop/gates`, { manifests: [POD] }, { accept: 'text/plain' });
    expect(text.text).toContain('Assumes that these webhooks are harmless: istio, kyverno\n');
  });

  it('can be single webhooks of a configuration; the others leave answers unknown', async () => {
    await declare({ harmlessWebhooks: ['istio/inject.istio.io', 'kyverno'] });
    const review = await ask('admission-reviews', { pod: POD });
    expect(review.at('outcome')).toBe('unknown');
    expect(review.at('undecided')).toEqual([
      {
        plugin: 'MutatingAdmissionWebhook',
        missingKind: null,
        why: 'webhook "other.istio.io" of MutatingWebhookConfiguration "istio" is called and may change or refuse the pod',
      },
    ]);
  });

  it('are declared and read over GraphQL, too', async () => {
    const declared = await service.graphql(
      `mutation ($input: AdmissionConfigurationInput!) { declareAdmissionConfiguration(input: $input) { harmlessWebhooks } }`,
      { input: { cluster: 'shop', harmlessWebhooks: ['istio', 'kyverno'] } },
    );
    expect(declared.at('data.declareAdmissionConfiguration.harmlessWebhooks')).toEqual(['istio', 'kyverno']);
    const read = await service.graphql(
      `{ cluster(name: "shop") { admissionConfiguration { harmlessWebhooks basis { harmlessWebhooks } } } }`,
    );
    expect(read.at('data.cluster.admissionConfiguration')).toEqual({
      harmlessWebhooks: ['istio', 'kyverno'],
      basis: { harmlessWebhooks: ['istio', 'kyverno'] },
    });
  });

  it('are refused with every name that is no name of a webhook, or stands twice', async () => {
    const wrong = await declare({ harmlessWebhooks: ['a/b/c', '', 'No Name', 'istio', 'istio'], dryRun: true });
    expect(wrong.status).toBe(400);
    expect((wrong.at('errors') as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual(
      [0, 1, 2, 4].map((index) => `/harmlessWebhooks/${index}`),
    );
  });
});
