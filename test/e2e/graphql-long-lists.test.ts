import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const NODES = 50;
/** A query is compiled after eight executions, and then read by other code. */
const TIMES = 10;
/** Lists as short as this are read in one go. */
const FEW = 10;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ RATE_LIMIT: '0' });
  const names = Array.from({ length: NODES }, (_, at) => `n${100 + at}`);
  await store(service, 'shop', [
    ...names.map((name) => node(name)),
    ...names.map((name) => pod(`default/p-${name}`, name)),
  ]);
});
afterAll(() => service.close());

describe('a long list over GraphQL', () => {
  it.each([
    ['nodes', 'name labels taints { key value effect } conditions { type status }'],
    ['pods', 'name namespace node tolerations { key operator } boundNode { name allocatable }'],
  ])('has the items of short ones, however often it is asked: %s', async (field, members) => {
    const few: unknown[] = [];
    let after: string | null = null;
    do {
      const page = await service.graphql(
        `query ($after: String) { cluster(name: "shop") { ${field}(first: ${FEW}, after: $after) { pageInfo { hasNextPage endCursor } edges { cursor node { ${members} } } } } }`,
        { after },
      );
      few.push(...(page.at(`data.cluster.${field}.edges`) as unknown[]));
      after = page.at(`data.cluster.${field}.pageInfo.hasNextPage`)
        ? String(page.at(`data.cluster.${field}.pageInfo.endCursor`))
        : null;
    } while (after !== null);
    expect(few).toHaveLength(NODES);
    for (let time = 0; time < TIMES; time++) {
      const all = await service.graphql(
        `{ cluster(name: "shop") { ${field}(first: 1000) { totalCount edges { cursor node { ${members} } } nodes { name } } } }`,
      );
      expect(all.at('errors')).toBeUndefined();
      expect(all.at(`data.cluster.${field}.totalCount`)).toBe(NODES);
      expect(all.at(`data.cluster.${field}.edges`)).toEqual(few);
      expect(all.at(`data.cluster.${field}.nodes`)).toEqual(
        few.map((edge) => ({ name: (edge as { node: { name: string } }).node.name })),
      );
    }
  });
});
