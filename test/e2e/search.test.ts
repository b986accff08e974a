import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node, pod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SMALL_CLUSTER } from '../support/small-cluster.js';

interface Hit {
  readonly cluster: string;
  readonly match: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly nodes: number | null;
  readonly taint: { readonly text: string } | null;
}
interface Group {
  readonly kind: string;
  readonly total: number;
  readonly hits: readonly Hit[];
}

const tokens = { all: newToken(), withheld: newToken() };
const BINDINGS = [
  { subjects: ['token:all'], clusters: ['*'], roles: ['admin'] },
  { subjects: ['token:withheld'], clusters: ['small'], roles: ['read'], taintValues: false },
];
const PODS = Array.from({ length: 60 }, (_, at) =>
  pod(`web/web-${at}`, 'web-node', {}, { kind: 'StatefulSet', name: 'web' }),
);

let folder: string;
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'search-'));
  const file = join(folder, 'auth.json');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  await writeFile(file, JSON.stringify({ tokens: entries, bindings: BINDINGS }));
  service = await startTestService({ AUTH_FILE: file });
  await snapshot('small', SMALL_CLUSTER);
  await snapshot('small', [...SMALL_CLUSTER, node('later')]);
  await snapshot('other', [node('web-node'), node('a-web'), node('aweb'), node('a'), ...PODS]);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function snapshot(cluster: string, objects: readonly object[]): Promise<void> {
  const path = `/api/v1/clusters/${cluster}/snapshots?createCluster=true`;
  expect((await ask('all', 'POST', path, list(objects))).status).toBe(201);
}
const ask = (name: keyof typeof tokens, method: string, path: string, body?: object | string): Promise<Answer> =>
  service.request(method, path, body, { authorization: `Bearer ${tokens[name]}`, 'content-type': 'application/json' });
const find = (query: string, name: keyof typeof tokens = 'all'): Promise<Answer> =>
  ask(name, 'GET', `/api/v1/search?${query}`);
const groupsOf = (answer: Answer): readonly Group[] => answer.at('groups') as readonly Group[];
const named = (answer: Answer, kind: string): readonly string[] =>
  groupsOf(answer)
    .filter((group) => group.kind === kind)
    .flatMap(({ hits }) => hits.map(({ cluster, name }) => `${cluster} ${name}`));

describe('a search', () => {
  it('finds whole names first, then starts of names, of words, and the rest, a few of each kind', async () => {
    const answer = await find('text=WEB&perKind=3');
    expect(answer.status).toBe(200);
    expect(groupsOf(answer).map(({ kind, total, hits }) => [kind, total, hits.length])).toEqual([
      ['workload', 1, 1],
      ['namespace', 1, 1],
      ['node', 3, 3],
      ['pod', 60, 3],
    ]);
    expect(groupsOf(answer)[2]!.hits.map(({ name, match }) => [name, match])).toEqual([
      ['web-node', 'prefix'],
      ['a-web', 'word'],
      ['aweb', 'substring'],
    ]);
    expect(named(answer, 'pod')).toEqual(['other web-0', 'other web-1', 'other web-2']);
    expect([answer.at('basis'), answer.at('searched'), answer.at('unsearched')]).toEqual([null, 2, 0]);
  });

  it('has the hits of a cluster before equal ones of others, as of a moment', async () => {
    expect(named(await find('text=a&cluster=other'), 'node').slice(0, 2)).toEqual(['other a', 'small a']);
    expect(named(await find('text=a&cluster=small'), 'node').slice(0, 2)).toEqual(['small a', 'other a']);
    const now = await find('text=later&cluster=small');
    expect([named(now, 'node'), now.at('basis.revision')]).toEqual([['small later'], 2]);
    const before = await find('text=later&cluster=small&moment=1');
    expect([groupsOf(before), before.at('basis.revision')]).toEqual([[], 1]);
    expect(named(await find('text=web&cluster=small&elsewhere=false'), 'node')).toEqual([]);
  });

  it('takes several words, and a namespace with a name', async () => {
    expect(named(await find('text=web%2Fweb-59'), 'pod')).toEqual(['other web-59']);
    expect(named(await find('text=t-x%20one'), 'pod')).toEqual(['small one']);
    expect(groupsOf(await find('text=t-x%20two'))).toEqual([]);
  });

  it('finds taints by key, value and text, and clusters by name', async () => {
    const answer = await find('text=a100');
    expect(groupsOf(answer)[0]!.hits[0]).toMatchObject({ name: 'gpu', match: 'exact', nodes: 2 });
    expect(groupsOf(await find('text=gpu%3Da100:NoSch'))[0]!.hits[0]!.taint!.text).toBe('gpu=a100:NoSchedule');
    expect(named(await find('text=oth&load=0'), 'cluster')).toEqual(['other other']);
  });

  it('finds nothing by what is withheld, nor in clusters out of reach', async () => {
    expect(groupsOf(await find('text=a100', 'withheld'))).toEqual([]);
    const byKey = await find('text=gpu', 'withheld');
    expect(groupsOf(byKey)[0]!.hits.map(({ taint, nodes }) => [taint!.text, nodes])).toEqual([
      ['gpu=***:NoSchedule', 3],
    ]);
    expect(byKey.text).not.toContain('a100');
    expect(groupsOf(await find('text=web', 'withheld'))).toEqual([]);
    expect((await find('text=a&cluster=other', 'withheld')).at('code')).toBe('cluster-not-found');
  });

  it('names every fault', async () => {
    const bad = await find('text=%20&moment=1');
    expect([bad.status, (bad.at('errors') as object[]).length]).toEqual([400, 2]);
    const worse = await find(`text=${'x'.repeat(254)}&moment=x&perKind=0&load=21`);
    expect([worse.status, (worse.at('errors') as object[]).length]).toEqual([400, 4]);
    expect((await find('text=a&cluster=none')).at('code')).toBe('cluster-not-found');
    expect((await find('text=a&cluster=small&moment=99')).at('code')).toBe('revision-not-found');
  });

  it('is the same in GraphQL', async () => {
    const query =
      '{ search(text: "a100", cluster: "small") { searched groups { kind total hits { name nodes taint { text } } } } }';
    const answer = await ask('all', 'POST', '/graphql', { query });
    expect(answer.at('data.search')).toEqual({
      searched: 2,
      groups: [{ kind: 'taint', total: 1, hits: [{ name: 'gpu', nodes: 2, taint: { text: 'gpu=a100:NoSchedule' } }] }],
    });
  });
});
