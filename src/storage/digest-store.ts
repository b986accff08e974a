import { Database } from './database.js';

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

const IS_KEY = 'cluster_id = $1 and digest = $2 and revision = $3 and rules = $4 and version = $5';

/** Digests of states: what some questions need of a state, kept so that they need not load it. One of each name for a cluster. */
export class DigestStore {
  constructor(private readonly database: Database) {}

  /** @param bytes so many of its content are read */
  async find(key: DigestKey, bytes: number, withWithheld: boolean): Promise<DigestStart | undefined> {
    const [found] = await this.database.query<DigestStart>(
      `select head, substring(content for $6) as start, ${withWithheld ? 'withheld' : 'null as withheld'}
       from state_digests where ${IS_KEY}`,
      [...valuesOf(key), bytes],
    );
    return found;
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
