import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { JsonObject } from '../../json/json-value.js';
import { decodeObject } from '../../kubernetes/decode.js';
import { KINDS, type KeptKind } from '../../kubernetes/kinds.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { WholePod } from '../../kubernetes/objects/whole-pod.js';
import { admitPod, type Admission, type PodToAdmit } from '../admission-chain.js';
import { admissionIn } from '../admission-in.js';
import { admissionDoubt } from '../undecided-plugins.js';

const PODS: JsonObject = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const ALL = KINDS.map(({ kind }) => kind);

/** As a dump has it, with how the webhook is called. */
function configuration(webhook: JsonObject, kind = 'MutatingWebhookConfiguration', name = 'injector') {
  const decoded = decodeObject({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    webhooks: [
      {
        name: 'sidecar.example.com',
        clientConfig: { service: { name: 's', namespace: 'n', path: '/x', port: 443 }, caBundle: 'AAAA' },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 5,
        matchPolicy: 'Equivalent',
        ...(kind === 'MutatingWebhookConfiguration' && { reinvocationPolicy: 'Never' }),
        ...webhook,
      },
    ],
  });
  if (decoded.outcome !== 'object') throw new Error(JSON.stringify(decoded));
  expect(decoded.unknownFields).toEqual([]);
  expect(JSON.stringify(decoded.object)).not.toContain('caBundle');
  return decoded.object;
}

const namespace = (more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team', labels: { inject: 'yes' } },
  ...more,
});

const pod = (labels: JsonObject = { app: 'web' }, spec: object = {}): WholePod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'team', labels },
    spec: { containers: [{ name: 'c', image: 'app:v1' }], ...spec },
  }) as unknown as WholePod;

const create = (sent = pod()): PodToAdmit => ({ operation: 'create', pod: sent });

const admitted = (
  objects: readonly KubernetesObject[],
  request: PodToAdmit = create(),
  loaded: readonly KeptKind[] = ALL,
): Admission => admitPod(request, admissionIn(ClusterState.build([namespace(), ...objects], loaded), 'team'));

const called = (webhook: JsonObject, request?: PodToAdmit) =>
  admitted([configuration(webhook)], request).webhooks.map(({ name, certain }) => `${name}${certain ? '' : '?'}`);

const CALLED = ['sidecar.example.com'];
const UNKNOWN = ['sidecar.example.com?'];

