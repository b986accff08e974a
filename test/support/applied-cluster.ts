import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { sql } from './sql.js';

/** One node of a cluster, as it is in the end. */
export interface NodeInTheEnd {
  readonly name: string;
  readonly resourceVersion: string;
  readonly taints: readonly string[];
}

interface Applied {
  readonly node: string;
  readonly outcome: string;
  readonly resourceVersion?: string;
  readonly message?: string;
}

export async function json(url: string, method = 'GET', body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** Waits until a change is applied, however often the service or its database is away meanwhile. @returns the state */
export async function untilApplied(address: () => string): Promise<string> {
  for (;;) {
    const state = await json(address()).then(
      ({ change, code }) =>
        code === 'database-unavailable' ? 'away' : (change as { application: { state: string } }).application.state,
      () => 'away',
    );
    if (state !== 'running' && state !== 'away') return state;
    await pause(50);
  }
}

/** As if the time of a lease had passed whose holder is dead. */
export async function endLeases(databaseUrl: string): Promise<void> {
  await sql(databaseUrl, `update application_leases set leased_until = now() - interval '1 second'`);
}

/**
 * Compares what is on the record with the cluster: each node has the taint, by one write, in the version that the record names; `since`: others may
 * have written the nodes since. Then managedFields may no longer prove a write whose answer was lost, and the record says so.
 */
export async function expectOnRecord(
  databaseUrl: string,
  trailUrl: string,
  nodes: readonly NodeInTheEnd[],
  taint: string,
  versions: 'same' | 'since' = 'same',
): Promise<void> {
  const rows = await sql<{ content: string }>(
    databaseUrl,
    `select content from taint_trail where kind = 'applied' order by sequence`,
  );
  const applied = rows.map(({ content }) => JSON.parse(content) as Applied);
  const outcomeOf = ({ outcome, message = '' }: Applied): string =>
    versions === 'since' && outcome === 'unchanged' && message.includes('it is not known who made it')
      ? 'written'
      : outcome;
  expect(applied.map((one) => `${one.node} ${outcomeOf(one)}`).sort()).toEqual(
    nodes.map(({ name }) => `${name} written`).sort(),
  );
  const now = new Map(nodes.map(({ name, resourceVersion }) => [name, Number(resourceVersion)]));
  const wrong = applied.filter(({ node, resourceVersion = '' }) => {
    const version = Number(resourceVersion);
    return versions === 'same' ? version !== now.get(node) : !(version <= now.get(node)!);
  });
  expect(wrong).toEqual([]);
  expect(nodes.filter(({ taints }) => taints.filter((one) => one === taint).length !== 1)).toEqual([]);
  expect(await json(`${trailUrl}/verify`)).toMatchObject({ holds: true });
}
