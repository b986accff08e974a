import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { list, node, send } from '../support/dumps.js';
import { type Answer, startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let cluster = '';
let made = 0;
beforeEach(async () => {
  cluster = `c${++made}`;
  const stored = await send(service, `${base()}/snapshots?createCluster=true`, list([node('a'), node('b')]));
  expect(stored.status).toBe(201);
});

const base = (): string => `/api/v1/clusters/${cluster}`;
const documentOf = (...guardrails: readonly object[]): object => ({
  apiVersion: 'kube-placement/v1',
  kind: 'Guardrails',
  guardrails,
});
const put = (document: object, query = '', headers = {}): Promise<Answer> =>
  service.request('PUT', `${base()}/guardrails${query}`, document, headers);

const FEW = {
  name: 'few evictions',
  require: 'preview.evictions.now <= 10',
  action: 'refuse',
  tests: [{ name: 'ten', given: { preview: { evictions: { now: 10 } } }, expect: 'holds' }],
};

describe('guardrails', () => {
  it('are stored as YAML or JSON, as a revision, and deleted', async () => {
    expect((await service.request('GET', `${base()}/guardrails`)).json).toMatchObject({
      stored: false,
      document: null,
    });
    const yaml = [
      'apiVersion: kube-placement/v1',
      'kind: Guardrails',
      'guardrails:',
      '  - name: few evictions',
      '    require: preview.evictions.now <= 10',
      '    action: refuse',
    ].join('\n');
    const stored = await service.request('PUT', `${base()}/guardrails`, yaml, { 'content-type': 'application/yaml' });
    expect([stored.status, stored.at('basis.revision'), stored.at('changed')]).toEqual([200, 2, true]);
    expect((await put(documentOf(FEW))).at('basis.revision')).toBe(3);
    expect((await put(documentOf(FEW))).json).toMatchObject({ changed: false, basis: { revision: 3 } });
    const read = await service.request('GET', `${base()}/guardrails?revision=2`);
    expect(read.at('document.guardrails.0')).toEqual({
      name: 'few evictions',
      require: 'preview.evictions.now <= 10',
      action: 'refuse',
    });
    const deleted = await service.request('DELETE', `${base()}/guardrails`);
    expect(deleted.json).toMatchObject({ changed: true, stored: false, document: null, basis: { revision: 4 } });
  });

  it('are replaced only on the revision that the caller knows', async () => {
    expect((await put(documentOf(FEW), '', { 'if-match': '"7"' })).at('code')).toBe('precondition-failed');
    expect((await put(documentOf(FEW), '', { 'if-match': '"1"' })).status).toBe(200);
  });

  it('are checked without being stored', async () => {
    expect((await put(documentOf(FEW), '?dryRun=true')).json).toMatchObject({ dryRun: true, changed: true });
    expect((await service.request('GET', `${base()}/guardrails`)).at('stored')).toBe(false);
  });

  it('are refused with every fault of the document', async () => {
    const refused = await put(documentOf({ ...FEW, require: 'previe.x' }, { name: 'b', require: '1', action: 'warn' }));
    expect([refused.status, refused.at('code')]).toEqual([400, 'invalid-request']);
    expect(refused.at('errors')).toMatchObject([
      {
        pointer: '/guardrails/0/require',
        field: 'guardrails[0].require',
        message: "1:1: undeclared reference to 'previe' (in container '')",
      },
      { pointer: '/guardrails/1/require', message: 'must be of type bool, not int' },
    ]);
    expect((await put({})).status).toBe(400);
    const empty = await service.request('PUT', `${base()}/guardrails`);
    expect([empty.status, empty.at('errors.0.code')]).toEqual([400, 'body-required']);
  });

  it('are refused with every test that fails', async () => {
    const tests = [
      ...FEW.tests,
      { name: 'eleven', given: { preview: { evictions: { now: 11 } } }, expect: 'holds' },
      { name: 'words', given: { preview: { evictions: { now: 11 } } }, expect: 'refused', message: 'no' },
    ];
    const refused = await put(documentOf({ ...FEW, tests }));
    expect(refused.status).toBe(400);
    expect(refused.at('errors')).toMatchObject([
      {
        pointer: '/guardrails/0/tests/1',
        code: 'test-failed',
        message: 'test "eleven" of "few evictions" is refused, not holds: preview.evictions.now <= 10 is not true',
      },
      {
        pointer: '/guardrails/0/tests/2',
        message: 'test "words" of "few evictions" has the message "preview.evictions.now <= 10 is not true", not "no"',
      },
    ]);
    const run = await service.request('POST', `${base()}/guardrail-tests`, documentOf({ ...FEW, tests }));
    expect(run.json).toMatchObject({
      passed: false,
      failed: 2,
      untested: [],
      results: [
        { test: 'ten', passed: true },
        { test: 'eleven', passed: false },
        { test: 'words', passed: false },
      ],
    });
  });

  it('are tested as stored, over REST and GraphQL', async () => {
    await put(documentOf(FEW, { name: 'b', require: 'true', action: 'warn' }));
    const run = await service.request('POST', `${base()}/guardrail-tests`);
    expect(run.json).toMatchObject({ passed: true, failed: 0, untested: ['b'], basis: { revision: 2 } });
    const query = `query ($c: String!) { cluster(name: $c) {
      guardrails { stored document } guardrailTests { passed results { test outcome } } } }`;
    expect((await service.graphql(query, { c: cluster })).json).toMatchObject({
      data: {
        cluster: {
          guardrails: { stored: true, document: { guardrails: [{ name: 'few evictions' }, {}] } },
          guardrailTests: { passed: true, results: [{ test: 'ten', outcome: 'holds' }] },
        },
      },
    });
    const mutation = `mutation ($d: JSON!, $c: String!) {
      putGuardrails(input: { cluster: $c, document: $d }) { changed document } }`;
    const wrong = { d: documentOf({ ...FEW, require: 'x' }), c: cluster };
    expect((await service.graphql(mutation, wrong)).at('errors.0.extensions.errors.0.pointer')).toBe(
      '/input/document/guardrails/0/require',
    );
    const right = await service.graphql(mutation, { d: documentOf(FEW), c: cluster });
    expect(right.at('data.putGuardrails.changed')).toBe(true);
  });
});
