import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

const CLUSTER = '/api/v1/clusters/prod';
const SECRET = 'quokka';
const tokens = { open: newToken(), withheld: newToken() };
const BINDINGS = [
  { subjects: ['token:open'], clusters: ['*'], roles: ['admin'] },
  { subjects: ['token:withheld'], clusters: ['*'], roles: ['change'], taintValues: false },
];
const tainted = node('b', { spec: { taints: [{ key: 'pool', value: SECRET, effect: 'NoSchedule' }] } });
const sized = (name: string, cpu: string): object => ({
  ...node(name),
  status: { allocatable: { cpu, memory: '8Gi', pods: '110' } },
});

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kept-'));
  const file = join(folder, 'auth.json');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  await writeFile(file, JSON.stringify({ tokens: entries, bindings: BINDINGS }));
  service = await startTestService({ AUTH_FILE: file });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const take = async (objects: readonly object[]): Promise<void> => {
  const answer = await service.request('POST', `${CLUSTER}/snapshots?createCluster=true`, list(objects), {
    authorization: `Bearer ${tokens.open}`,
    'content-type': 'application/json',
  });
  expect(answer.status).toBe(201);
};

const place = (body: object, query = '', caller: keyof typeof tokens = 'open'): Promise<Answer> =>
  service.request('POST', `${CLUSTER}/placements${query}`, body, {
    authorization: `Bearer ${tokens[caller]}`,
    'content-type': 'application/json',
  });

/** Without what differs each time. */
const lasting = (text: string): string => text.replace(/"decisionId":"[^"]*"/, '').replace(/"ageSeconds":\d+/, '');
const decisionOf = ({ json }: Answer): string => (json as { basis: { decisionId: string } }).basis.decisionId;

const pod = (name: string, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }], ...spec },
});

/** Asks until the answer is kept, and once more. */
const often = async (body: object, query = '', caller: keyof typeof tokens = 'open'): Promise<Answer[]> => {
  const answers: Answer[] = [];
  for (let count = 0; count < 4; count += 1) answers.push(await place(body, query, caller));
  return answers;
};

