import type { ClientBase } from 'pg';

/** What the driver has for statements that are sent while others are unanswered; it is meant for all statements of a connection. */
interface Pipelined {
  pipeline: boolean;
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
}

/**
 * Sends statements without waiting for the answers to those before, so that all take one round trip. To Postgres, each is one of its own, which
 * sees what those before it did; in a transaction, it refuses all after one that fails.
 * @param send sends them at once: none can depend on an answer
 * @returns what the statements returned
 * @throws the error of the first one that failed, after all were answered
 */
export async function sentTogether<const Sent extends readonly Promise<unknown>[]>(
  client: ClientBase,
  send: () => Sent,
): Promise<{ readonly [Index in keyof Sent]: Awaited<Sent[Index]> }> {
  // COPY and cursors cannot go together with other statements, so the connection stays as it is otherwise.
  const pipelined = client as unknown as Pipelined;
  const { stream } = pipelined.connection;
  pipelined.pipeline = true;
  try {
    stream.cork();
    let sent: Sent;
    try {
      sent = send();
    } finally {
      stream.uncork();
    }
    const results = await Promise.allSettled(sent);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as {
      readonly [Index in keyof Sent]: Awaited<Sent[Index]>;
    };
  } finally {
    pipelined.pipeline = false;
  }
}
