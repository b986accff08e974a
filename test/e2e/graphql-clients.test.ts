import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  type GraphQLObjectType,
} from 'graphql';
import { readFileSync } from 'node:fs';
import { VALUE_DESCRIPTIONS } from '../../src/contract/value-descriptions.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

const SCHEMA = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
const typeOf = (name: string): GraphQLObjectType => SCHEMA.getType(name) as GraphQLObjectType;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ RATE_LIMIT: '0' });
  await store(service, 'shop', SMALL_CLUSTER);
  await store(service, 'other', SMALL_CLUSTER);
});
afterAll(() => service.close());

describe('a field that fails among others', () => {
  it('is null at the root, and the others have data', async () => {
    const answer = await service.graphql('{ a: cluster(name: "shop") { name } b: cluster(name: "missing") { name } }');
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      data: { a: { name: 'shop' }, b: null },
      errors: [{ path: ['b'], extensions: { code: 'cluster-not-found' } }],
    });
    expect(answer.at('errors')).toHaveLength(1);
  });

  it('is null below a cluster and in a list of clusters, and the others have data', async () => {
    const answer = await service.graphql(`{
      cluster(name: "shop") { name node(name: "none") { name } pods(first: 1) { totalCount } pool(name: "none") { pool { name } } }
      clusters { nodes { name node(name: "none") { name } nodes { totalCount } } }
    }`);
    expect(answer.json).toMatchObject({
      data: {
        cluster: { name: 'shop', node: null, pods: { totalCount: 7 }, pool: null },
        clusters: {
          nodes: [
            { name: 'other', node: null, nodes: { totalCount: 5 } },
            { name: 'shop', node: null, nodes: { totalCount: 5 } },
          ],
        },
      },
    });
    const errors = answer.at('errors') as { path: unknown[]; extensions: { code: string } }[];
    expect(errors.map(({ path }) => path.join('.')).sort()).toEqual([
      'cluster.node',
      'cluster.pool',
      'clusters.nodes.0.node',
      'clusters.nodes.1.node',
    ]);
    expect(errors.filter(({ extensions }) => extensions.code === 'object-not-found')).toHaveLength(4);
  });

  it('keeps the results of other mutations', async () => {
    const answer = await service.graphql(`mutation {
      first: putCluster(input: { cluster: "made-first", labels: { a: "b" } }) { name labels }
      bad: deleteCluster(input: { cluster: "missing" }) { name }
      last: deleteCluster(input: { cluster: "made-first" }) { name revisions }
    }`);
    expect(answer.json).toMatchObject({
      data: {
        first: { name: 'made-first', labels: { a: 'b' } },
        bad: null,
        last: { name: 'made-first', revisions: 0 },
      },
      errors: [{ path: ['bad'], extensions: { code: 'cluster-not-found' } }],
    });
  });

  it('is nullable for every field of Query, Mutation and Cluster with its own use case', () => {
    const members = ['id', 'name', 'labels', 'createdAt'];
    const strict = ['Query', 'Mutation', 'Cluster'].flatMap((name) =>
      Object.values(typeOf(name).getFields())
        .filter(({ type, name: field }) => isNonNullType(type) && !(name === 'Cluster' && members.includes(field)))
        .map(({ name: field }) => `${name}.${field}: ${getNamedType(typeOf(name).getFields()[field]!.type).name}`),
    );
    expect(strict).toEqual([]);
  });
});

