import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SMALL_CLUSTER } from '../support/small-cluster.js';

const tokens = { root: newToken(), reader: newToken(), stranger: newToken() };
const BINDINGS = [
  { subjects: ['token:root'], clusters: ['*'], roles: ['admin', 'change', 'audit'] },
  { subjects: ['token:reader'], clusters: ['shop'], roles: ['read'] },
  { subjects: ['token:stranger'], clusters: ['elsewhere'], roles: ['read'] },
];
const POOL = {
  nodes: { matchLabels: { pool: 'gpu' } },
  taints: ['dedicated=ml:NoSchedule'],
  labels: { dedicated: 'ml' },
  users: { namespaces: ['t'] },
};

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nodes-'));
  const file = join(folder, 'auth.json');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  await writeFile(file, JSON.stringify({ tokens: entries, bindings: BINDINGS }));
  service = await startTestService({ AUTH_FILE: file, RATE_LIMIT: '0' });
  const change = { nodes: ['a'], taints: ['k=v:NoSchedule'], reason: 'test' };
  for (const [method, path, body] of [
    ['POST', 'snapshots?createCluster=true', list(SMALL_CLUSTER)],
    ['PUT', 'pools/ml', POOL],
    ['POST', 'taint-changes', change],
  ] as const) {
    const answer = await ask('root', method, `/api/v1/clusters/shop/${path}`, body);
    if (answer.status >= 300) throw new Error(answer.text);
  }
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (token: keyof typeof tokens, method: string, path: string, body?: object | string): Promise<Answer> =>
  service.request(method, path, body, {
    authorization: `Bearer ${tokens[token]}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  });
const graphql = (query: string, variables: object = {}, token: keyof typeof tokens = 'root'): Promise<Answer> =>
  ask(token, 'POST', '/graphql', { query, variables });

const FIELDS = `
  ... on Cluster { name headRevision }
  ... on KubernetesNode { name taints { text } }
  ... on Pod { namespace name boundNode { name } }
  ... on Pool { name }
  ... on Snapshot { revision kind }
  ... on TaintChange { reason madeIn: revision }
  ... on TrailRecord { sequence hash }`;

const IDS = `{ cluster(name: "shop") { id
  node(name: "a") { id }
  pod(namespace: "t", name: "db-0") { id boundNode { id } }
  pools { nodes { id } }
  pool(name: "ml") { pool { id } }
  snapshots { nodes { id } }
  snapshot { snapshot { id } }
  taintChanges { nodes { id } }
  taintTrail { record(sequence: 1) { id } } } }`;

describe('a global id', () => {
  let ids: Record<string, string>;
  beforeAll(async () => {
    const answer = await graphql(IDS);
    expect(answer.at('errors')).toBeUndefined();
    const at = (path: string): string => String(answer.at(`data.cluster.${path}`));
    ids = {
      Cluster: at('id'),
      KubernetesNode: at('node.id'),
      Pod: at('pod.id'),
      Pool: at('pools.nodes.0.id'),
      Snapshot: at('snapshots.nodes.2.id'),
      TaintChange: at('taintChanges.nodes.0.id'),
      TrailRecord: at('taintTrail.record.id'),
    };
    expect(at('pool.pool.id')).toBe(ids['Pool']);
    expect(at('snapshot.snapshot.id')).toBe(at('snapshots.nodes.0.id'));
  });

  it('refetches each kind of object with its type and the same id', async () => {
    expect(new Set(Object.values(ids)).size).toBe(7);
    for (const [type, id] of Object.entries(ids)) {
      const answer = await graphql(`query ($id: ID!) { node(id: $id) { __typename id ${FIELDS} } }`, { id });
      expect(answer.at('errors')).toBeUndefined();
      expect(answer.at('data.node')).toMatchObject({ __typename: type, id });
    }
    const pod = await graphql(`query ($id: ID!) { node(id: $id) { ${FIELDS} } }`, { id: ids['Pod'] });
    expect(pod.at('data.node')).toEqual({ namespace: 't', name: 'db-0', boundNode: { name: 'b' } });
  });

  it('refetches several in the requested order, with null for missing ones', async () => {
    const gone = Buffer.from(JSON.stringify(['Pod', null, 'shop', 't', 'gone'])).toString('base64url');
    const asked = [ids['Pod'], gone, 'no id', ids['Cluster'], '', Buffer.from('["Pod"]').toString('base64url')];
    const answer = await graphql(
      `
        query ($ids: [ID!]!) {
          nodes(ids: $ids) {
            __typename
            id
          }
        }
      `,
      { ids: asked },
    );
    expect(answer.json).toEqual({
      data: {
        nodes: [
          { __typename: 'Pod', id: ids['Pod'] },
          null,
          null,
          { __typename: 'Cluster', id: ids['Cluster'] },
          null,
          null,
        ],
      },
    });
    const many = await graphql(
      `
        query ($ids: [ID!]!) {
          nodes(ids: $ids) {
            id
          }
        }
      `,
      { ids: Array(101).fill('x') },
    );
    expect(many.at('errors.0.extensions.code')).toBe('invalid-request');
  });

  it('of an object from a given revision refers to that revision, not to the head', async () => {
    const answer = await graphql(
      '{ cluster(name: "shop") { node(name: "a", revision: 1) { id taints { text } pods(first: 1) { nodes { id } } } } }',
    );
    const old = String(answer.at('data.cluster.node.id'));
    expect(old).not.toBe(ids['KubernetesNode']);
    const query = `query ($id: ID!) { node(id: $id) { id ${FIELDS} } }`;
    expect((await graphql(query, { id: old })).at('data.node')).toEqual({ id: old, name: 'a', taints: [] });
    const now = await graphql(query, { id: ids['KubernetesNode'] });
    expect(now.at('data.node.taints')).toEqual([{ text: 'k=v:NoSchedule' }]);
  });

  it('of an object of a scenario refers to nothing', async () => {
    const scenario = { changes: [{ addNodes: { like: 'a', name: 'new' } }] };
    const answer = await graphql(
      'query ($scenario: ScenarioInput) { cluster(name: "shop") { node(name: "new", scenario: $scenario) { id name } } }',
      { scenario },
    );
    expect(answer.at('data.cluster.node.name')).toBe('new');
    const found = await graphql('query ($id: ID!) { node(id: $id) { id } }', { id: answer.at('data.cluster.node.id') });
    expect(found.json).toEqual({ data: { node: null } });
  });

  it('needs the permission to read the object', async () => {
    const query = `query ($id: ID!) { node(id: $id) { __typename id } }`;
    for (const [type, id] of Object.entries(ids)) {
      expect((await graphql(query, { id }, 'stranger')).json).toEqual({ data: { node: null } });
      const read = await graphql(query, { id }, 'reader');
      if (type === 'TrailRecord') {
        expect(read.json).toMatchObject({ data: { node: null }, errors: [{ extensions: { code: 'forbidden' } }] });
      } else expect(read.json).toEqual({ data: { node: { __typename: type, id } } });
    }
  });

  it('counts towards the limit of a query each time it is given', async () => {
    const answer = await graphql(
      `
        query ($ids: [ID!]!) {
          nodes(ids: $ids) {
            ... on KubernetesNode {
              pods(first: 1000) {
                nodes {
                  name
                  phase
                  id
                }
              }
            }
          }
        }
      `,
      { ids: Array(100).fill(ids['KubernetesNode']) },
    );
    expect(answer.at('errors.0.extensions.code')).toBe('graphql-limit-exceeded');
  });
});
