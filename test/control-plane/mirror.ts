import type { ObjectRow } from '../../src/core/cluster/object-row.js';
import { versionText } from '../../src/core/kubernetes/version-text.js';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { KINDS, type KindInfo } from '../../src/core/kubernetes/kinds.js';
import { readSnapshot } from '../../src/ingest/read-snapshot.js';
import { WithheldParams } from '../../src/storage/withheld-params.js';
import { sql } from '../support/sql.js';
import { pause, type ApiServer } from './api-server.js';

/** An object, pruned to what is kept of it. */
interface KeptObject {
  readonly uid: string | null;
  readonly resourceVersion: string | null;
  /** Canonical JSON, without the heartbeats of nodes and leases. */
  readonly text: string;
}

type KeptObjects = ReadonlyMap<string, KeptObject>;

/** The path of all objects of a kind that are followed. */
export function listPath({ apiVersions: [version], plural, kind }: KindInfo): string {
  const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
  return kind === 'Lease' ? `${root}/namespaces/kube-node-lease/leases` : `${root}/${plural}`;
}

/** What an API server has, as a snapshot of it would be stored. */
async function truth(api: ApiServer): Promise<KeptObjects> {
  const lines: string[] = [];
  for (const info of KINDS) {
    const { code, body } = await api.ask('GET', listPath(info));
    if (code === 404) continue;
    if (code !== 200) throw new Error(`${info.kind}: ${code}`);
    const type = { apiVersion: info.apiVersions[0], kind: info.kind };
    for (const item of body['items'] as readonly JsonObject[]) lines.push(`${stringifyJson({ ...type, ...item })}\n`);
  }
  const reading = readSnapshot(bytesOf(lines), { contentType: 'application/x-ndjson', invalid: 'keep' });
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

async function* bytesOf(lines: readonly string[]): AsyncGenerator<Uint8Array, void> {
  for (const line of lines) yield await Promise.resolve(Buffer.from(line));
}

/** What the head of the only cluster of a database has. */
async function stored(databaseUrl: string): Promise<KeptObjects> {
  const rows = await sql<Record<'kind' | 'namespace' | 'name' | 'uid' | 'version' | 'content', string>>(
    databaseUrl,
    `select kind, namespace, name, uid, resource_version as version, content from object_versions where valid_to is null`,
  );
  return new Map(
    rows.map(({ kind, namespace, name, uid, version, content }) => [
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
 * Waits until every object of every kind that the API server has is stored, with all that is kept of it, and nothing else.
 *
 * @param facts what to say if it does not come to that
 * @returns how many objects were compared
 */
export async function becomesEqual(
  api: ApiServer,
  databaseUrl: string,
  facts: () => Promise<string> = () => Promise.resolve(''),
): Promise<number> {
  const end = Date.now() + 90_000;
  for (;;) {
    const right = await truth(api);
    const odd = differences(right, await stored(databaseUrl));
    if (odd.length === 0) return right.size;
    if (Date.now() > end) throw new Error(`${odd.slice(0, 5).join('\n')}\n${await facts()}`);
    await pause(100);
  }
}
