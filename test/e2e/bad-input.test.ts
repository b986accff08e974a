import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { processorTime } from '../support/processor-time.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const taints = [{ key: 'gpu', value: 'true', effect: 'NoSchedule' }];
  const dump = list([node('a', { spec: { taints } }), node('b')]);
  expect((await send(service, '/api/v1/clusters/c/snapshots?createCluster=true', dump)).status).toBe(201);
});
afterAll(() => service.close());

const PLACEMENTS = '/api/v1/clusters/c/placements';
const LETTERS = 'abcdefghi';
const aliasBomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...Array.from('bcdefghi', (letter, i) => `${letter}: &${letter} [${Array(9).fill(`*${LETTERS[i]!}`).join(',')}]`),
].join('\n');
const mergeBomb = [
  'a: &a {k1: 1, k2: 2}',
  ...Array.from({ length: 40 }, (_, i) => {
    const merged = Array(20)
      .fill(i === 0 ? '*a' : `*b${i - 1}`)
      .join(',');
    return `b${i}: &b${i}\n  <<: [${merged}]\n  x${i}: 1`;
  }),
].join('\n');
const podYaml = (spec: string): string =>
  `pod: {apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containers: [{name: c}], ${spec}}}`;
const podJson = (spec: string): string =>
  `{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[{"name":"c"}],${spec}}}}`;
const many = (count: number, make: (i: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, i) => make(i));

interface BadBody {
  name: string;
  body: string;
  type?: string;
  status: number;
  code: string;
  says?: (string | RegExp)[];
}

