import type { ClientBase } from 'pg';
import { byteaArray } from './binary-array.js';
import { Database } from './database.js';
import { handedOver } from './handover.js';
import { readRevision } from './read-revision.js';
import { RevisionNotFound } from './storage-error.js';

/** What the parts of an image are. */
export interface StateImageHead {
  readonly revision: number;
  /** The form of the parts: another is not read. */
  readonly form: number;
  readonly loadedKinds: readonly string[];
  readonly objects: number;
  readonly parts: number;
}

/** Parts that are read at once. */
const BATCH = 16;

/** The part with the head. */
const HEAD = 0;

/** Images of states, one of a form for a cluster: what a state is made of, so that it is loaded without reading each of its objects. */
export class StateImageStore {
  constructor(private readonly database: Database) {}

  /** Undefined if there is none. */
  async head(clusterId: number, form: number): Promise<StateImageHead | undefined> {
    return this.database.session((client) => headOf(client, clusterId, form));
  }

  /**
   * The parts in their order, in batches; none if there is no image, or `accepts` refuses it.
   * @param accepts is called with the head before the first batch
   */
  async *read(
    clusterId: number,
    form: number,
    accepts: (head: StateImageHead) => boolean,
  ): AsyncGenerator<readonly Buffer[], void, undefined> {
    let isUnderway = false;
    yield* handedOver<readonly Buffer[]>((offer) =>
      readRevision(
        this.database,
        async (client) => {
          const head = await headOf(client, clusterId, form);
          // A standby may not have it yet.
          if (head === undefined) throw new RevisionNotFound(clusterId, 0);
          if (!accepts(head)) return;
          await client.query("set local idle_in_transaction_session_timeout = '10min'");
          for (let from = HEAD + 1; from <= head.parts; from += BATCH) {
            const { rows } = await client.query<{ content: Buffer }>(
              'select content from state_images where cluster_id = $1 and form = $2 and part >= $3 and part < $4 order by part',
              [clusterId, form, from, from + BATCH],
            );
            isUnderway = true;
            if (!(await offer(rows.map(({ content }) => content)))) return;
          }
        },
        () => isUnderway,
      ).catch((error: unknown) => {
        if (!(error instanceof RevisionNotFound)) throw error;
      }),
    );
  }

  /**
   * Puts an image in the place of that of an earlier revision. The image of the form before stays, for replicas of the version before;
   * still older ones are removed. It stores nothing if the revision no longer exists: retention would not remove it with its revision.
   */
  async keep(clusterId: number, head: StateImageHead, parts: readonly Buffer[]): Promise<void> {
    const { revision, form, ...rest } = head;
    const description = Buffer.from(JSON.stringify(rest));
    const content = byteaArray(parts);
    await this.database.transaction(async (client) => {
      // Retention and deletion wait for it before they remove rows of the image. Commits, which change no key of the cluster, do not.
      const cluster = await client.query('select from clusters where id = $1 for key share', [clusterId]);
      if (cluster.rowCount === 0) return;
      const kept = await client.query(
        `insert into state_images as i (cluster_id, part, revision, form, content)
         select cluster_id, ${HEAD}, number, $3, $4 from revisions where cluster_id = $1 and number = $2
         on conflict (cluster_id, form, part) do update
           set revision = excluded.revision, content = excluded.content where i.revision < excluded.revision`,
        [clusterId, revision, form, description],
      );
      if (kept.rowCount === 0) return;
      await client.query(
        `delete from state_images where cluster_id = $1 and (form = $2 and part > ${HEAD} or form < $2 - 1)`,
        [clusterId, form],
      );
      await client.query(
        `insert into state_images (cluster_id, part, revision, form, content)
         select c.id, ${HEAD} + n, $2, $3, content
         from clusters c cross join unnest($4::bytea[]) with ordinality p (content, n) where c.id = $1`,
        [clusterId, revision, form, content],
      );
    });
  }

  /**
   * The name of the cluster with the largest image, of those with a state that can be read. Only clusters with few objects have none, and
   * they come last. Undefined if no cluster has a state.
   */
  async largestCluster(form: number): Promise<string | undefined> {
    const rows = await this.database.places.ofAll(
      (ids) =>
        this.database.query<{ name: string; parts: number }>(
          `select c.name, coalesce((
             select i.part from state_images i
             where i.cluster_id = c.id and i.cluster_id = any($1::bigint[]) and i.form = $2 order by i.part desc limit 1), ${HEAD}) as parts
           from clusters c where c.id = any($1::bigint[]) and c.head_revision > 0
           order by parts desc, c.name limit 1`,
          [ids, form],
        ),
      () => undefined,
    );
    return rows.toSorted((a, b) => b.parts - a.parts)[0]?.name;
  }

  /** Removes an image that cannot be read. */
  async remove(clusterId: number, form: number): Promise<void> {
    await this.database.query('delete from state_images where cluster_id = $1 and form = $2', [clusterId, form]);
  }
}

async function headOf(client: ClientBase, clusterId: number, form: number): Promise<StateImageHead | undefined> {
  const { rows } = await client.query<{ revision: number; content: Buffer }>(
    `select revision, content from state_images where cluster_id = $1 and form = $2 and part = ${HEAD}`,
    [clusterId, form],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    ...(JSON.parse(row.content.toString()) as Omit<StateImageHead, 'revision' | 'form'>),
    form,
    revision: row.revision,
  };
}
