import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, pod, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/shop';

const tainted = (name: string): object => node(name, { spec: { taints: [{ key: 'drain', effect: 'NoExecute' }] } });
const running = (key: string, on: string): object => ({ ...pod(key, on), status: { phase: 'Running' } });
const NAMESPACES = ['ml', 'web'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
const CLUSTER = [node('a'), node('b'), node('c'), ...NAMESPACES, running('web/one', 'a')];

const TAINTED = { name: 'At most one node drains', taintedNodes: { taint: { effect: 'NoExecute' }, atMost: 1 } };
const NODES = { name: 'There are three nodes', nodeCount: { atLeast: 3 } };
const GONE = {
  name: 'web has room',
  description: 'Ask team web.',
  capacityFor: { workload: { kind: 'Deployment', namespace: 'web', name: 'web' }, replicas: 2 },
};

const file = (...expectations: object[]): object => ({
  apiVersion: 'kube-placement/v1',
  kind: 'Expectations',
  expectations,
});

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER);
});
afterAll(() => service.close());

const get = (path: string): Promise<Answer> => service.request('GET', `${AT}/${path}`);
const check = (body: object, query = ''): Promise<Answer> =>
  service.request('POST', `${AT}/expectation-checks${query}`, body);
const put = (body: object, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('PUT', `${AT}/expectations${query}`, body, headers);

/** The turns, once there are as many; the background work of the service records them. */
async function turns(count: number): Promise<readonly Record<string, unknown>[]> {
  for (;;) {
    const items = (await get('expectation-turns')).at('items') as readonly Record<string, unknown>[];
    if (items.length >= count) return items;
  }
}

describe('checking expectations', () => {
  it('gives a verdict on each, with the facts', async () => {
    const answer = await check(file(TAINTED, { ...NODES, nodeCount: { atLeast: 4 } }, GONE));
    expect(answer.status).toBe(200);
    expect(answer.at('basis.revision')).toBe(1);
    expect([answer.at('verdict'), answer.at('holds'), answer.at('broken'), answer.at('unknown')]).toEqual([
      'broken',
      1,
      1,
      1,
    ]);
    expect(answer.at('results')).toMatchObject([
      { name: TAINTED.name, kind: 'taintedNodes', verdict: 'holds', count: 0, description: null },
      { verdict: 'broken', reason: 'There are 3 nodes; at least 4 wanted.' },
      {
        verdict: 'unknown',
        description: 'Ask team web.',
        reason: 'Whether replicas fit is not known: no snapshot has contained the kind Deployment.',
      },
    ]);
  });

  it('takes YAML, and scenarios', async () => {
    const yaml = `
apiVersion: kube-placement/v1
kind: Expectations
expectations:
  - name: At most one node drains
    taintedNodes: {taint: {effect: NoExecute}, atMost: 1}
`;
    const scenario = { changes: [{ editNodes: { nodes: ['a', 'b'], taints: ['drain:NoExecute'] } }] };
    const response = await fetch(
      `${service.url}${AT}/expectation-checks?scenario=${encodeURIComponent(JSON.stringify(scenario))}`,
      { method: 'POST', headers: { 'content-type': 'application/yaml' }, body: yaml },
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ verdict: 'broken', results: [{ nodes: ['a', 'b'], count: 2 }] });
  });

  it('refuses a file with all of its errors', async () => {
    const answer = await check(
      file({ name: 'x', nodeCount: { atleast: 1 } }, { name: 'x', taintedNodes: { taint: {}, atMost: -1 } }),
    );
    expect([answer.status, answer.at('code')]).toEqual([400, 'invalid-request']);
    expect(
      (answer.at('errors') as { pointer: string; code: string }[]).map((one) => `${one.pointer} ${one.code}`),
    ).toEqual([
      '/expectations/0/nodeCount one-of',
      '/expectations/0/nodeCount/atleast unknown-field',
      '/expectations/1/name duplicate',
      '/expectations/1/taintedNodes/atMost out-of-range',
      '/expectations/1/taintedNodes/taint one-of',
    ]);
    expect((await check({})).status).toBe(400);
    expect((await service.request('POST', `${AT}/expectation-checks`, null as unknown as object)).status).toBe(400);
  });

  it('answers the same over GraphQL', async () => {
    const answer = await service.graphql(
      `query($file: JSON!) { cluster(name: "shop") { expectationCheck(input: {file: $file}) { verdict holds results { name verdict reason } } } }`,
      { file: file(TAINTED) },
    );
    expect(answer.at('data.cluster.expectationCheck')).toEqual({
      verdict: 'holds',
      holds: 1,
      results: [
        {
          name: TAINTED.name,
          verdict: 'holds',
          reason: '0 of 3 nodes carry a taint with effect NoExecute; at most 1 wanted.',
        },
      ],
    });
  });
});

