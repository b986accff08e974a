import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { canonicalJson } from '../../src/core/audit/canonical-json.js';
import { ConfigError, readConfig } from '../../src/config.js';
import { startService } from '../../src/start-service.js';
import { node } from '../support/dumps.js';
import { type Answer, startTestService, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';
import { TestTrail } from '../support/trails.js';

const run = promisify(execFile);
const signing = generateKeyPairSync('ed25519');
const pem = (key: typeof signing.privateKey, type: 'pkcs8' | 'spki'): string =>
  key.export({ type, format: 'pem' }).toString();

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trail-evidence-'));
  await writeFile(join(folder, 'key.pem'), pem(signing.privateKey, 'pkcs8'));
  await writeFile(join(folder, 'public.pem'), pem(signing.publicKey, 'spki'));
  const [started] = await Promise.all([
    // Tampering goes past the triggers of one server.
    startTestService({ AUDIT_SIGNING_KEY_FILE: join(folder, 'key.pem') }, { plain: true }),
    run('node', ['scripts/build.mjs']),
  ]);
  service = started;
}, 240_000);
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const ML = { key: 'dedicated', value: 'ml', effect: 'NoSchedule' };
const tainted = (name: string, ...taints: object[]): object => node(name, { spec: { taints } });
const at = (hour: number): string => `2026-06-01T0${hour}:00:00.000000Z`;

let made = 0;
let trail: TestTrail;
/** Five records, of which the third takes the place of the second, and the last is a change with a reason. */
beforeEach(async () => {
  trail = new TestTrail(service, `c${++made}`);
  await trail.snapshot(at(1), [tainted('a', { key: 'old', effect: 'NoExecute' }), node('b')]);
  await trail.snapshot(at(3), [tainted('a', { key: 'old', effect: 'NoExecute' }), tainted('b', ML)]);
  await trail.events({ id: 'e1', node: 'b', at: at(2), user: 'alice', taints: [ML] });
  await trail.change({ nodes: ['b'], taints: ['dedicated-'], reason: '=cmd|"calc"!A1, and \u2028 more' });
});

/** Changes a table as its owner can, without the triggers. */
const GUARDED = ['taint_trail', 'taint_changes', 'node_intents'];
const triggers = (what: 'enable' | 'disable'): string =>
  GUARDED.map((table) => `alter table ${table} ${what} trigger user;`).join(' ');
const tamper = (statement: string): Promise<unknown> =>
  sql(service.databaseUrl, `begin; ${triggers('disable')} ${statement}; ${triggers('enable')} commit`);
const mine = (): string => `cluster_name = '${trail.cluster}'`;
const verified = async (query = ''): Promise<Answer> => {
  const answer = await trail.get(`verify${query}`);
  expect(answer.status).toBe(200);
  return answer;
};

/** False values of the third record's columns, each with the error that must be reported. */
const COLUMNS: readonly (readonly [column: string, set: string, values?: object])[] = [
  ['author', `author = 'mallory'`, { expected: '"alice"', found: '"mallory"' }],
  ['node', `node = 'a'`, { expected: '"b"', found: '"a"' }],
  ['channel', `channel = 'snapshot'`, { expected: '"auditEvent"', found: '"snapshot"' }],
  ['kind', `kind = 'attempt'`, { expected: '"change"', found: '"attempt"' }],
  ['taintKeys', `taint_keys = '{}'`, { expected: '["dedicated"]', found: '[]' }],
  ['effects', `effects = array['NoExecute']`, { expected: '["NoSchedule"]', found: '["NoExecute"]' }],
  ['happenedAt', `happened_at = happened_at - interval '1 second'`, { found: '"2026-06-01T01:59:59.000000Z"' }],
  ['happenedFrom', 'happened_from = now()', { expected: 'null' }],
  ['recordedAt', `recorded_at = recorded_at + interval '1 millisecond'`],
  ['revision', 'revision = 9', { expected: 'null', found: '9' }],
  ['changeId', `change_id = '6b1f2a8e-52a4-4d3e-9a64-1f0e7a3c9b10'`, { expected: 'null' }],
  ['clusterName', `cluster_name = cluster_name || '-x'`],
];

