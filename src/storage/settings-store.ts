import { hash } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { ObjectRow } from '../core/cluster/object-row.js';
import { settingOf, THE_ONE, type SettingKind } from '../core/cluster/setting.js';
import type { JsonObject } from '../core/json/json-value.js';
import { stringifyJson } from '../core/json/lossless-json.js';
import { Database } from './database.js';
import { notifyHead } from './head-notifications.js';
import { lockCluster } from './lock-cluster.js';
import type { KindCounts } from './revision.js';
import { HASH_BYTES } from './state-hashes.js';
import { NoRevision, NulCharacter } from './storage-error.js';
import { HeadMoved } from './taint-trail/head-moved.js';
import { countUnconfirmed } from './taint-trail/snapshot-observer.js';

/** A setting and its new content. */
export interface SettingChange {
  readonly kind: SettingKind;
  readonly name: string;
  /** Null deletes the setting. */
  readonly content: JsonObject | null;
}

export interface SettingsToCommit {
  readonly clusterId: number;
  /** The revision that the changes were computed from; if absent, they apply to any head. */
  readonly expectedHead?: number;
  readonly author: string;
  readonly now: Date;
  /** Of several changes with the same kind and name, the last counts. */
  readonly changes: readonly SettingChange[];
}

export interface CommittedSettings {
  /** The current head. */
  readonly revision: number;
  /** False if nothing changed, so that no revision was created. */
  readonly changed: boolean;
}

/** Settings of clusters. They are versioned with the objects, and are not in the scope of any snapshot. */
export class SettingsStore {
  constructor(private readonly database: Database) {}

  /**
   * Stores settings as the next revision, all or nothing.
   * @throws {ClusterNotFound}
   * @throws {NoRevision} if the cluster has no state yet
   * @throws {HeadMoved} if the head is not `expectedHead`: compute the changes again
   * @throws {NulCharacter}
   */
  async commit(settings: SettingsToCommit): Promise<CommittedSettings> {
    const rows = [
      ...new Map(settings.changes.map((change) => [`${change.kind} ${change.name}`, rowOf(change)])).values(),
    ];
    return this.database.transaction(async (client) => {
      const head = await lockHead(client, settings);
      const former = await formerHashes(client, settings.clusterId, rows);
      const changed = rows.filter((row) => former.get(keyOf(row)) !== row.hash?.toString('hex'));
      if (changed.length === 0) return { revision: head, changed: false };
      const revision = head + 1;
      await writeRows(client, settings.clusterId, revision, changed);
      await writeRevision(
        client,
        settings,
        revision,
        await countsAfter(client, settings.clusterId, head, changed, former),
      );
      await countUnconfirmed(client, settings.clusterId, revision);
      await client.query('update clusters set head_revision = $2 where id = $1', [settings.clusterId, revision]);
      await notifyHead(client, settings.clusterId, revision);
      return { revision, changed: true };
    });
  }
}

/** A setting as a row of a snapshot, so that it is stored with the objects. */
export function settingRow(kind: SettingKind, content: JsonObject): ObjectRow {
  const row = rowOf({ kind, name: THE_ONE, content });
  return {
    kind,
    namespace: '',
    name: THE_ONE,
    uid: null,
    resourceVersion: null,
    hash: row.hash!,
    content: row.content!,
  };
}

/** A stored setting; a row without hash and content deletes it. */
interface SettingRow {
  readonly kind: SettingKind;
  readonly name: string;
  readonly hash: Buffer | null;
  readonly content: string | null;
}

type FormerHashes = ReadonlyMap<string, string>;

const keyOf = ({ kind, name }: Pick<SettingRow, 'kind' | 'name'>): string => `${kind} ${name}`;

function rowOf({ kind, name, content }: SettingChange): SettingRow {
  if (content === null) return { kind, name, hash: null, content: null };
  const text = stringifyJson(settingOf(kind, name, content), { sortKeys: true });
  if (text.includes('\\u0000')) throw new NulCharacter(`${kind} ${name}`);
  return { kind, name, hash: hash('sha256', text, 'buffer').subarray(0, HASH_BYTES), content: text };
}

