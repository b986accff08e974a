import { StorageError } from './storage-error.js';

type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Told of each place that could not be asked, and of which clusters nothing is known therefore. */
export type PlaceFailed = (error: unknown, clusterIds: readonly number[]) => void;

/** Which clusters are kept in one place, each by its id: a node of a distributed database keeps some, a plain one all. */
export type Places = ReadonlyMap<string, readonly number[]>;

/** @param among the clusters that are asked about; all, if it is left out */
export type ReadPlaces = (among?: readonly number[]) => Promise<Places>;

/** For how long it is remembered which node has which hashes of ids, in milliseconds. */
const REMEMBERED_MS = 10_000;

/** How long a node may take while others are there, in milliseconds; it is not asked again until it has answered. */
const LONGEST_MS = 5_000;

/** A span of hashes of ids, and the group of nodes that keeps their clusters. */
interface Span {
  readonly first: number;
  readonly last: number;
  readonly group: string;
}

/**
 * Asks about all clusters place by place, so that one that is lost or hangs keeps nobody from the clusters of the others. Nothing but the
 * order of the work depends on the places: where clusters are being moved, a statement asks two.
 */
export class ClusterPlaces {
  private spans: readonly Span[] = [];
  private readAt = -Infinity;
  /** Reads that begin when all who ask now have asked. */
  private readonly starting = new Map<string, Promise<Places>>();
  /** Places that took too long and have not answered yet. */
  private readonly hanging = new Set<string>();

  constructor(
    private readonly query: Query,
    private readonly read: ReadPlaces = (among) => this.ofIds(among),
    private readonly longestMs = LONGEST_MS,
  ) {}

  /**
   * Runs `ask` for the clusters of each place, at the same time; a place without clusters is not asked. Its statements name the ids for
   * each table, so that a table is not asked in another place.
   * @param failed is called for each place of which `ask` fails
   * @param among the clusters to ask about; all, if it is left out
   * @returns what it answers of the other places
   * @throws {StorageError} if it cannot be found out which clusters there are
   */
  async ofAll<Row>(
    ask: (clusterIds: readonly number[]) => Promise<readonly Row[]>,
    failed: PlaceFailed,
    among?: readonly number[],
  ): Promise<readonly Row[]> {
    const places = await this.read(among);
    return inEach(places, (ids, place) => (places.size === 1 ? ask(ids) : this.inTime(place, () => ask(ids))), failed);
  }

  /** Each place with its clusters. */
  async all(): Promise<Places> {
    return this.read();
  }

  /** The same for work that may take long. */
  async workInAll<Row>(
    work: (clusterIds: readonly number[]) => Promise<readonly Row[]>,
    failed: PlaceFailed,
  ): Promise<readonly Row[]> {
    return inEach(await this.read(), work, failed);
  }

  /** The first of the times that `ask` finds; undefined if there is none. Parameters as of `ofAll`. */
  async first(
    ask: (clusterIds: readonly number[]) => Promise<readonly { readonly at: Date | null }[]>,
    failed: PlaceFailed,
    among?: readonly number[],
  ): Promise<Date | undefined> {
    const rows = await this.ofAll(ask, failed, among);
    return rows.reduce<Date | undefined>(
      (first, { at }) => (at !== null && (first === undefined || at < first) ? at : first),
      undefined,
    );
  }

  private async inTime<Answer>(place: string, ask: () => Promise<Answer>): Promise<Answer> {
    const late = (): StorageError => new StorageError('StorageTimeout', 'a node of the database does not answer');
    if (this.hanging.has(place)) throw late();
    const answer = ask();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.hanging.add(place);
        const over = (): boolean => this.hanging.delete(place);
        answer.then(over, over);
        reject(late());
      }, this.longestMs).unref();
    });
    return Promise.race([answer, limit]).finally(() => {
      clearTimeout(timer);
    });
  }

  /** Reads them once for all who ask at the same time: a new head makes several look for what is due in its cluster. */
  private ofIds(among?: readonly number[]): Promise<Places> {
    const key = JSON.stringify(among ?? null);
    let read = this.starting.get(key);
    if (read === undefined) {
      read = Promise.resolve().then(() => {
        this.starting.delete(key);
        return this.readOfIds(among);
      });
      this.starting.set(key, read);
    }
    return read;
  }

  private async readOfIds(among?: readonly number[]): Promise<Places> {
    const spans = await this.spansOfHashes();
    // A distributed table is divided by this hash of its column.
    const rows = await this.query<{ id: number; hash: number }>(
      `select id::float8 as id, hashint8(id) as hash from cluster_names
       where not removed and ($1::bigint[] is null or id = any($1)) order by id`,
      [among ?? null],
    );
    const places = new Map<string, number[]>();
    for (const { id, hash } of rows) {
      const place = spans.find(({ first, last }) => hash >= first && hash <= last)?.group ?? '';
      const ids = places.get(place);
      if (ids === undefined) places.set(place, [id]);
      else ids.push(id);
    }
    return places;
  }

  /** None in a plain Postgres. */
  private async spansOfHashes(): Promise<readonly Span[]> {
    const now = performance.now();
    if (now - this.readAt < REMEMBERED_MS) return this.spans;
    const [row] = await this.query<{ known: boolean }>(
      "select to_regclass('pg_catalog.pg_dist_placement') is not null as known",
    );
    this.spans = row!.known
      ? await this.query<Span>(
          `select s.shardminvalue::integer as first, s.shardmaxvalue::integer as last, min(p.groupid)::text as group
           from pg_catalog.pg_dist_shard s join pg_catalog.pg_dist_placement p on p.shardid = s.shardid
           where s.logicalrelid = 'clusters'::regclass and s.shardminvalue is not null group by s.shardid, s.shardminvalue, s.shardmaxvalue`,
        )
      : [];
    this.readAt = now;
    return this.spans;
  }
}

async function inEach<Row>(
  places: Places,
  ask: (clusterIds: readonly number[], place: string) => Promise<readonly Row[]>,
  failed: PlaceFailed,
): Promise<readonly Row[]> {
  const answers = await Promise.all(
    [...places].map(async ([place, ids]) => {
      try {
        return await ask(ids, place);
      } catch (error) {
        failed(error, ids);
        return [];
      }
    }),
  );
  return answers.flat();
}