const YAML = 'application/yaml';
const bodies: BadBody[] = [
  {
    name: 'a YAML alias bomb',
    body: aliasBomb,
    type: YAML,
    status: 400,
    code: 'malformed-yaml',
    says: ['aliases', '"line":'],
  },
  {
    name: 'a YAML bomb of merge keys',
    body: mergeBomb,
    type: YAML,
    status: 400,
    code: 'malformed-yaml',
    says: ['aliases'],
  },
  {
    name: 'a long text that is repeated by aliases',
    body: `x: &a "${'y'.repeat(500_000)}"\npod: [${Array(5000).fill('*a').join(',')}]`,
    type: YAML,
    status: 400,
    code: 'malformed-yaml',
    says: ['aliases'],
  },
  {
    name: 'an alias of itself',
    body: 'pod: &a [*a]',
    type: YAML,
    status: 400,
    code: 'malformed-yaml',
    says: ['"line":1'],
  },
  {
    name: 'two YAML documents',
    body: 'pod: {}\n---\npod: {}',
    type: YAML,
    status: 400,
    code: 'malformed-yaml',
    says: ['second document'],
  },
  {
    name: 'a YAML key twice',
    body: 'pod: {}\npod: {}',
    type: YAML,
    status: 400,
    code: 'malformed-yaml',
    says: ['"line":2'],
  },
  {
    name: 'what YAML 1.1, and so kubectl, reads as a boolean',
    body: podYaml('nodeSelector: {ssd: yes}'),
    type: YAML,
    status: 422,
    code: 'invalid-object',
    says: ['/pod/spec/nodeSelector/ssd', 'boolean'],
  },
  ...[
    ['brackets', '['.repeat(3000)],
    ['braces', `pod: ${'{a: '.repeat(8000)}1${'}'.repeat(8000)}`],
    ['indentation', Array.from({ length: 1200 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ].map(([by, body = '']) => ({
    name: `YAML nested deep by ${by!}`,
    body,
    type: YAML,
    status: 400,
    code: 'malformed-yaml',
    says: ['nested deeper than 200 levels'],
  })),
  {
    name: 'JSON with a fault on its second line',
    body: '{"pod":\n{,}}',
    status: 400,
    code: 'malformed-json',
    says: ['"line":2'],
  },
  {
    name: 'JSON nested 100,000 deep',
    body: `{"pod":${'{"a":'.repeat(100_000)}1`,
    status: 400,
    code: 'malformed-json',
    says: ['nested'],
  },
  {
    name: 'a number of three million digits',
    body: `{"pod":{"x":${'9'.repeat(3_000_000)}}}`,
    status: 400,
    code: 'malformed-json',
    says: ['number of more than 1000 characters'],
  },
  {
    name: 'a quantity of a million digits',
    body: podJson(`"overhead":{"cpu":"${'9'.repeat(1_000_000)}"}`),
    status: 422,
    code: 'invalid-object',
    says: ['/pod/spec/overhead/cpu', 'significant digits'],
  },
  {
    name: 'a content type that is none',
    body: '{}',
    type: 'garbage',
    status: 415,
    code: 'unsupported-media-type',
    says: ['application/json'],
  },
];

describe('an invalid body is refused', () => {
  it.each(bodies)('$name', async ({ body, type = 'application/json', status, code, says = [] }) => {
    const used = processorTime();
    const answer = await service.request('POST', PLACEMENTS, body, { 'content-type': type });
    expect(used()).toBeLessThan(20);
    expectProblem(answer, status, code);
    for (const words of says) expect(answer.text).toMatch(words);
  });

  it('but separators and comments around one YAML document are accepted', async () => {
    const body = `---\n# one\n${podYaml('tolerations: [{operator: Exists}]')}\n---\n# no other\n`;
    expect((await service.request('POST', PLACEMENTS, body, { 'content-type': YAML })).status).toBe(200);
  });
});

describe('an invalid parameter', () => {
  it.each([
    ['at=2026-02-30T00:00:00Z', 'at'],
    ['at=2026-13-01T00:00:00Z', 'at'],
    ['at=2026-01-01T24:00:00Z', 'at'],
    ['revision=9999999999', 'revision'],
  ])('%s', async (query, field) => {
    const answer = await service.request('POST', `${PLACEMENTS}?${query}`, { pod: {} });
    expectProblem(answer, 400, 'invalid-request');
    expect(answer.at('errors.0.field')).toBe(field);
  });

  it('is refused: a GraphQL time on a day that does not exist', async () => {
    const query =
      '{ cluster(name: "c") { name } placement(cluster: "c", at: "2026-02-30T00:00:00Z", input: {}) { basis { revision } } }';
    const answer = await service.graphql(query);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('RFC 3339');
  });

  it('is refused: more labels than a cluster may have', async () => {
    const labels = Object.fromEntries(many(257, (i) => [`k${i}`, 'v']) as [string, string][]);
    const answer = await service.request('PUT', '/api/v1/clusters/labelled', { labels });
    expectProblem(answer, 400, 'invalid-request');
    expect(answer.text).toContain('at most 256');
  });
});

describe('a GraphQL request by GET', () => {
  const ask = (parameters: Record<string, string>): Promise<Answer> =>
    service.request('GET', `/graphql?${new URLSearchParams({ query: '{ __typename }', ...parameters }).toString()}`);

  it.each([
    ['variables that are a number', { variables: '5' }, 'must be an object'],
    ['variables that are a list', { variables: '[]' }, 'must be an object'],
    ['variables that are no JSON', { variables: '{' }, 'line 1'],
    ['variables nested deep', { variables: '{"a":'.repeat(500) }, 'nested'],
    ['an integer that would be rounded', { variables: '{"a":9007199254740993}' }, 'POST'],
    ['an operation that is not there', { operationName: 'toString' }, 'toString'],
    ['several operations and no name', { query: 'query A { __typename } query B { __typename }' }, 'operation name'],
  ])('with %s is refused with an explanation', async (_, parameters, words) => {
    const answer = await ask(parameters);
    expect(answer.status).toBe(400);
    expect(answer.at('errors.0.extensions.code')).toBe('graphql-validation');
    expect(answer.at('errors.0.message')).toContain(words);
  });

  it('accepts variables', async () => {
    const query = 'query ($n: String!) { cluster(name: $n) { name } }';
    const answer = await ask({ query, variables: '{"n":"c"}' });
    expect(answer.at('data.cluster.name')).toBe('c');
  });
});

it('runs the named operation of a document every time', async () => {
  const query = 'query A { a: __typename } query B { b: __typename }';
  const ask = (operationName: string): Promise<Answer> => service.request('POST', '/graphql', { query, operationName });
  for (let i = 0; i < 12; i += 1) expect((await ask('A')).at('data')).toEqual({ a: 'Query' });
  expect((await ask('B')).at('data')).toEqual({ b: 'Query' });
});

describe('a very large pod', () => {
  const place = (spec: object, rest: object = {}): Promise<Answer> => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x' },
      spec: { containers: [{ name: 'c' }], ...spec },
    };
    return service.request('POST', PLACEMENTS, { pod, ...rest });
  };
  const entries = (count: number, key: string, value: string): object =>
    Object.fromEntries(many(count, (i) => [`${key}${i}`, value]) as [string, string][]);
  const nodeAffinity = (nodeSelectorTerms: unknown[]): object => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const extended = entries(10_000, 'example.com/r', '1');

  it.each<[string, object]>([
    ['10,000 tolerations', { tolerations: many(10_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) }],
    [
      '10,000 terms of affinity',
      nodeAffinity(many(10_000, (i) => ({ matchExpressions: [{ key: `k${i}`, operator: 'In', values: ['v'] }] }))),
    ],
    [
      'a term of 10,000 expressions',
      nodeAffinity([{ matchExpressions: many(10_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) }]),
    ],
    ['a node selector of 10,000 labels', { nodeSelector: entries(10_000, 'k', 'v') }],
    ['10,000 resources', { containers: [{ name: 'c', resources: { requests: extended, limits: extended } }] }],
  ])('such as %s is refused with the name of the oversized field', async (_, spec) => {
    const answer = await place(spec, { fixes: true });
    expectProblem(answer, 422, 'invalid-object');
    expect(answer.at('errors.0.code')).toBe('FieldValueTooMany');
    expect(answer.at('errors.0.message')).toMatch(/^Too many: 10000: must have at most \d+ items$/);
  });

  const resources = entries(100, 'example.com/r', '1');
  it.each<[string, object]>([
    ['1,000 tolerations', { tolerations: many(1000, (i) => ({ key: `k${i}`, operator: 'Exists' })) }],
    [
      '100 terms of affinity',
      nodeAffinity(many(100, (i) => ({ matchExpressions: [{ key: `k${i}`, operator: 'In', values: ['v'] }] }))),
    ],
    [
      'a term of 1,000 expressions',
      nodeAffinity([{ matchExpressions: many(1000, (i) => ({ key: `k${i}`, operator: 'Exists' })) }]),
    ],
    ['a node selector of 1,000 labels', { nodeSelector: entries(1000, 'k', 'v') }],
    ['100 resources', { containers: [{ name: 'c', resources: { requests: resources, limits: resources } }] }],
  ])('such as %s is evaluated in good time, including fixes', async (_, spec) => {
    const used = processorTime();
    const answer = await place(spec, { fixes: true });
    expect(answer.status).toBe(200);
    expect(used()).toBeLessThan(20);
  });

  it('that no API server could store is refused', async () => {
    expectProblem(await place({ nodeSelector: entries(90_000, 'a-long-key-of-a-label-', 'v') }), 413, 'body-too-large');
  });

  it('whose response would be too large is refused, and its summary is not', async () => {
    const nodes = Array.from({ length: 100 }, (_, i) => node(`n${i}`));
    expect((await send(service, '/api/v1/clusters/many/snapshots?createCluster=true', list(nodes))).status).toBe(201);
    const question = {
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'x' },
        spec: { containers: [{ name: 'c' }], nodeSelector: entries(1000, 'k', 'v') },
      },
    };
    const path = '/api/v1/clusters/many/placements';
    expectProblem(await service.request('POST', path, { ...question, view: 'nodes' }), 422, 'budget-exceeded');
    expect((await service.request('POST', path, { ...question, detail: 'verdicts' })).status).toBe(200);
    const answer = await service.graphql(
      'query ($i: PlacementInput!) { placement(cluster: "many", input: $i) { nodes { nodes { reasons { code } } } } }',
      { i: question },
    );
    expect(answer.at('errors.0.extensions.code')).toBe('budget-exceeded');
  });

  it('with many errors has all of them in errors, and some in the detail', async () => {
    const answer = await place({ tolerations: many(500, () => ({ key: 'a b', operator: 'Exists' })) });
    expectProblem(answer, 422, 'invalid-object');
    expect(answer.at('errors')).toHaveLength(500);
    expect(answer.at('detail')).toMatch(/ \(and 480 more\)$/);
  });
});

it('never causes a 500', () => {
  expect(service.logLines()).not.toMatch(/"level":[56]0/);
});

function expectProblem(answer: Answer, status: number, code: string): void {
  expect(answer.json).toMatchObject({ status, code, requestId: answer.headers.get('x-request-id') });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  for (const member of ['type', 'title', 'detail', 'instance', 'errors']) expect(answer.at(member)).toBeDefined();
}