describe('a placement that is asked again as it was', () => {
  beforeAll(() => take([sized('a', '1'), tainted, sized('c', '4')]));

  it.each([
    ['by groups', {}],
    ['by nodes', { view: 'nodes' }],
    ['as a summary', { detail: 'summary' }],
    ['by verdicts', { view: 'nodes', detail: 'verdicts' }],
    ['with fixes', { view: 'nodes', fixes: true }],
    ['a page', { view: 'nodes', limit: 1 }],
    ['some nodes', { view: 'nodes', nodes: { names: ['c', 'none'] } }],
    ['nodes by verdict', { view: 'nodes', verdict: 'feasible' }],
    ['with a ranking', { ranking: true, seed: 1 }],
    ['under feature gates', { featureGates: { TaintTolerationComparisonOperators: true } }],
    ['in a scenario', { scenario: { changes: [{ editNodes: { nodes: ['a'], taints: ['x=y:NoSchedule'] } }] } }],
  ])('has the same answer each time, to the letter: %s', async (_, options) => {
    const answers = await often({ pod: pod('same'), ...options });
    const [first] = answers as [Answer];
    expect(first.status).toBe(200);
    expect(new Set(answers.map(({ text }) => lasting(text))).size).toBe(1);
    expect(new Set(answers.map(decisionOf)).size).toBe(4);
    expect(new Set(answers.map(({ headers }) => headers.get('content-type'))).size).toBe(1);
  });

  it('has the answer of its own options, selectors and verdicts', async () => {
    const bodies = [
      {},
      { view: 'nodes' },
      { view: 'nodes', limit: 1 },
      { view: 'nodes', limit: 2 },
      { view: 'nodes', verdict: 'infeasible' },
      { view: 'nodes', nodes: { names: ['a'] } },
      { view: 'nodes', nodes: { labelSelector: 'x=y' } },
      { view: 'nodes', fixes: false },
      { view: 'nodes', detail: 'verdicts' },
      { admission: 'skip' },
      { filters: ['NodeResourcesFit'] },
    ].map((options) => ({ pod: pod('options'), ...options }));
    const rounds: string[][] = [];
    for (let round = 0; round < 3; round += 1) {
      const texts: string[] = [];
      for (const body of bodies) texts.push(lasting((await place(body)).text));
      rounds.push(texts);
    }
    expect(new Set(rounds[0]).size).toBe(bodies.length);
    expect(rounds[1]).toEqual(rounds[0]);
    expect(rounds[2]).toEqual(rounds[0]);
  });

  it('goes on with the pages of its list', async () => {
    const body = { pod: pod('pages'), view: 'nodes', limit: 1 };
    const pages: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      let after: string | null = null;
      do {
        const { json, text }: Answer = await place({ ...body, ...(after === null ? {} : { continue: after }) });
        pages.push(lasting(text));
        after = (json as { continue: string | null }).continue;
      } while (after !== null);
    }
    expect(pages).toHaveLength(9);
    expect(new Set(pages).size).toBe(3);
  });

  it('selects fields of an answer that is kept', async () => {
    const body = { pod: pod('fields'), view: 'nodes' };
    await often(body);
    const answers = await often(body, '?fields=summary');
    for (const { json } of answers) expect(Object.keys(json as object)).toEqual(['summary']);
  });

  it('warns of the same fields each time', async () => {
    const answers = await often({ pod: pod('warned', { unheardOf: 1 }) });
    const warnings = answers.map(({ headers }) => headers.get('warning'));
    expect(warnings[0]).toContain('unheardOf');
    expect(new Set(warnings).size).toBe(1);
  });

  it('withholds values from those who may not see them, whoever asked before', async () => {
    const body = { pod: pod('masked'), view: 'nodes' };
    const before = await place(body, '', 'withheld');
    expect(before.status).toBe(200);
    expect(before.text).not.toContain(SECRET);
    for (const { text } of await often(body)) expect(text).toContain(SECRET);
    for (const { text } of await often(body, '', 'withheld')) expect(lasting(text)).toBe(lasting(before.text));
    for (const { text } of await often(body)) expect(text).toContain(SECRET);
  });

  it('is recorded anew each time it is to be', async () => {
    const body = { pod: pod('recorded') };
    await often(body);
    const answers = await often({ ...body, record: true });
    const ids = answers.map(({ json }) => (json as { decision: { id: string } }).decision.id);
    expect(new Set(ids).size).toBe(4);
  });

  it('is answered from the state of its revision', async () => {
    const body = { pod: pod('moved'), detail: 'summary' };
    const feasible = async (query = ''): Promise<unknown> =>
      ((await place(body, query)).json as { summary: { feasible: number } }).summary.feasible;
    expect([await feasible(), await feasible(), await feasible()]).toEqual([1, 1, 1]);
    await take([sized('a', '4'), tainted, sized('c', '4')]);
    expect([await feasible(), await feasible(), await feasible()]).toEqual([2, 2, 2]);
    expect([await feasible('?revision=1'), await feasible('?revision=1')]).toEqual([1, 1]);
  });

  it('names the revision that it is asked about, where another has the same objects', async () => {
    const body = { pod: pod('renumbered'), view: 'nodes', limit: 1 };
    await often(body);
    await take([sized('a', '4'), tainted, sized('c', '4')]);
    await take([sized('a', '4'), tainted, sized('c', '4'), sized('d', '4')]);
    await take([sized('a', '4'), tainted, sized('c', '4')]);
    const [first, , , last] = (await often(body)) as [Answer, Answer, Answer, Answer];
    const { basis, continue: token } = last.json as { basis: { revision: number }; continue: string };
    expect((first.json as { basis: { revision: number } }).basis.revision).toBe(basis.revision);
    const next = await place({ ...body, continue: token });
    expect(next).toMatchObject({ status: 200, json: { basis: { revision: basis.revision } } });
  });
});
