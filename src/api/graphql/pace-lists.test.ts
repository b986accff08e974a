import { describe, expect, it } from '@jest/globals';
import { buildSchema, type ExecutionResult, graphql, type GraphQLSchema } from 'graphql';
import { paceLists } from './pace-lists.js';

const SOURCE = `
  type Query { many: [Item]!, sure: [Item!], few: [Item!]!, later: [Item!]!, none: [Item!], not: [Item!]!, numbers: [Int!]! }
  type Item { at: Int!, text: String, broken: Int!, inner(count: Int!): [Item!]! }
`;
const LONG = 200;

class Item {
  constructor(readonly at: number) {}
  get text(): string {
    return `item ${this.at}`;
  }
  get broken(): number {
    if (this.at % 50 === 7) throw new Error(`${this.at} is broken`);
    return this.at;
  }
  inner({ count }: { readonly count: number }): readonly Item[] {
    return items(count);
  }
}

const items = (count: number): readonly Item[] => Array.from({ length: count }, (_, at) => new Item(at));

const ROOT = {
  many: () => items(LONG).map((item, at) => (at === 3 ? null : at === 4 ? new Error('no item') : item)),
  sure: () => items(LONG),
  few: () => items(3),
  later: () => Promise.resolve(items(LONG)),
  none: () => null,
  not: () => Promise.reject(new Error('not at all')),
  numbers: () => items(LONG).map(({ at }) => at),
};

const ask = (schema: GraphQLSchema, query: string): Promise<ExecutionResult> =>
  graphql({ schema, source: `{ ${query} }`, rootValue: ROOT });

/** Errors come as they are met, and so in another order. */
const sorted = ({ data, errors = [] }: ExecutionResult): object => ({
  data,
  errors: errors.map((error) => JSON.stringify(error)).sort(),
});

describe('a schema with paced lists', () => {
  it.each([
    ['a list', 'sure { at text }'],
    ['a list that comes later', 'later { at }'],
    [
      'lists beside each other, also short ones and scalars',
      'sure { at } later { text } few { at } numbers none { at }',
    ],
    ['a list of lists', 'sure { at inner(count: 40) { at inner(count: 3) { text } } }'],
    ['items that are null or an error', 'many { at }'],
    ['fields of items that fail', 'many { at broken }'],
    ['a field that must not fail', 'few { at } sure { broken }'],
    ['a list that fails', 'not { at } few { at }'],
  ])('answers as one without: %s', async (_, query) => {
    const plain = await ask(buildSchema(SOURCE), query);
    const paced = await ask(paceLists(buildSchema(SOURCE)), query);
    // Of errors that make the same list null, the first is told.
    expect(sorted(paced)).toEqual(sorted(plain));
  });

  it('leaves introspection as it is', async () => {
    const query = '__schema { types { name fields { name } } }';
    expect(await ask(paceLists(buildSchema(SOURCE)), query)).toEqual(await ask(buildSchema(SOURCE), query));
  });

  it('lets other work run between items that take long', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    const long = items(40).map(() => ({
      get at() {
        for (const end = performance.now() + 9; performance.now() < end;);
        return 1;
      },
    }));
    setImmediate(count);
    const answer = graphql({
      schema: paceLists(buildSchema(SOURCE)),
      source: '{ sure { at } }',
      rootValue: { sure: long },
    });
    expect(((await answer).data as { sure: unknown[] }).sure).toHaveLength(40);
    isOver = true;
    expect(turns).toBeGreaterThan(10);
  });
});
