import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'c', SMALL_CLUSTER);
});
afterAll(() => service.close());

interface Problem {
  readonly errors: readonly { readonly field?: string; readonly pointer?: string; readonly code: string }[];
}

/** Where each error is, and its code, sorted. */
const placesOf = ({ errors }: Problem): readonly string[] =>
  errors.map(({ pointer, field, code }) => `${pointer ?? field ?? ''} ${code}`).sort();

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const BAD_POD = { ...POD, spec: { containers: [{ name: 'c', image: 'i' }], tolerations: [{ operator: 'Equals' }] } };

const cases: readonly {
  readonly of: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly body?: object;
  readonly errors: readonly string[];
}[] = [
  {
    of: 'a list: unknown parameters, values and selectors',
    path: 'nodes?limit=0&labelSelector=a%20in%20(&fieldSelector=spec.what=1&taint=a:b:c&untoleratedBy=x&maxAge=soon&colour=red',
    errors: [
      'colour unknown-parameter',
      'fieldSelector invalid-selector',
      'labelSelector invalid-selector',
      'limit min',
      'maxAge isDuration',
      'taint invalid-taint',
      'untoleratedBy invalid-pod-key',
    ],
  },
  {
    of: 'a comparison of revisions',
    path: 'diff?from=then&to=now&maxAge=x',
    errors: ['from isMoment', 'maxAge isDuration', 'to isMoment'],
  },
  {
    of: 'a placement: parameters, members, filters, scheduler and manifest',
    path: 'placements?fields=nope&colour=red',
    body: { pod: BAD_POD, filters: ['Nope'], scheduler: 5, nodes: { labelSelector: 'a in (' }, view: 'none' },
    errors: [
      '/filters/0 unknown-filter',
      '/nodes/labelSelector invalid-selector',
      '/pod/spec/tolerations/0/operator FieldValueInvalid',
      '/pod/spec/tolerations/0/operator FieldValueNotSupported',
      '/scheduler isObject',
      '/view isIn',
      'colour unknown-parameter',
      'fields unknown-field',
    ],
  },
  {
    of: 'a taint change: parameters, targets, taints and what is recorded',
    path: 'taint-changes?colour=red',
    body: {
      labelSelector: 'a in (',
      taints: ['bad taint'],
      link: 'nowhere',
      expiresAt: '2020-01-01T00:00:00Z',
      colour: 1,
    },
    errors: [
      '/colour unknown-field',
      '/expiresAt in-the-past',
      '/labelSelector invalid-selector',
      '/link invalid',
      '/reason required',
      '/taints/0 invalid-taint',
      'colour unknown-parameter',
    ],
  },
  {
    of: 'a drain',
    path: 'drains?revision=0',
    body: { nodes: [], options: { podSelector: '(' }, taint: 'x:NoSchedule', rolling: { maxParallel: 0 } },
    errors: [
      '/nodes required',
      '/options/podSelector invalid-selector',
      '/rolling/maxParallel min',
      '/taint not-no-execute',
      'revision min',
    ],
  },
  {
    of: 'a queue run',
    path: 'queue-runs?revision=0',
    body: {
      pods: [
        { id: 'a', pod: BAD_POD },
        {
          id: 'b',
          pod: {
            apiVersion: 'apps/v1',
            kind: 'DaemonSet',
            metadata: { name: 'd' },
            spec: {
              selector: { matchLabels: { a: 'b' } },
              template: { metadata: { labels: { a: 'b' } }, spec: POD.spec },
            },
          },
        },
      ],
      seed: 'x',
    },
    errors: [
      '/pods/0/pod/spec/tolerations/0/operator FieldValueInvalid',
      '/pods/0/pod/spec/tolerations/0/operator FieldValueNotSupported',
      '/pods/1/pod/kind unsupported-kind',
      '/seed isInt',
      'revision min',
    ],
  },
  {
    of: 'an eviction ranking',
    path: 'eviction-ranks?colour=red',
    body: { node: 'a', signal: 'memory', usage: { 't/db-1': 'much', 't/db-2': true } },
    errors: ['/usage/t~1db-1 invalid-quantity', '/usage/t~1db-2 invalid-quantity', 'colour unknown-parameter'],
  },
  {
    of: 'the pods that taints allow',
    path: 'pods-allowed?limit=0',
    body: { taints: ['bad taint', { key: 'a', colour: 'red' }], allowed: 'maybe' },
    errors: ['/allowed unknown-field', '/taints/0 invalid-taint', '/taints/1/colour unknown-field', 'limit min'],
  },
  {
    of: 'a trial of admission',
    path: 'admission-reviews?colour=red',
    body: { operation: 'create', podRef: { namespace: 't', name: 'db-0' }, stored: POD },
    errors: ['/stored conflicting-fields', 'colour unknown-parameter'],
  },
  {
    of: 'a pool',
    method: 'PUT',
    path: 'pools/p?colour=red',
    body: { nodes: { matchExpressions: [{ key: 'a', operator: 'What' }] }, taints: ['bad taint'], labels: 5 },
    errors: [
      '/labels invalid-label',
      '/nodes/matchExpressions/0/operator FieldValueInvalid',
      '/taints/0 invalid-taint',
      '/users FieldValueRequired',
      'colour unknown-parameter',
    ],
  },
  {
    of: 'a delta: members, objects, deletions and positions',
    path: 'deltas?colour=red',
    body: {
      stream: 'has space',
      sequence: 0,
      capturedAt: '2999-01-01T00:00:00Z',
      upserts: [{ ...POD, metadata: { name: 'x', namespace: 'a' } }, { metadata: {} }, 5, BAD_POD],
      deletions: [{ kind: 'Pod', name: '', uid: 5 }, 'x'],
      positions: [
        { kind: 'Pod', resourceVersion: 'a b', count: -1, hash: 'x' },
        { kind: 'Pod', resourceVersion: '1', hash: '0000000000000000' },
      ],
      invalid: 'perhaps',
    },
    errors: [
      '/deletions/0/name FieldValueInvalid',
      '/deletions/0/namespace FieldValueInvalid',
      '/deletions/0/uid isString',
      '/deletions/1 isObject',
      '/invalid isIn',
      '/positions/0/count min',
      '/positions/0/hash FieldValueInvalid',
      '/positions/0/resourceVersion FieldValueInvalid',
      '/positions/1/count required',
      '/positions/1/kind FieldValueDuplicate',
      '/sequence min',
      '/stream FieldValueInvalid',
      '/upserts/1/kind FieldValueRequired',
      '/upserts/2 isObject',
      '/upserts/3/spec/tolerations/0/operator FieldValueInvalid',
      '/upserts/3/spec/tolerations/0/operator FieldValueNotSupported',
      'capturedAt in-the-future',
      'colour unknown-parameter',
    ],
  },
  {
    of: 'a delta whose form is right',
    path: 'deltas',
    body: { stream: 'has space', sequence: 1, upserts: [5, { metadata: {} }] },
    errors: ['/stream FieldValueInvalid', '/upserts/0 isObject', '/upserts/1/kind FieldValueRequired'],
  },
  {
    of: 'a connection',
    method: 'PUT',
    path: 'connection',
    body: { kubeconfig: { clusters: [] }, inCluster: true, dryRuns: 'yes', colour: 1 },
    errors: [
      '/colour unknown-field',
      '/dryRuns isBoolean',
      '/inCluster conflicting-fields',
      '/kubeconfig/current-context invalid',
    ],
  },
  {
    of: 'a connection, without what depends on an invalid member',
    method: 'PUT',
    path: 'connection',
    body: { inCluster: 'yes', dryRuns: 'yes' },
    errors: ['/dryRuns isBoolean', '/inCluster isBoolean'],
  },
  {
    of: 'the application of a change',
    path: 'taint-changes/3f0e3c0e-0d3b-4ac2-9b3e-6a4a5b2f7f11/apply',
    body: { nodesPerMinute: 1, delaySeconds: 1, maxFailures: 0 },
    errors: ['/delaySeconds conflicting-fields', '/maxFailures min'],
  },
  {
    of: 'a decision on a change',
    path: 'taint-changes/3f0e3c0e-0d3b-4ac2-9b3e-6a4a5b2f7f11/approve',
    body: { reason: ' ', colour: 1 },
    errors: ['/colour unknown-field', '/reason required'],
  },
  {
    of: 'guardrails: parameters and the document',
    method: 'PUT',
    path: 'guardrails?dryRun=perhaps',
    body: {
      apiVersion: 'kube-placement/v1',
      kind: 'Guardrails',
      guardrails: [{ name: 'a' }, 5],
    },
    errors: ['/guardrails/0 required', '/guardrails/0 required', '/guardrails/1 wrong-type', 'dryRun isBoolean'],
  },
  {
    of: 'expectations: parameters and the file',
    method: 'PUT',
    path: 'expectations?dryRun=perhaps',
    body: { apiVersion: 'kube-placement/v1', kind: 'Expectations', expectations: [{ name: 'a' }, 5] },
    errors: ['/expectations/0 one-of', '/expectations/1 wrong-type', 'dryRun isBoolean'],
  },
  {
    of: 'a notification rule',
    method: 'PUT',
    path: 'notification-rules/r',
    body: { kinds: ['what'], url: 'nowhere', format: 'x', headers: { 'a b': 'c' } },
    errors: ['/format isIn', '/headers/a b invalid', '/kinds isIn', '/url invalid'],
  },
  {
    of: 'a notification rule: its name and its members',
    method: 'PUT',
    path: 'notification-rules/A_b',
    body: { kinds: ['what'], url: 'nowhere', format: 'slack' },
    errors: ['/kinds isIn', '/rule invalid', '/url invalid'],
  },
  {
    of: 'a scheduler configuration: parameters and the document',
    method: 'PUT',
    path: 'scheduler-configuration?dryRun=perhaps',
    body: {
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }],
    },
    errors: ['/profiles/1/schedulerName configuration-validation', 'dryRun isBoolean'],
  },
  {
    of: 'a review of a scheduler configuration: parameters and the document',
    path: 'scheduler-configuration-reviews?maxAge=soon',
    body: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'kind: Other' } },
    errors: ['/data no-configuration', 'maxAge isDuration'],
  },
];

