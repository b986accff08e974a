import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { GraphQLList, GraphQLObjectType, GraphQLSchema, GraphQLString, type GraphQLFieldConfig } from 'graphql';
import mercurius from 'mercurius';
import { pino } from 'pino';
import { installRequestContext } from '../../src/api/http/request-context.decorator.js';
import { graphqlOptions } from '../../src/api/graphql/graphql-options.js';
import { Int64Scalar } from '../../src/api/graphql/scalars/int64.js';
import { KubernetesObjectScalar } from '../../src/api/graphql/scalars/kubernetes-object.js';
import { installBodyParser } from '../../src/api/http/body-parser.js';
import { installAnswers } from '../../src/api/http/fastify-adapter.js';
import { SystemClock } from '../../src/app/clock.js';

const GREATEST = '9223372036854775807';

/** The service's own parsers, serializers and GraphQL settings around operations that return their input. */
const server = fastify();
beforeAll(async () => {
  const echo = (type: typeof Int64Scalar | typeof KubernetesObjectScalar): GraphQLFieldConfig<unknown, unknown> => ({
    type,
    args: { value: { type } },
    resolve: (_source, { value }: { value?: unknown }) => value,
  });
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        int64: echo(Int64Scalar),
        object: echo(KubernetesObjectScalar),
        list: { type: new GraphQLList(GraphQLString) },
      },
    }),
  });
  const { driver, autoSchemaFile, sortSchema, hooks, ...options } = graphqlOptions(pino({ level: 'silent' }), 1000);
  expect([driver, autoSchemaFile, sortSchema]).not.toContain(undefined);
  installRequestContext(server, new SystemClock());
  await installAnswers(server);
  installBodyParser(server, 65536);
  server.put('/echo', (request) => request.body);
  await server.register(mercurius, { ...options, schema } as never);
  for (const [name, hook] of Object.entries(hooks as unknown as Record<string, never>)) {
    server.graphql.addHook(name as never, hook);
  }
});
afterAll(() => server.close());

const graphql = async (query: string, variables = '{}'): Promise<string> =>
  (
    await server.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json' },
      payload: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
    })
  ).payload;

describe('64-bit integers', () => {
  it.each(['application/json', 'application/yaml'])(
    'are neither rounded nor quoted in REST, as %s',
    async (contentType) => {
      const { payload } = await server.inject({
        method: 'PUT',
        url: '/echo',
        headers: { 'content-type': contentType },
        payload: `{"tolerationSeconds": ${GREATEST}, "least": -9223372036854775808, "small": 300}`,
      });
      expect(payload).toBe(`{"tolerationSeconds":${GREATEST},"least":-9223372036854775808,"small":300}`);
    },
  );

  it('are neither rounded nor quoted in GraphQL variables and literals, also once the query is compiled', async () => {
    for (let time = 0; time < 12; time += 1) {
      expect(await graphql('query($v: Int64) { int64(value: $v) }', `{"v":${GREATEST}}`)).toBe(
        `{"data":{"int64":${GREATEST}}}`,
      );
      expect(await graphql(`{ int64(value: ${GREATEST}) }`)).toBe(`{"data":{"int64":${GREATEST}}}`);
    }
  });

  it('are neither rounded nor quoted inside Kubernetes objects, next to keys such as __proto__', async () => {
    const object = `{"spec":{"tolerations":[{"key":"a/b","tolerationSeconds":${GREATEST}}]},"__proto__":{"constructor":1}}`;
    for (let time = 0; time < 12; time += 1) {
      const viaVariable = await graphql('query($v: KubernetesObject) { object(value: $v) }', `{"v":${object}}`);
      expect(viaVariable).toBe(`{"data":{"object":${object}}}`);
      const literal = `{ object(value: { __proto__: { constructor: 1 }, seconds: ${GREATEST} }) }`;
      expect(await graphql(literal)).toBe(`{"data":{"object":{"__proto__":{"constructor":1},"seconds":${GREATEST}}}}`);
    }
  });

  it('are refused beyond 64 bits', async () => {
    expect(await graphql('{ int64(value: 9223372036854775808) }')).toContain('graphql-validation');
    expect(await graphql('query($v: Int64) { int64(value: $v) }', '{"v":1.5}')).toContain('graphql-validation');
  });
});