describe('a trail', () => {
  it('is intact as written, and against its own checkpoint', async () => {
    const head = await trail.get('head');
    const checkpoint = `?sequence=${String(head.at('sequence'))}&hash=${String(head.at('hash'))}`;
    expect((await verified()).json).toMatchObject({
      trail: { cluster: trail.cluster, recordCount: 5 },
      holds: true,
      verified: 5,
      head: { sequence: 5, hash: head.at('hash') },
      fault: null,
      checkpoint: null,
    });
    await trail.change({ nodes: ['a'], unschedulable: true });
    expect((await verified(checkpoint)).json).toMatchObject({ holds: true, verified: 7, checkpoint: { sequence: 5 } });
  });

  it('cannot be changed or truncated by a statement', async () => {
    for (const statement of [
      `update taint_trail set author = 'mallory' where ${mine()}`,
      `delete from taint_trail where ${mine()}`,
      'truncate taint_trail',
    ]) {
      await expect(sql(service.databaseUrl, statement)).rejects.toThrow(/append only/);
    }
  });

  it('protects the stored changes, except for their outcome', async () => {
    const ofCluster = `cluster_id = (select id from clusters where name = '${trail.cluster}')`;
    for (const statement of [
      `update taint_changes set author = 'mallory' where ${ofCluster}`,
      `update taint_changes set details = replace(details, 'anonymous', 'mallory') where ${ofCluster}`,
      `delete from taint_changes where ${ofCluster}`,
      'truncate taint_changes',
      `update node_intents set author = 'mallory' where ${ofCluster}`,
      `delete from node_intents where ${ofCluster}`,
      'truncate node_intents',
    ]) {
      await expect(sql(service.databaseUrl, statement)).rejects.toThrow(/stays as it is|goes with its cluster/);
    }
    expect((await service.request('DELETE', `/api/v1/clusters/${trail.cluster}`)).status).toBe(200);
    expect((await verified()).json).toMatchObject({ holds: true, verified: 6 });
  });

  it.each<{ name: string; tampering: (row: (sequence: number) => string) => string; fault: object; verified: number }>([
    {
      name: 'a changed content',
      tampering: (row) => `update taint_trail set content = replace(content, 'alice', 'mallory') where ${row(3)}`,
      fault: { code: 'hash', sequence: 3 },
      verified: 2,
    },
    {
      name: 'a content that is no JSON any more',
      tampering: (row) => `update taint_trail set content = 'gone' where ${row(2)}`,
      fault: { code: 'hash', sequence: 2 },
      verified: 1,
    },
    {
      name: 'a changed content, with a column and a hash that fit it',
      tampering: (row) =>
        `update taint_trail set content = replace(content, 'alice', 'mallory'), author = 'mallory' where ${row(3)};
         update taint_trail set hash = encode(sha256(convert_to(content, 'utf8')), 'hex') where ${row(3)}`,
      fault: { code: 'previousHash', sequence: 4 },
      verified: 3,
    },
    {
      name: 'a record that was taken out',
      tampering: (row) => `delete from taint_trail where ${row(3)}`,
      fault: { code: 'sequence', sequence: 3, found: '4' },
      verified: 2,
    },
    ...COLUMNS.map(([column, set, values = {}]) => ({
      name: `the column ${column} alone`,
      tampering: (row: (sequence: number) => string) => `update taint_trail set ${set} where ${row(3)}`,
      fault: { code: 'column', column, sequence: 3, ...values },
      verified: 2,
    })),
    {
      name: 'a record that was hidden from the lists',
      tampering: (row) => `insert into taint_trail_superseded (cluster_id, sequence, by_sequence)
                           select cluster_id, 3, 5 from taint_trail where ${row(3)}`,
      fault: { code: 'superseded', sequence: 3, expected: 'none', found: '5' },
      verified: 5,
    },
    {
      name: 'a record that was put back into the lists',
      tampering: (row) => `delete from taint_trail_superseded s using taint_trail t
                           where s.cluster_id = t.cluster_id and s.sequence = 2 and t.${row(2)}`,
      fault: { code: 'superseded', sequence: 2, expected: '3', found: null },
      verified: 5,
    },
    {
      name: 'a change that shows another author',
      tampering: (row) => `update taint_changes c set author = 'mallory' from taint_trail t
                           where c.cluster_id = t.cluster_id and t.${row(4)}`,
      fault: { code: 'change', column: 'author', sequence: 4, expected: '"anonymous"', found: '"mallory"' },
      verified: 5,
    },
    {
      name: 'a change whose details name another author',
      tampering: (
        row,
      ) => `update taint_changes c set details = replace(details, 'anonymous', 'mallory') from taint_trail t
                           where c.cluster_id = t.cluster_id and t.${row(4)}`,
      fault: { code: 'change', column: 'by', sequence: 4 },
      verified: 5,
    },
    {
      name: 'a change whose details are no JSON any more',
      tampering: (row) => `update taint_changes c set details = 'gone' from taint_trail t
                           where c.cluster_id = t.cluster_id and t.${row(4)}`,
      fault: { code: 'change', column: 'by', sequence: 4 },
      verified: 5,
    },
    {
      name: 'a change that is shown as undone, though no change undid it',
      tampering: (row) => `update taint_changes c set undone_by = c.id from taint_trail t
                           where c.cluster_id = t.cluster_id and t.${row(4)}`,
      fault: { code: 'change', column: 'undoneBy', sequence: 4, expected: 'null' },
      verified: 5,
    },
    {
      name: 'a change of a node that was made at another time',
      tampering: (row) => `update node_intents i set made_at = made_at - interval '1 second' from taint_trail t
                           where i.cluster_id = t.cluster_id and t.${row(5)}`,
      fault: { code: 'change', column: 'madeAt', sequence: 5 },
      verified: 5,
    },
    {
      name: 'a change that was hidden from the list of changes',
      tampering: (row) => `delete from taint_changes c using taint_trail t
                           where c.cluster_id = t.cluster_id and t.${row(4)}`,
      fault: { code: 'change', column: null, sequence: 4, found: null },
      verified: 5,
    },
    {
      name: 'a change of a node that was hidden from its change',
      tampering: (row) => `delete from node_intents i using taint_trail t
                           where i.cluster_id = t.cluster_id and t.${row(5)}`,
      fault: { code: 'change', column: null, sequence: 5, found: null },
      verified: 5,
    },
  ])('is broken with $name', async ({ tampering, fault, verified: count }) => {
    await tamper(tampering((sequence) => `sequence = ${sequence} and ${mine()}`));
    const answer = await verified();
    expect(answer.json).toMatchObject({ holds: false, verified: count, fault });
    expect((answer.at('fault.message') as string).length).toBeGreaterThan(40);
    // What was done to one record leaves the others to be seen.
    expect((await trail.get('records?current=false')).status).toBe(200);
  });

  it('is broken against a checkpoint if its end was removed', async () => {
    const { hash } = (await trail.get('head')).json as { hash: string };
    const cut = `delete from taint_trail where ${mine()} and sequence > 3`;
    await tamper(cut);
    // The change that the two records describe is still stored.
    expect((await verified()).json).toMatchObject({
      holds: false,
      verified: 3,
      fault: { code: 'change', sequence: 4 },
    });
    const ofCluster = `cluster_id = (select id from clusters where name = '${trail.cluster}')`;
    await tamper(`delete from taint_changes where ${ofCluster}; delete from node_intents where ${ofCluster}`);
    expect((await verified()).json).toMatchObject({ holds: true, verified: 3 });
    expect((await verified(`?sequence=5&hash=${hash}`)).json).toMatchObject({
      holds: false,
      verified: 3,
      fault: { code: 'tailCut', sequence: 4, expected: '5' },
    });
    expect((await verified(`?sequence=2&hash=${hash}`)).json).toMatchObject({
      fault: { code: 'checkpoint', sequence: 2 },
    });
  });

  it('is broken against a checkpoint if all of it was removed with its cluster', async () => {
    const { hash, clusterId } = (await trail.get('head')).json as { hash: string; clusterId: number };
    await service.request('DELETE', `/api/v1/clusters/${trail.cluster}`);
    await tamper(`delete from taint_trail where ${mine()}`);
    const checkpoint = `?sequence=5&hash=${hash}`;
    for (const [query, id] of [
      [checkpoint, 0],
      [`${checkpoint}&trail=${clusterId}`, clusterId],
    ]) {
      expect((await verified(String(query))).json).toMatchObject({
        trail: { cluster: trail.cluster, clusterId: id, recordCount: 0 },
        holds: false,
        verified: 0,
        head: { sequence: 0 },
        fault: { code: 'tailCut', sequence: 1, expected: '5', message: expect.stringContaining('are missing') },
      });
    }
    const query = `{ taintTrailVerification(cluster: "${trail.cluster}", sequence: 5, hash: "${hash}") { holds fault { code } } }`;
    expect((await service.graphql(query)).at('data.taintTrailVerification')).toEqual({
      holds: false,
      fault: { code: 'tailCut' },
    });
    // Without a checkpoint nothing shows that there was a trail.
    expect((await trail.get('verify')).status).toBe(404);
  });

  it('is not verified against half a checkpoint', async () => {
    const fields = async (query: string): Promise<unknown> => {
      const errors = (await trail.get(`verify?${query}`)).at('errors') as { field: string }[];
      return errors.map(({ field }) => field);
    };
    expect(await fields('sequence=1')).toEqual(['hash']);
    expect(await fields('hash=abc')).toEqual(['sequence', 'hash']);
    expect(await fields(`sequence=-1&hash=${'0'.repeat(64)}`)).toEqual(['sequence']);
  });
});