describe('stored expectations', () => {
  it('are stored as a revision, under a precondition, and read back', async () => {
    expect((await get('expectations')).at('stored')).toBe(false);
    const dry = await put(file(TAINTED), '?dryRun=true');
    expect([dry.status, dry.at('changed'), dry.at('basis.revision')]).toEqual([200, true, 1]);
    expect((await put(file(TAINTED, NODES), '', { 'if-match': '"9"' })).status).toBe(412);
    const stored = await put(file(TAINTED, NODES), '', { 'if-match': '"1"' });
    expect([stored.status, stored.at('changed'), stored.at('basis.revision')]).toEqual([200, true, 2]);
    const read = await get('expectations');
    expect(read.at('file')).toEqual(file(TAINTED, NODES));
    expect((await put(file())).status).toBe(400);
    expect((await put(file(TAINTED, NODES))).at('changed')).toBe(false);
  });

  it('are evaluated when the cluster changes, and name the change that turned them', async () => {
    expect(await turns(2)).toMatchObject([
      { turn: 2, name: NODES.name, revision: 2, former: null, verdict: 'holds', cause: null },
      { turn: 1, name: TAINTED.name, revision: 2, former: null, verdict: 'holds', cause: null },
    ]);
    const dump = (...objects: object[]): Promise<Answer> =>
      send(service, `${AT}/snapshots?allowRemovals=true`, list([...objects, ...NAMESPACES]));
    await dump(tainted('a'), node('b'), node('c'), running('web/one', 'a'));
    await dump(tainted('a'), tainted('b'), node('c'), running('web/two', 'b'));
    const [broken] = await turns(3);
    expect(broken).toMatchObject({
      turn: 3,
      name: TAINTED.name,
      revision: 4,
      former: 'holds',
      verdict: 'broken',
      reason: '2 of 3 nodes carry a taint with effect NoExecute; at most 1 wanted.',
      cause: {
        revision: 4,
        author: null,
        objects: [{ change: 'upserted', kind: 'Node', namespace: null, name: 'b' }],
        objectCount: 1,
        isMinimal: true,
      },
    });
    const results = await get('expectation-results');
    expect(results.at('results')).toMatchObject([{ verdict: 'broken', nodes: ['a', 'b'] }, { verdict: 'holds' }]);
    expect(results.at('turns')).toMatchObject([{ turn: 3 }, { turn: 2 }]);
    expect((await get('expectation-results?revision=3')).at('verdict')).toBe('holds');
  });

  it('are events for followers, once and with an id to resume from', async () => {
    const follow = async (after: string): Promise<string> =>
      (
        await fetch(
          `${service.url}${AT}/events?types=expectationTurned&follow=false&after=${encodeURIComponent(after)}`,
        )
      ).text();
    const all = await follow('0');
    const events = [...all.matchAll(/^event: expectationTurned\nid: (\S+)\ndata: (.*)$/gm)];
    const told = events.map(([, , data = '']) => (JSON.parse(data) as { expectationTurned: object }).expectationTurned);
    expect(told).toMatchObject([
      { turn: 1, verdict: 'holds', former: null },
      { turn: 2, verdict: 'holds', former: null },
      { turn: 3, verdict: 'broken', former: 'holds', revision: 4, cause: { objects: [{ kind: 'Node', name: 'b' }] } },
    ]);
    expect(await follow(events[1]![1]!)).toContain('"turn":3');
    expect(await follow(events[1]![1]!)).not.toContain('"turn":2');
    expect(await follow(events[2]![1]!)).not.toContain('expectationTurned');
  });

  it('turn with the file, too', async () => {
    await put(file({ ...TAINTED, taintedNodes: { taint: { effect: 'NoExecute' }, atMost: 2 } }));
    expect((await turns(4))[0]).toMatchObject({
      verdict: 'holds',
      former: 'broken',
      cause: { author: expect.any(String), objects: [{ kind: 'Expectations', name: 'default' }] },
    });
  });

  it('are read page by page, and over GraphQL', async () => {
    const page = await get('expectation-turns?limit=2');
    const rest = await get(`expectation-turns?limit=9&continue=${String(page.at('continue'))}`);
    expect((rest.at('items') as { turn: number }[]).map(({ turn }) => turn)).toEqual([2, 1]);
    expect((await get('expectation-turns?continue=x')).status).toBe(400);
    const named = await get(`expectation-turns?name=${encodeURIComponent(NODES.name)}`);
    expect(named.at('items')).toHaveLength(1);
    const answer = await service.graphql(
      `{ cluster(name: "shop") { expectations { file } expectationResults { verdict turns { turn former cause { objects { kind name } } } } expectationTurns(first: 1) { nodes { turn verdict } } } }`,
    );
    expect(answer.at('data.cluster')).toMatchObject({
      expectationResults: { verdict: 'holds', turns: [{ former: 'broken' }] },
      expectationTurns: { nodes: [{ verdict: 'holds' }] },
    });
  });

  it('are deleted, and their turns remain', async () => {
    const deleted = await service.request('DELETE', `${AT}/expectations`);
    expect([deleted.status, deleted.at('stored')]).toEqual([200, false]);
    expect((await get('expectation-results')).at('results')).toEqual([]);
    expect((await get('expectation-turns')).at('items')).toHaveLength(4);
  });
});
