import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { Dice } from '../support/dice.js';
import { askableFields, QueryGenerator, type Samples } from '../support/graphql-questions.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

const SCHEMA = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
const FIELDS = askableFields(SCHEMA);
/** Random queries per field, in addition to one for each of its arguments. */
const RANDOM_QUERIES = 4;

const SPEC = { containers: [{ name: 'c', image: 'i' }] };
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { 'a/b': 'c' } }, spec: SPEC };
const SAMPLES: Samples = {
  cluster: ['shop'],
  name: ['shop'],
  node: ['a', 'b', 'none'],
  nodes: ['a', 'b'],
  namespace: ['t', 's'],
  pod: [POD],
  workload: ['db'],
  labelSelector: ['pool=gpu', '!pool'],
  fieldSelector: ['metadata.name=a'],
  clusterSelector: ['env=none', '!env'],
  taints: ['gpu=a100:NoExecute', { key: 'k', effect: 'NoExecute' }],
  maxAge: ['1h', '90'],
  from: ['1', 'head', '2026-05-04T03:02:01Z'],
  to: ['1', 'head', '2126-05-04T03:02:01Z'],
  revision: [1, 2, 9],
  after: ['no-token'],
  String: ['a', 't', 'gpu', '1', 'x/y', ''],
  ID: ['a'],
  Int: [1, 2, 100, 0],
  Float: [1, 0.5],
  Boolean: [true, false],
  DateTime: ['2126-05-04T03:02:01Z', '2026-05-04T03:02:01.5+02:00', '2000-01-01T00:00:00Z'],
  Int64: [1, 300],
  Quantity: ['500m', '2Gi', 1],
  JSON: [{ a: 1 }, ['gpu:NoSchedule'], 'text', 7, null],
  KubernetesObject: [POD, { apiVersion: 'v1', kind: 'List', items: [] }, {}],
  Labels: [{ pool: 'gpu' }, { 'a/b': 'c' }],
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ RATE_LIMIT: '0' });
  await store(service, 'shop', SMALL_CLUSTER.slice(0, 5));
  await store(service, 'shop', SMALL_CLUSTER);
  await store(service, 'other', SMALL_CLUSTER);
});
afterAll(() => service.close());

const codesOf = (answer: Answer): string[] =>
  ((answer.at('errors') ?? []) as { extensions?: { code?: string } }[]).map(
    ({ extensions }) => extensions?.code ?? 'none',
  );

describe('every field of the GraphQL schema that takes arguments', () => {
  let answered = 0;
  const cases = FIELDS.map((path, seed) => ({ name: path.map((field) => field.name).join('.'), path, seed }));

  it.each(cases)('succeeds, or fails with a specific code: $name', async ({ path, seed }) => {
    const generator = new QueryGenerator(new Dice(seed + 1), SAMPLES);
    const optional = path.at(-1)!.args.map((arg) => arg.name);
    const faults: object[] = [];
    let own = 0;
    for (const only of ['none of them', ...optional, ...Array<undefined>(RANDOM_QUERIES).fill(undefined)]) {
      for (const as of ['literal', 'variable'] as const) {
        const { query, variables } = generator.query(path, as, only);
        const answer = await service.graphql(query, variables);
        const codes = codesOf(answer);
        if (answer.status >= 500 || codes.includes('internal') || codes.includes('none')) {
          faults.push({ query, variables, text: answer.text.slice(0, 500) });
        }
        // The documents are made by the schema: they have to pass its validation.
        if (/Cannot query field|Syntax Error/.test(answer.text))
          faults.push({ query, text: answer.text.slice(0, 300) });
        if (codes.length === 0 && answer.at('data') !== null) own += 1;
      }
    }
    answered += own === 0 ? 0 : 1;
    expect(faults).toEqual([]);
  });

  it('succeeds for nearly all of them', () => {
    expect(answered).toBeGreaterThan(cases.length * 0.7);
  });
});