describe('the head of a trail', () => {
  it('is a signed checkpoint', async () => {
    const { signature, publicKey, ...checkpoint } = (await trail.get('head')).json as Record<string, string>;
    expect(checkpoint).toMatchObject({ cluster: trail.cluster, sequence: 5 });
    const said = Buffer.from(canonicalJson(checkpoint));
    expect(verify(null, said, publicKey!, Buffer.from(signature!, 'base64'))).toBe(true);
    expect(publicKey).toBe(pem(signing.publicKey, 'spki'));
  });

  it.each([
    ['a key of another type', pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'pkcs8'), /type rsa/],
    ['a public key', pem(signing.publicKey, 'spki'), /contains no private key/],
    ['no key', 'nothing', /contains no private key/],
    ['no file', undefined, /cannot be read/],
  ])('cannot be signed with %s: the service says so and does not start', async (_, content, message) => {
    const path = join(folder, 'other.pem');
    await rm(path, { force: true });
    if (content !== undefined) await writeFile(path, content);
    const config = readConfig({ PORT: '0', DATABASE_URL: service.databaseUrl, AUDIT_SIGNING_KEY_FILE: path });
    const starting = startService(config);
    await expect(starting).rejects.toThrow(ConfigError);
    await expect(starting).rejects.toThrow(message);
  });
});