async function lockHead(client: ClientBase, { clusterId, expectedHead }: SettingsToCommit): Promise<number> {
  const cluster = await lockCluster(client, clusterId);
  if (cluster.head === 0) throw new NoRevision(cluster.name);
  if (expectedHead !== undefined && cluster.head !== expectedHead) throw new HeadMoved(cluster.head);
  return cluster.head;
}

async function formerHashes(client: ClientBase, clusterId: number, rows: readonly SettingRow[]): Promise<FormerHashes> {
  const found = await client.query<{ kind: SettingKind; name: string; hash: string }>(
    `select v.kind, v.name, encode(v.hash, 'hex') as hash
     from object_versions v join unnest($2::text[], $3::text[]) as k (kind, name) using (kind, name)
     where v.cluster_id = $1 and v.namespace = '' and v.valid_to is null`,
    [clusterId, ...columnsOf(rows)],
  );
  return new Map(found.rows.map((row) => [keyOf(row), row.hash]));
}

async function writeRows(
  client: ClientBase,
  clusterId: number,
  revision: number,
  rows: readonly SettingRow[],
): Promise<void> {
  await client.query(
    `update object_versions v set valid_to = $2 from unnest($3::text[], $4::text[]) as k (kind, name)
     where v.cluster_id = $1 and v.kind = k.kind and v.namespace = '' and v.name = k.name and v.valid_to is null`,
    [clusterId, revision, ...columnsOf(rows)],
  );
  const kept = rows.filter(({ content }) => content !== null);
  await client.query(
    `insert into object_versions (cluster_id, kind, namespace, name, hash, valid_from, content)
     select c.id, kind, '', n.name, hash, $2, content
     from clusters c cross join unnest($3::text[], $4::text[], $5::bytea[], $6::text[]) as n (kind, name, hash, content)
     where c.id = $1`,
    [clusterId, revision, ...columnsOf(kept), kept.map(({ hash: of }) => of), kept.map(({ content }) => content)],
  );
}

const columnsOf = (rows: readonly SettingRow[]): [string[], string[]] => [
  rows.map(({ kind }) => kind),
  rows.map(({ name }) => name),
];

/** The counts after the changes; everything else equals the previous revision. */
async function countsAfter(
  client: ClientBase,
  clusterId: number,
  head: number,
  changed: readonly SettingRow[],
  former: FormerHashes,
): Promise<ReadonlyMap<string, KindCounts>> {
  const { rows } = await client.query<{ counts: Readonly<Record<string, KindCounts>> }>(
    'select counts from revisions where cluster_id = $1 and number = $2',
    [clusterId, head],
  );
  const counts = new Map<string, { -readonly [Count in keyof KindCounts]: number }>(
    Object.entries(rows[0]?.counts ?? {})
      .map(([kind, { added, changed: differing, unchanged }]) => [kind, added + differing + unchanged] as const)
      .filter(([, there]) => there > 0)
      .map(([kind, there]) => [kind, { added: 0, changed: 0, removed: 0, unchanged: there }]),
  );
  for (const row of changed) {
    const ofKind = counts.get(row.kind) ?? { added: 0, changed: 0, removed: 0, unchanged: 0 };
    counts.set(row.kind, ofKind);
    const wasThere = former.has(keyOf(row));
    ofKind[row.content === null ? 'removed' : wasThere ? 'changed' : 'added'] += 1;
    if (wasThere && ofKind.unchanged > 0) ofKind.unchanged -= 1;
  }
  return counts;
}

/** Writes a revision that builds on the last captured state; its own report is empty. */
async function writeRevision(
  client: ClientBase,
  { clusterId, author, now }: SettingsToCommit,
  revision: number,
  counts: ReadonlyMap<string, KindCounts>,
): Promise<void> {
  await client.query(
    `insert into revisions (cluster_id, number, kind, captured_at, received_at, backfill, source, author, scope,
                            loaded_kinds, resource_versions, kubernetes_version, stats, findings, counts)
     select cluster_id, $3, 'settings', captured_at, $4, false, null, $5, scope,
            loaded_kinds, resource_versions, kubernetes_version, '{}', '{}', $6
     from revisions where cluster_id = $1 and number = $2`,
    [clusterId, revision - 1, revision, now, author, JSON.stringify(Object.fromEntries(counts))],
  );
}
