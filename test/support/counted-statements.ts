import pg from 'pg';

/** See `statement-counter.ts`. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  let count = 0;
  prototype.query = function (this: unknown, ...given) {
    count += 1;
    return query.apply(this, given);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return count;
}
