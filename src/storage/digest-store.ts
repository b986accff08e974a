import { batched } from './batched.js';
import { Database } from './database.js';
import { ofClusters } from './of-clusters.js';

/** What a digest is of, and by what it was computed. */
export interface DigestKey {
  readonly clusterId: number;
  /** The name of the digest. */
  readonly digest: string;
  readonly revision: number;
  /** The id of the rules of Kubernetes. */
  readonly rules: string;
  /** A digest of another version of the service is not used. */
  readonly version: string;
}

export interface StoredDigest {
  readonly head: string;
  readonly content: Buffer;
  readonly withheld: string;
}

/** A digest without its content but for its first bytes. */
export interface DigestStart {
  readonly head: string;
  readonly start: Buffer;
  /** Null unless it was asked for. */
  readonly withheld: string | null;
}

interface DigestWanted extends DigestKey {
  /** So many of its content are read. */
  readonly bytes: number;
  readonly withWithheld: boolean;
}

const IS_KEY = 'cluster_id = $1 and digest = $2 and revision = $3 and rules = $4 and version = $5';

/** Digests of states: what some questions need of a state, kept so that they need not load it. One of each name for a cluster. */
export class DigestStore {
  /** Those of several clusters, by one statement. */
  private readonly startOf = batched(async (wanted: readonly DigestWanted[]) => {
    const found = new Map<DigestWanted, DigestStart>();
    const alike = new Map<string, DigestWanted[]>();
    for (const key of wanted) {
      const { digest, version, bytes, withWithheld } = key;
      const kind = JSON.stringify([digest, version, bytes, withWithheld]);
      alike.set(kind, [...(alike.get(kind) ?? []), key]);
    }
    await Promise.all([...alike.values()].map((keys) => this.findAlike(keys, found)));
    return wanted.map((key) => found.get(key));
  });

  constructor(private readonly database: Database) {}

  /** Together with those that are asked for at the same time. @param bytes so many of its content are read */
  async find(key: DigestKey, bytes: number, withWithheld: boolean): Promise<DigestStart | undefined> {
    return this.startOf({ ...key, bytes, withWithheld });
  }

  /** @param keys of the same digest, each of another cluster, revision or rules */
  private async findAlike(keys: readonly DigestWanted[], found: Map<DigestWanted, DigestStart>): Promise<void> {
    const [{ digest, version, bytes, withWithheld }] = keys as [DigestWanted];
    const values: unknown[] = [digest, version, bytes];
    const distinct = (of: (key: DigestWanted) => string | number): string =>
      `any($${values.push([...new Set(keys.map(of))])})`;
    const rows = await this.database.query<DigestStart & Pick<DigestKey, 'clusterId' | 'revision' | 'rules'>>(
      `select cluster_id::float8 as "clusterId", revision, rules, head, substring(content for $3) as start,
         ${withWithheld ? 'withheld' : 'null as withheld'}
       from state_digests
       where digest = $1 and version = $2
         and ${ofClusters(
           'cluster_id',
           keys.map(({ clusterId }) => clusterId),
           values,
         )}
         and revision = ${distinct(({ revision }) => revision)} and rules = ${distinct(({ rules }) => rules)}`,
      values,
    );
    const rowOf = new Map(rows.map((row) => [idOf(row), row]));
    for (const key of keys) {
      const row = rowOf.get(idOf(key));
      if (row !== undefined) found.set(key, { head: row.head, start: row.start, withheld: row.withheld });
    }
  }

  /** A part of the content. Undefined if it is kept no longer. */
  async part(key: DigestKey, offset: number, bytes: number): Promise<Buffer | undefined> {
    const [found] = await this.database.query<{ part: Buffer }>(
      `select substring(content from $6 for $7) as part from state_digests where ${IS_KEY}`,
      [...valuesOf(key), offset + 1, bytes],
    );
    return found?.part;
  }

  /** Keeps a digest; that of a later revision stays. @returns whether it is kept: false also if the cluster is deleted */
  async keep(key: DigestKey, { head, content, withheld }: StoredDigest): Promise<boolean> {
    const kept = await this.database.query(
      `insert into state_digests as d (cluster_id, digest, revision, rules, version, head, content, withheld)
       select id, $2, $3, $4, $5, $6, $7, $8 from clusters where id = $1
       on conflict (cluster_id, digest) do update
         set revision = excluded.revision, rules = excluded.rules, version = excluded.version,
           head = excluded.head, content = excluded.content, withheld = excluded.withheld
         where d.version <> excluded.version or d.revision <= excluded.revision
       returning 1`,
      [...valuesOf(key), head, content, withheld],
    );
    return kept.length > 0;
  }
}

const valuesOf = ({ clusterId, digest, revision, rules, version }: DigestKey): readonly unknown[] => [
  clusterId,
  digest,
  revision,
  rules,
  version,
];

const idOf = ({ clusterId, revision, rules }: Pick<DigestKey, 'clusterId' | 'revision' | 'rules'>): string =>
  `${clusterId} ${revision} ${rules}`;
