import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countStatements } from '../support/statement-counter.js';
import { answerOf, startTestService, type TestService } from '../support/service.js';
import { ServiceProcess } from '../support/service-process.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

const run = promisify(execFile);
const CLUSTERS = 9;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ RATE_LIMIT: '0' });
  for (let i = 1; i <= CLUSTERS; i += 1) {
    await store(service, `c${i}`, SMALL_CLUSTER.slice(0, 6));
    await store(service, `c${i}`, SMALL_CLUSTER);
    const path = `/api/v1/clusters/c${i}/taint-changes`;
    for (let change = 0; change < i % 3; change += 1) {
      const body = { nodes: ['a'], taints: [`k${change}=v${i}:NoSchedule`], reason: `test ${i}.${change}` };
      const made = await service.request('POST', path, body);
      if (made.status >= 300) throw new Error(made.text);
    }
  }
});
afterAll(() => service.close());

/** The fields to query for each cluster, each with its REST path and the compared part of the response. */
const QUESTIONS = [
  ['snapshots', 'snapshots(first: 2) { totalCount pageInfo { hasNextPage } nodes { revision kind } }'],
  ['the head', 'snapshot { snapshot { revision kind } report { items } }'],
  ['taint changes', 'taintChanges(first: 1) { totalCount pageInfo { hasNextPage } nodes { id reason revision } }'],
  ['trails', 'taintTrail { clusterId recordCount hash }'],
  ['trail heads', 'taintTrail { head { sequence hash } }'],
  ['trail records', 'taintTrail { records(first: 2) { nodes { sequence kind hash } } }'],
] as const;

/** The service also sends statements in the background, which can only add to those of a query. */
async function fewestStatements(ask: () => Promise<unknown>): Promise<number> {
  let fewest = Infinity;
  for (let i = 0; i < 20; i += 1) fewest = Math.min(fewest, await countStatements(ask));
  return fewest;
}

describe('a GraphQL query over many clusters', () => {
  it.each(QUESTIONS)('takes as many SQL statements as one over three: %s', async (_, field) => {
    const query = 'query ($first: Int!) { clusters(first: $first) { nodes { name FIELD } } }'.replace('FIELD', field);
    const ask = async (first: number): Promise<unknown[]> => {
      const answer = await service.graphql(query, { first });
      expect(answer.at('errors')).toBeUndefined();
      return answer.at('data.clusters.nodes') as unknown[];
    };
    // What is read once, such as heads, is in memory from then on.
    await ask(CLUSTERS);
    const few = await fewestStatements(() => ask(3));
    const many = await fewestStatements(() => ask(CLUSTERS));
    expect(many).toBe(few);
    expect(many).toBeGreaterThan(0);
    expect(many).toBeLessThanOrEqual(8);
  });

  it.each(QUESTIONS)('returns for each what a query about it alone returns: %s', async (_, field) => {
    const all = await service.graphql(`{ clusters { nodes { name ${field} } } }`);
    const nodes = all.at('data.clusters.nodes') as { readonly name: string }[];
    expect(nodes).toHaveLength(CLUSTERS);
    for (const node of nodes) {
      const alone = await service.graphql(`{ cluster(name: "${node.name}") { name ${field} } }`);
      expect(node).toEqual(alone.at('data.cluster'));
    }
  });

  it('pages one list separately for each size and position', async () => {
    const first = await service.graphql('{ cluster(name: "c2") { snapshots(first: 1) { pageInfo { endCursor } } } }');
    const after = String(first.at('data.cluster.snapshots.pageInfo.endCursor'));
    const answer = await service.graphql(
      `query ($after: String!) { clusters(first: 2) { nodes { all: snapshots { nodes { revision } totalCount } one: snapshots(first: 1) { nodes { revision } } } }
        cluster(name: "c2") { rest: snapshots(after: $after) { nodes { revision } } } }`,
      { after },
    );
    expect(answer.json).toEqual({
      data: {
        clusters: {
          nodes: [
            {
              all: { nodes: [3, 2, 1].map((revision) => ({ revision })), totalCount: 3 },
              one: { nodes: [{ revision: 3 }] },
            },
            {
              all: { nodes: [4, 3, 2, 1].map((revision) => ({ revision })), totalCount: 4 },
              one: { nodes: [{ revision: 4 }] },
            },
          ],
        },
        cluster: { rest: { nodes: [3, 2, 1].map((revision) => ({ revision })) } },
      },
    });
  });

  it('may wait for many states at once, without a warning that they might leak', async () => {
    // The first to need the bundle makes it, on a machine that may be busy with other tests.
    await run('node', ['scripts/build.mjs', '--bundle']);
    const cold = new ServiceProcess('cold', service.databaseUrl, { RATE_LIMIT: '0' });
    await cold.run();
    try {
      const query = '{ clusters { nodes { nodes { totalCount } pods { totalCount } quotas { totalCount } } } }';
      const asked = await fetch(`${cold.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      expect((await answerOf(asked)).at('data.clusters.nodes')).toHaveLength(CLUSTERS);
    } finally {
      await cold.stop();
    }
    expect(cold.output).not.toContain('Warning');
  }, 240_000);
});