describe('arguments', () => {
  it('of a mutation are one `input`, which names the cluster', () => {
    const mutations = Object.values(typeOf('Mutation').getFields()).map(({ name, args }) => ({
      name,
      args: args.map(({ name }) => name),
      hasCluster: args.some(({ type }) => {
        const input = getNamedType(type);
        return isInputObjectType(input) && input.getFields()['cluster'] !== undefined;
      }),
    }));
    // It is about the caller, and about no cluster.
    const ofCaller = { name: 'createStreamTicket', args: [], hasCluster: false };
    // These rules are about all clusters that their selector matches.
    const ofAllClusters = ['delete', 'put', 'test'].map((verb) => ({
      name: `${verb}GeneralNotificationRule`,
      args: ['input'],
      hasCluster: false,
    }));
    expect(mutations.filter(({ args, hasCluster }) => args.join() !== 'input' || !hasCluster)).toEqual([
      ofCaller,
      ...ofAllClusters,
    ]);
  });

  it('are called `input` if they are an object', () => {
    const others = Object.values(SCHEMA.getTypeMap())
      .filter((type) => isObjectType(type))
      .flatMap((type) =>
        Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, args: field.args })),
      )
      .flatMap(({ path, args }) =>
        args
          .filter(({ type, name }) => isInputObjectType(getNamedType(type)) && name !== 'scenario')
          .map(({ name }) => `${path}(${name})`),
      );
    expect(others.filter((path) => !path.endsWith('(input)'))).toEqual([]);
  });

  it('that are invalid are named by their pointer in the input', async () => {
    const answer = await service.graphql(
      `mutation { putCluster(input: { cluster: "x", labels: { a: "-" } }) { name } }`,
    );
    expect(answer.json).toMatchObject({
      data: { putCluster: null },
      errors: [
        { path: ['putCluster'], extensions: { code: 'invalid-request', errors: [{ pointer: '/input/labels/a' }] } },
      ],
    });
    const both = await service.graphql('{ cluster(name: "shop") { podsAllowed(input: {}) { totalCount } } }');
    expect(both.at('errors.0.extensions.errors.0')).toMatchObject({ pointer: '/input/node', code: 'one-of' });
  });
});

describe('one query', () => {
  it('places a pod in many clusters', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const answer = await service.graphql(
      `query ($pod: KubernetesObject!) {
        clusters { nodes { name placement(input: { pod: $pod }) { summary { nodes feasible } groups(first: 1) { totalCount } } } }
      }`,
      { pod },
    );
    expect(answer.at('errors')).toBeUndefined();
    const nodes = answer.at('data.clusters.nodes') as { placement: { summary: { nodes: number } } }[];
    expect(nodes.map(({ placement }) => placement.summary.nodes)).toEqual([5, 5]);
  });

  it('gets the eviction schedules of many clusters, each with a result or an error', async () => {
    expect((await service.request('PUT', '/api/v1/clusters/empty', {})).status).toBe(201);
    const answer = await service.graphql(
      `query ($input: EvictionScheduleInput) {
        clusters(first: 5) { nodes { name evictionSchedule(input: $input, first: 1) { basis { cluster revision } } } }
      }`,
      { input: {} },
    );
    expect(answer.json).toMatchObject({
      data: {
        clusters: {
          nodes: [
            { name: 'empty', evictionSchedule: null },
            { name: 'other', evictionSchedule: { basis: { cluster: 'other', revision: 1 } } },
            { name: 'shop', evictionSchedule: { basis: { cluster: 'shop', revision: 1 } } },
          ],
        },
      },
      errors: [{ path: ['clusters', 'nodes', 0, 'evictionSchedule'], extensions: { code: 'no-snapshot' } }],
    });
  });
});

describe('the schema', () => {
  it('describes every type, field, argument and value, and no value that does not exist', async () => {
    const sdl = (await service.request('GET', '/schema.graphql')).text;
    const types = Object.values(buildSchema(sdl).getTypeMap()).filter(({ name }) => !name.startsWith('__'));
    interface Named {
      readonly path: string;
      readonly description?: string | null | undefined;
    }
    const named = types.flatMap((type): Named[] => [
      { path: type.name, description: type.description },
      ...(isEnumType(type)
        ? type.getValues().map(({ name, description }) => ({ path: `${type.name}.${name}`, description }))
        : []),
      ...(isInputObjectType(type) || isObjectType(type) || isInterfaceType(type)
        ? Object.values<Named & { readonly name: string }>(type.getFields() as never).map(({ name, description }) => ({
            path: `${type.name}.${name}`,
            description,
          }))
        : []),
      ...(isObjectType(type)
        ? Object.values(type.getFields()).flatMap((field) =>
            field.args.map(({ name, description }) => ({ path: `${type.name}.${field.name}(${name})`, description })),
          )
        : []),
    ]);
    expect(named.length).toBeGreaterThan(3000);
    expect(named.filter(({ description }) => (description ?? '').trim() === '').map(({ path }) => path)).toEqual([]);
    const values = types.flatMap((type) =>
      isEnumType(type) ? type.getValues().map(({ name }) => `${type.name}.${name}`) : [],
    );
    const described = Object.entries(VALUE_DESCRIPTIONS).flatMap(([name, own]) =>
      Object.keys(own).map((value) => `${name}.${value.replaceAll('-', '_')}`),
    );
    expect(described.filter((path) => !values.includes(path))).toEqual([]);
  });
});