describe('an export', () => {
  const lines = (text: string): { hash: string; content: Record<string, unknown> }[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { hash: string; content: Record<string, unknown> });

  it('has every record with the exact text that was hashed', async () => {
    const answer = await trail.get('export');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="taint-trail-c\d+-\d+\.ndjson"$/);
    expect(lines(answer.text).map(({ content }) => content['sequence'])).toEqual([1, 2, 3, 4, 5]);
    for (const line of answer.text.trimEnd().split('\n')) {
      const { hash, content } = JSON.parse(line) as { hash: string; content: unknown };
      expect(line).toBe(`{"hash":"${hash}","content":${canonicalJson(content)}}`);
    }
  });

  it('takes the filters of the list', async () => {
    const sequences = async (query: string): Promise<unknown> =>
      lines((await trail.get(`export?${query}`)).text).map(({ content }) => content['sequence']);
    expect(await sequences('node=b')).toEqual([2, 3, 5]);
    expect(await sequences('node=b&current=true')).toEqual([3, 5]);
    expect(await sequences('author=alice&kind=change')).toEqual([3]);
    expect((await trail.get('export?format=xml&node=b&limit=3')).at('errors')).toMatchObject([
      { field: 'limit' },
      { field: 'format' },
    ]);
  });

  it('is CSV in which no spreadsheet finds a formula', async () => {
    const answer = await trail.get('export?format=csv');
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    const rows = answer.text.split('\r\n');
    expect(rows[0]).toMatch(/^cluster,clusterId,sequence,recordedAt,kind,happenedFrom,happenedAt,node,summary,author,/);
    expect(rows).toHaveLength(7);
    expect(rows[3]).toContain(
      ',change,2026-06-01T02:00:00.000000Z,2026-06-01T02:00:00.000000Z,b,added dedicated=ml:NoSchedule,alice,',
    );
    expect(rows[5]).toContain(`,"'=cmd|""calc""!A1, and \u2028 more",`);
  });
});