describe('webhooks that are called for a pod', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['a rule names pods', { rules: [PODS] }, CALLED],
    ['one of several rules names pods', { rules: [{ ...PODS, resources: ['services'] }, PODS] }, CALLED],
    ['a rule names everything', { rules: [{ ...PODS, apiGroups: ['*'], resources: ['*/*'] }] }, CALLED],
    ['a rule names all resources', { rules: [{ ...PODS, resources: ['*'] }] }, CALLED],
    ['a rule names pods and their subresources', { rules: [{ ...PODS, resources: ['pods/*'] }] }, CALLED],
    ['rules name subresources', { rules: [{ ...PODS, resources: ['pods/status', '*/scale'] }] }, []],
    ['rules name another resource', { rules: [{ ...PODS, resources: ['services'] }] }, []],
    ['rules name another group', { rules: [{ ...PODS, apiGroups: ['apps'] }] }, []],
    ['rules name another version', { rules: [{ ...PODS, apiVersions: ['v2'] }] }, []],
    ['rules name another operation', { rules: [{ ...PODS, operations: ['UPDATE', 'DELETE'] }] }, []],
    ['rules name all operations', { rules: [{ ...PODS, operations: ['*'] }] }, CALLED],
    ['rules are of the cluster', { rules: [{ ...PODS, scope: 'Cluster' }] }, []],
    ['rules are of namespaces', { rules: [{ ...PODS, scope: 'Namespaced' }] }, CALLED],
    ['there are no rules', { rules: [] }, []],
    ['the pod fits', { rules: [PODS], objectSelector: { matchLabels: { app: 'web' } } }, CALLED],
    ['the pod does not fit', { rules: [PODS], objectSelector: { matchLabels: { app: 'db' } } }, []],
    ['the namespace fits', { rules: [PODS], namespaceSelector: { matchLabels: { inject: 'yes' } } }, CALLED],
    [
      'the namespace is excluded by its name',
      {
        rules: [PODS],
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['team'] }],
        },
      },
      [],
    ],
    ['it is ignored if it does not answer', { rules: [PODS], failurePolicy: 'Ignore' }, CALLED],
  ])('are those that match: %s', (_, webhook, want) => {
    expect(called(webhook)).toEqual(want);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['holds', ['object.metadata.labels.app == "web"'], CALLED],
    ['does not hold', ['object.metadata.labels.app == "db"'], []],
    ['of several does not hold', ['true', 'object.spec.containers.size() > 1', 'true'], []],
    ['reads what plugins have set', ['object.spec.serviceAccountName == "default"'], CALLED],
    ['reads the request', ['request.operation == "CREATE" && request.resource.resource == "pods"'], CALLED],
    ['depends on who asks', ['request.userInfo.username != "admin"'], UNKNOWN],
    ['is false, whoever asks', ['request.userInfo.username != "admin"', 'false'], []],
    ['errs beside one that does not hold', ['object.metadata.labels.nope == "x"', 'false'], []],
  ])('meet their match conditions: one %s', (_, expressions, want) => {
    const matchConditions = expressions.map((expression, index) => ({ name: `c${index}`, expression }));
    expect(called({ rules: [PODS], matchConditions })).toEqual(want);
  });

  it('are skipped if a condition errs and the failure policy is Ignore; with Fail, the pod is refused', () => {
    const webhook = {
      rules: [PODS],
      matchConditions: [
        { name: 'a', expression: 'true' },
        { name: 'b', expression: 'object.metadata.labels.nope == "x"' },
      ],
    };
    expect(called({ ...webhook, failurePolicy: 'Ignore' })).toEqual([]);
    const error = `expression 'object.metadata.labels.nope == "x"' resulted in error: no such key: nope`;
    for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
      expect(admitted([configuration(webhook, kind)])).toMatchObject({
        outcome: 'refused',
        certain: true,
        refusal: {
          by: kind.replace('WebhookConfiguration', 'AdmissionWebhook'),
          status: 403,
          message: `pods "web" is forbidden: ${error}`,
        },
        reason: error,
      });
    }
    expect(
      admitted(
        [configuration(webhook)],
        create({ ...pod(), metadata: { ...pod().metadata, generateName: 'web-', name: '' } }),
      ),
    ).toMatchObject({
      refusal: { message: `pods is forbidden: ${error}` },
    });
  });

  it('are those of the operation, whose selectors also fit if only the pod before fits', () => {
    const webhook = {
      rules: [{ ...PODS, operations: ['UPDATE'] }],
      objectSelector: { matchLabels: { app: 'db' } },
    };
    const stored = admitted([], create(pod({ app: 'db' })));
    if (stored.outcome !== 'admitted') throw new Error('the pod is to be stored');
    const before = stored.pod as unknown as WholePod;
    const after = { ...before, metadata: { ...before.metadata, labels: { app: 'web' } } };
    expect(called(webhook, { operation: 'update', pod: after, stored: before })).toEqual(CALLED);
    expect(called(webhook, { operation: 'update', pod: after, stored: after })).toEqual([]);
    expect(called(webhook, create(pod({ app: 'db' })))).toEqual([]);
  });

  it('are not certain where the labels of the namespace are not known', () => {
    const webhook = configuration({ rules: [PODS], namespaceSelector: { matchLabels: { inject: 'yes' } } });
    const state = ClusterState.build(
      [webhook],
      ALL.filter((kind) => kind !== 'Namespace'),
    );
    const admission = admitPod(create(), admissionIn(state, 'team'));
    expect(admission.webhooks).toMatchObject([{ certain: false }]);
  });

  it('are not certain for a stored pod with conditions, because not all of it is stored', () => {
    const conditions = { matchConditions: [{ name: 'c', expression: 'true' }] };
    const request: PodToAdmit = { operation: 'create', pod: pod() as unknown as Pod, known: 'kept' };
    expect(called({ rules: [PODS], ...conditions }, request)).toEqual(UNKNOWN);
    expect(called({ rules: [PODS], ...conditions }, { ...request, whole: pod() })).toEqual(CALLED);
    expect(called({ rules: [PODS] }, request)).toEqual(CALLED);
  });
});

describe('what follows from a webhook that is called', () => {
  const mutating = configuration({ rules: [PODS], failurePolicy: 'Ignore' });
  const validating = configuration({ rules: [PODS] }, 'ValidatingWebhookConfiguration', 'checker');

  it('is that the outcome is not known, by its name', () => {
    expect(admitted([mutating, validating])).toMatchObject({
      outcome: 'admitted',
      certain: false,
      undecided: [
        {
          plugin: 'MutatingAdmissionWebhook',
          missingKind: null,
          why: 'webhook "sidecar.example.com" of MutatingWebhookConfiguration "injector" is called and may change or refuse the pod',
        },
        {
          plugin: 'ValidatingAdmissionWebhook',
          missingKind: null,
          why: 'webhook "sidecar.example.com" of ValidatingWebhookConfiguration "checker" is called and may refuse the pod',
        },
      ],
    });
    expect(admissionDoubt(admitted([validating]))).toMatchObject({ plugin: 'ValidatingAdmissionWebhook' });
    expect(admitted([])).toMatchObject({ outcome: 'admitted', certain: true, undecided: [], webhooks: [] });
  });

  const restricted = namespace({
    metadata: { name: 'team', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });

  it('is that a later refusal is not certain if it may change the pod', () => {
    expect(admitted([mutating, restricted])).toMatchObject({ outcome: 'refused', certain: false });
    expect(admitted([validating, restricted])).toMatchObject({ outcome: 'refused', certain: true });
    const unknownClass = create(pod({}, { priorityClassName: 'nope' }));
    expect(admitted([mutating], unknownClass)).toMatchObject({ outcome: 'refused', certain: true, webhooks: [] });
  });

  it('is the same where webhooks were never loaded, which is not taken for none', () => {
    const loaded = ALL.filter((kind) => kind !== 'MutatingWebhookConfiguration');
    expect(admitted([], create(), loaded)).toMatchObject({
      outcome: 'admitted',
      certain: false,
      undecided: [
        {
          plugin: 'MutatingAdmissionWebhook',
          missingKind: 'MutatingWebhookConfiguration',
          why: 'MutatingWebhookConfiguration was never loaded: which webhooks are called for the pod is not known',
        },
      ],
    });
    expect(admitted([restricted], create(), loaded)).toMatchObject({ outcome: 'refused', certain: false });
  });
});
