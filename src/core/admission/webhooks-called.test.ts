import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { decodeObject } from '../kubernetes/decode.js';
import type { JsonObject } from '../json/json-value.js';
import { webhooksCalled, type AskedOfWebhooks } from './webhooks-called.js';

const PODS: JsonObject = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

/** As a dump has it, with how the webhook is called. */
function configuration(webhook: JsonObject) {
  const decoded = decodeObject({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'injector' },
    webhooks: [
      {
        name: 'sidecar.example.com',
        clientConfig: { service: { name: 's', namespace: 'n', path: '/x', port: 443 }, caBundle: 'AAAA' },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 5,
        reinvocationPolicy: 'Never',
        matchPolicy: 'Equivalent',
        ...webhook,
      },
    ],
  });
  if (decoded.outcome !== 'object') throw new Error(JSON.stringify(decoded));
  expect(decoded.unknownFields).toEqual([]);
  expect(JSON.stringify(decoded.object)).not.toContain('caBundle');
  return decoded.object;
}
const asked = (more: Partial<AskedOfWebhooks> = {}): AskedOfWebhooks => ({
  operation: 'create',
  labels: [{ app: 'web' }],
  namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels: { inject: 'yes' } } },
  namespaceKnown: true,
  ...more,
});
const called = (webhook: JsonObject, more: Partial<AskedOfWebhooks> = {}) =>
  webhooksCalled(ClusterState.build([configuration(webhook)], []), 'mutating', asked(more)).map(
    ({ name, certain }) => `${name}${certain ? '' : '?'}`,
  );

describe('webhooksCalled', () => {
  it.each<[string, JsonObject, Partial<AskedOfWebhooks>, readonly string[]]>([
    ['a rule names pods', { rules: [PODS] }, {}, ['sidecar.example.com']],
    [
      'a rule names everything',
      { rules: [{ ...PODS, apiGroups: ['*'], resources: ['*/*'] }] },
      {},
      ['sidecar.example.com'],
    ],
    ['rules name other kinds', { rules: [{ ...PODS, resources: ['pods/status', 'services'] }] }, {}, []],
    ['rules name another operation', { rules: [PODS] }, { operation: 'update' }, []],
    ['rules are of the cluster', { rules: [{ ...PODS, scope: 'Cluster' }] }, {}, []],
    ['the pod fits', { rules: [PODS], objectSelector: { matchLabels: { app: 'web' } } }, {}, ['sidecar.example.com']],
    ['the pod does not fit', { rules: [PODS], objectSelector: { matchLabels: { app: 'db' } } }, {}, []],
    [
      'the pod before fits',
      { rules: [PODS], objectSelector: { matchLabels: { app: 'db' } } },
      { labels: [{}, { app: 'db' }] },
      ['sidecar.example.com'],
    ],
    [
      'the namespace fits',
      { rules: [PODS], namespaceSelector: { matchLabels: { inject: 'yes' } } },
      {},
      ['sidecar.example.com'],
    ],
    [
      'the namespace is excluded by its name',
      {
        rules: [PODS],
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['team'] }],
        },
      },
      {},
      [],
    ],
    [
      'the labels of the namespace are not known',
      { rules: [PODS], namespaceSelector: { matchLabels: { inject: 'yes' } } },
      { namespaceKnown: false },
      ['sidecar.example.com?'],
    ],
    [
      'there are conditions',
      { rules: [PODS], matchConditions: [{ name: 'c', expression: 'true' }] },
      {},
      ['sidecar.example.com?'],
    ],
  ])('tells where %s', (_, webhook, more, want) => {
    expect(called(webhook, more)).toEqual(want);
  });

  it('knows what follows where a webhook does not answer', () => {
    const policy = (webhook: JsonObject) =>
      webhooksCalled(ClusterState.build([configuration({ rules: [PODS], ...webhook })], []), 'mutating', asked())[0]
        ?.failurePolicy;
    expect([policy({}), policy({ failurePolicy: 'Ignore' })]).toEqual(['Fail', 'Ignore']);
  });

  it('tells validating ones apart', () => {
    const state = ClusterState.build([configuration({ rules: [PODS] })], []);
    expect(webhooksCalled(state, 'validating', asked())).toEqual([]);
  });
});