describe('a rejected request', () => {
  it.each(cases)('reports every error of $of', async ({ path, method, body, errors }) => {
    const verb = method ?? (body === undefined ? 'GET' : 'POST');
    const answer = await service.request(verb, `/api/v1/clusters/c/${path}`, body);
    expect([answer.status, placesOf(answer.json as Problem)]).toEqual([400, errors]);
  });

  it('reports every error of a GraphQL mutation', async () => {
    const answer = await service.graphql(
      'mutation($input: TaintChangeInput!) { changeTaints(input: $input) { dryRun } }',
      {
        input: {
          cluster: 'c',
          labelSelector: 'a in (',
          taints: ['bad taint'],
          link: 'nowhere',
          expiresAt: '2020-01-01T00:00:00Z',
        },
      },
    );
    const problem = answer.at('errors.0.extensions') as Problem;
    expect(placesOf(problem)).toEqual([
      '/input/expiresAt in-the-past',
      '/input/labelSelector invalid-selector',
      '/input/link invalid',
      '/input/reason required',
      '/input/taints/0 invalid-taint',
    ]);
  });

  it('reports every error of a document in a GraphQL mutation', async () => {
    const answer = await service.graphql(
      'mutation($input: PutGuardrailsInput!) { putGuardrails(input: $input) { changed } }',
      {
        input: {
          cluster: 'c\0',
          document: { apiVersion: 'kube-placement/v1', kind: 'Guardrails', guardrails: [5] },
        },
      },
    );
    const problem = answer.at('errors.0.extensions') as Problem;
    expect(placesOf(problem)).toEqual(['/input/cluster isText', '/input/document/guardrails/0 wrong-type']);
  });

  it.each([
    [
      'types',
      'PUT',
      '?colour=red',
      { labels: 5 },
      ['/labels isLabels', 'cluster FieldValueInvalid', 'colour unknown-parameter'],
    ],
    ['values', 'PUT', '', { labels: { 'a b': 'c' } }, ['/labels/a b FieldValueInvalid', 'cluster FieldValueInvalid']],
    [
      'fields',
      'PUT',
      '',
      { labels: { 'a b': 'c' }, x: 1 },
      ['/labels/a b FieldValueInvalid', '/x unknown-field', 'cluster FieldValueInvalid'],
    ],
    [
      'values',
      'POST',
      '/snapshots?createCluster=true&capturedAt=2999-01-01T00:00:00Z&kinds=Nope',
      {},
      ['capturedAt in-the-future', 'cluster FieldValueInvalid', 'kinds unknown-kind'],
    ],
    [
      'values',
      'POST',
      '/taint-changes',
      { nodes: ['a'], taints: ['bad taint'], reason: 'r', link: 'nowhere' },
      ['/link invalid', '/taints/0 invalid-taint', 'cluster FieldValueInvalid'],
    ],
    ['types', 'POST', '/placements?limit=x', { pod: 5 }, ['/pod isObject', 'cluster FieldValueInvalid', 'limit isInt']],
  ] as const)('reports the name of the cluster beside wrong %s: %s %s', async (_what, method, rest, body, errors) => {
    const answer = await service.request(method, `/api/v1/clusters/Bad_Name${rest}`, body);
    expect(answer.status).toBe(400);
    expect(placesOf(answer.json as Problem)).toEqual(errors);
  });
});
