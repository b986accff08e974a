import type { ObjectRow } from '../../src/core/cluster/object-row.js';
import { isKeptKind } from '../../src/core/kubernetes/kinds.js';
import { versionText } from '../../src/core/kubernetes/version-text.js';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { readSnapshot } from '../../src/ingest/read-snapshot.js';
import { WithheldParams } from '../../src/storage/withheld-params.js';
import { sql } from './sql.js';

/** An object, pruned to what is kept of it. */
interface KeptObject {
  readonly uid: string | null;
  readonly resourceVersion: string | null;
  /** Canonical JSON, without the heartbeats of nodes and leases. */
  readonly text: string;
}

type KeptObjects = ReadonlyMap<string, KeptObject>;

/** Objects as an API server has them, as a snapshot of them would be stored. */
async function keptOf(objects: readonly JsonObject[]): Promise<KeptObjects> {
  const reading = readSnapshot(linesOf(objects), { contentType: 'application/x-ndjson', invalid: 'keep' });
  const rows: ObjectRow[] = [];
  const params = new WithheldParams([]);
  for await (const batch of reading.rows) rows.push(...batch.map((row) => params.pass(row)));
  await reading.report;
  return new Map(
    [...rows, ...params.rest()].map(({ kind, namespace, name, uid, resourceVersion, content }) => [
      `${kind} ${namespace}/${name}`,
      { uid, resourceVersion, text: versionText(kind, content) },
    ]),
  );
}

async function* linesOf(objects: readonly JsonObject[]): AsyncGenerator<Uint8Array, void> {
  for (const object of objects) yield await Promise.resolve(Buffer.from(`${stringifyJson(object)}\n`));
}

/** What the head of the only cluster of a database has. */
async function stored(databaseUrl: string): Promise<KeptObjects> {
  const rows = await sql<Record<'kind' | 'namespace' | 'name' | 'uid' | 'version' | 'content', string>>(
    databaseUrl,
    `select kind, namespace, name, uid, resource_version as version, content from object_versions where valid_to is null`,
  );
  // What the service itself adds to a cluster, such as guardrails, is stored there, too.
  const ofCluster = rows.filter(({ kind }) => isKeptKind(kind));
  return new Map(
    ofCluster.map(({ kind, namespace, name, uid, version, content }) => [
      `${kind} ${namespace}/${name}`,
      { uid, resourceVersion: version, text: versionText(kind, content) },
    ]),
  );
}

function differences(truth: KeptObjects, stored: KeptObjects): readonly string[] {
  const odd = [...stored.keys()].filter((key) => !truth.has(key)).map((key) => `${key} is stored, but gone`);
  for (const [key, right] of truth) {
    const has = stored.get(key);
    if (has === undefined) odd.push(`${key} is not stored`);
    else if (has.uid !== right.uid) odd.push(`${key} has the uid ${has.uid}, not ${right.uid}`);
    else if (has.text !== right.text) odd.push(`${key}: ${firstDifference(has.text, right.text)}`);
    // A version in which nothing that is kept changed is not stored.
    else if (has.resourceVersion === null || BigInt(has.resourceVersion) > BigInt(right.resourceVersion!)) {
      odd.push(`${key} is stored as of ${has.resourceVersion}, but is ${right.resourceVersion}`);
    }
  }
  return odd;
}

function firstDifference(has: string, right: string): string {
  let at = 0;
  while (has[at] === right[at]) at += 1;
  const [from, to] = [Math.max(0, at - 60), at + 60];
  return `stored ...${has.slice(from, to)}... instead of ...${right.slice(from, to)}...`;
}

/**
 * Waits until every object that an API server has is stored as the head of the only cluster of a database, with all that is kept of
 * it, and nothing else. Either may be away meanwhile.
 *
 * @param truth the objects, each with its type
 * @param facts what to say if it does not come to that
 * @returns how many objects were compared
 */
export async function becomesMirrored(
  truth: () => readonly JsonObject[] | Promise<readonly JsonObject[]>,
  databaseUrl: string,
  facts: () => Promise<string> | string = () => '',
): Promise<number> {
  const end = Date.now() + 90_000;
  for (;;) {
    const [odd, count] = await compared(truth, databaseUrl);
    if (odd.length === 0) return count;
    if (Date.now() > end) throw new Error(`${odd.slice(0, 5).join('\n')}\n${await facts()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function compared(
  truth: () => readonly JsonObject[] | Promise<readonly JsonObject[]>,
  databaseUrl: string,
): Promise<readonly [odd: readonly string[], count: number]> {
  try {
    const right = await keptOf(await truth());
    return [differences(right, await stored(databaseUrl)), right.size];
  } catch (error) {
    return [[String(error)], 0];
  }
}
