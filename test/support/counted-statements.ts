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

/** The same for round trips: statements that the driver sends while others of their connection are unanswered take none of their own. */
export async function countRoundTrips(work: () => Promise<unknown>): Promise<number> {
  const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  const unanswered = new Map<unknown, number>();
  let count = 0;
  prototype.query = function (this: { readonly pipeline: boolean }, ...given) {
    const others = unanswered.get(this) ?? 0;
    if (others === 0 || !this.pipeline) count += 1;
    unanswered.set(this, others + 1);
    const answered = (): void => {
      unanswered.set(this, unanswered.get(this)! - 1);
    };
    const sent = query.apply(this, given);
    if (sent instanceof Promise) sent.then(answered, answered);
    else answered();
    return sent;
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return count;
}