describe('npm run verify-audit', () => {
  const check = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    try {
      const { stdout, stderr } = await run('node', ['dist/src/cli/verify-audit.js', ...args]);
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, out: stdout, err: stderr };
    }
  };
  const file = async (name: string, content: string | Uint8Array): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  let exported: string[];
  let head: Record<string, unknown>;
  beforeEach(async () => {
    exported = (await trail.get('export')).text.trimEnd().split('\n');
    head = (await trail.get('head')).json as Record<string, unknown>;
  });
  const of = (...records: (string | undefined)[]): string => records.map((line) => `${line ?? ''}\n`).join('');

  it('accepts an intact export, gzip or not, also against an older checkpoint', async () => {
    const whole = await file('whole.ndjson', of(...exported));
    const plain = await check(whole);
    expect(plain).toMatchObject({ code: 0, err: '' });
    expect(plain.out).toMatch(/^records verified: 5 of cluster c\d+ \(\d+\)\nhead: record 5, [0-9a-f]{64}\n/);
    expect((await check(await file('whole.gz', gzipSync(of(...exported))))).code).toBe(0);
    const kept = await file('head.json', JSON.stringify(head));
    const signed = await check(whole, '--checkpoint', kept, '--public-key', join(folder, 'public.pem'));
    expect(signed).toMatchObject({ code: 0 });
    expect(signed.out).toContain('checkpoint: record 5 is unchanged (signed with the key)');
  });

  it('accepts a reformatted file with the same content', async () => {
    const anew = exported.map((line) => JSON.stringify(JSON.parse(line), ['content', 'hash', ...keysIn(line)]));
    expect((await check(await file('anew.ndjson', of(...anew)))).code).toBe(0);
  });

  it.each<[string, (lines: string[]) => string, string]>([
    ['altered', (l) => of(l[0], l[1], l[2]!.replace('alice', 'mallory'), l[3]), 'record 3 (hash)'],
    ['with a record missing', (l) => of(l[0], l[2], l[3]), 'record 2 (sequence)'],
    ['reordered', (l) => of(l[1], l[0]), 'record 1 (sequence)'],
    ['with a record twice', (l) => of(l[0], l[0]), 'record 2 (sequence)'],
    ['broken off in a record', (l) => of(l[0], l[1]!.slice(0, 200)), 'line 2 is not a record'],
    ['of something else', () => of('{"kind":"List"}'), 'line 1 is not a record'],
    [
      'with a name given twice',
      (l) => of(l[0]!.replace('"kind":"found"', '"kind":"write","kind":"found"')),
      'line 1 is no',
    ],
    ['that is not UTF-8', (l) => of(l[0]!.replace('"node":"a"', '"node":"\ud800"')), 'record 1 (hash)'],
  ])('finds the first error of an export that is %s', async (_, alter, fault) => {
    const answer = await check(await file('altered.ndjson', alter(exported)));
    expect(answer.code).toBe(1);
    expect(answer.out).toContain(`first fault: ${fault}`);
  });

  it('finds a truncated end, a rewritten chain, another trail, and a changed checkpoint', async () => {
    const key = join(folder, 'public.pem');
    const cut = await file('cut.ndjson', of(...exported.slice(0, 3)));
    const kept = await file('head.json', JSON.stringify(head));
    expect((await check(cut)).code).toBe(0);
    const found = await check(cut, '--checkpoint', kept);
    expect(found).toMatchObject({ code: 1 });
    expect(found.out).toContain('first fault: record 4 (tailCut)');
    const other = await file('other.json', JSON.stringify({ sequence: 3, hash: 'f'.repeat(64) }));
    expect((await check(cut, '--checkpoint', other)).out).toContain('first fault: record 3 (checkpoint)');
    const gz = gzipSync(of(...exported));
    expect(await check(await file('cut.gz', gz.subarray(0, gz.length - 20)))).toMatchObject({ code: 1 });

    const whole = await file('whole.ndjson', of(...exported));
    const moved = await file('moved.json', JSON.stringify({ ...head, at: '2027-01-01T00:00:00.000Z' }));
    expect(await check(whole, '--checkpoint', moved, '--public-key', key)).toMatchObject({ code: 1 });
    const stranger = await file('stranger.json', JSON.stringify({ ...head, clusterId: 999 }));
    expect((await check(whole, '--checkpoint', stranger)).out).toContain('the checkpoint belongs to another trail');
    const unsigned = await file('unsigned.json', JSON.stringify({ ...head, signature: null }));
    expect(await check(whole, '--checkpoint', unsigned, '--public-key', key)).toMatchObject({ code: 1 });
  });

  it('prints its usage if it is used wrongly', async () => {
    const whole = await file('whole.ndjson', of(...exported));
    for (const args of [
      [],
      ['nowhere.ndjson'],
      [whole, '--nothing'],
      [whole, '--public-key', join(folder, 'public.pem')],
      [whole, '--checkpoint', whole],
      [whole, '--checkpoint', await file('head.json', JSON.stringify(head)), '--public-key', whole],
    ]) {
      const answer = await check(...args);
      expect([answer.code, answer.err !== '']).toEqual([2, true]);
    }
  });
});

function keysIn(line: string): string[] {
  const keys = new Set<string>();
  JSON.parse(line, (key, value: unknown) => {
    keys.add(key);
    return value;
  });
  return [...keys].reverse();
}

describe('the permission audit', () => {
  let guarded: TestService;
  const tokens = { auditor: newToken(), reader: newToken(), blind: newToken() };
  beforeAll(async () => {
    const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
    const bindings = [
      { subjects: ['token:auditor'], clusters: ['*'], roles: ['admin'] },
      { subjects: ['token:reader'], clusters: ['*'], roles: ['read'] },
      { subjects: ['token:blind'], clusters: ['prod'], roles: ['audit'], taintValues: false },
    ];
    await writeFile(join(folder, 'auth.json'), JSON.stringify({ tokens: entries, bindings }));
    guarded = await startTestService({ AUTH_FILE: join(folder, 'auth.json') });
    for (const cluster of ['prod', 'test']) {
      const body = JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [tainted('a', ML)] });
      await as('auditor', `/clusters/${cluster}/snapshots?createCluster=true`, body);
    }
  });
  afterAll(() => guarded.close());
  const as = (who: keyof typeof tokens, path: string, body?: string): Promise<Answer> =>
    guarded.request(body === undefined ? 'GET' : 'POST', `/api/v1${path}`, body, {
      authorization: `Bearer ${tokens[who]}`,
    });

  it.each(['records', 'records/1', 'nodes/a/history', 'fights', 'export', 'verify', 'head'])(
    'is needed for %s',
    async (path) => {
      expect((await as('auditor', `/clusters/prod/taint-trail/${path}`)).status).toBe(200);
      expect((await as('reader', `/clusters/prod/taint-trail/${path}`)).at('code')).toBe('forbidden');
      expect((await as('blind', `/clusters/test/taint-trail/${path}`)).at('code')).toBe('cluster-not-found');
    },
  );

  it('leaves out the trails of other clusters', async () => {
    expect((await as('reader', '/taint-trails')).at('items')).toEqual([]);
    expect((await as('blind', '/taint-trails')).at('items')).toMatchObject([{ cluster: 'prod' }]);
    expect((await as('blind', '/taint-trail/records')).at('items')).toMatchObject([{ cluster: 'prod' }]);
    expect((await as('auditor', '/taint-trail/records')).at('items')).toHaveLength(2);
  });

  it('shows masked values to callers who may not see them, and no text that could not be verified', async () => {
    for (const path of ['records', 'records/1', 'nodes/a/history', 'verify', 'head']) {
      const answer = await as('blind', `/clusters/prod/taint-trail/${path}`);
      expect(answer.status).toBe(200);
      expect(answer.text).not.toMatch(/\bml\b/);
    }
    expect((await as('blind', '/taint-trail/records')).text).not.toMatch(/\bml\b/);
    expect((await as('blind', '/clusters/prod/taint-trail/records/1')).at('canonical')).toBeNull();
    expect((await as('blind', '/clusters/prod/taint-trail/export')).at('code')).toBe('forbidden');
    const query =
      '{ taintTrail(cluster: "prod") { records { nodes { canonical summary body { kind ... on ChangeRecordContent { difference { added { key value } } } ... on FoundRecordContent { state { taints { key value } } } ... on RequestRecordContent { request { taints } } } } } } }';
    const answer = await guarded.request('POST', '/graphql', { query }, { authorization: `Bearer ${tokens.blind}` });
    expect(answer.at('data.taintTrail.records.nodes.0.summary')).toBe('found dedicated=***:NoSchedule');
    expect(answer.text).not.toMatch(/\bml\b/);
  });
});
