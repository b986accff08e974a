import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The columns of an asked change that may change; all other columns repeat the trail. */
const LATER = ['state', 'round', 'revision', 'preview'];

/**
 * Creates the changes that wait for approval, and who approved or rejected them. What was asked and said is final: triggers reject
 * other updates, and deletes while the cluster exists.
 */
export class CreateChangeApprovals1782000000080 implements MigrationInterface {
  readonly name = 'CreateChangeApprovals1782000000080';

  async up(queryRunner: QueryRunner): Promise<void> {
    // asked is the request, from which the change is planned again; preview is what was shown for the revision.
    await queryRunner.query(`
      create table asked_changes (
        cluster_id bigint not null,
        id uuid not null,
        sequence bigint not null,
        asked_at timestamptz not null,
        approve_by timestamptz not null,
        author text not null,
        idempotency_key text,
        request_hash text,
        asked text not null,
        state text not null,
        round integer not null,
        revision integer not null,
        preview text not null,
        constraint asked_changes_pk primary key (cluster_id, id),
        constraint asked_changes_said_once unique (cluster_id, author, idempotency_key),
        constraint asked_changes_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query('create index asked_changes_by_sequence on asked_changes (cluster_id, sequence)');
    await queryRunner.query('create index asked_changes_by_time on asked_changes (state, approve_by)');
    await queryRunner.query(`
      create table change_votes (
        cluster_id bigint not null,
        change_id uuid not null,
        number integer not null,
        round integer not null,
        decision text not null,
        details text not null,
        said_at timestamptz not null,
        constraint change_votes_pk primary key (cluster_id, change_id, number),
        constraint change_votes_change_fk foreign key (cluster_id, change_id)
          references asked_changes (cluster_id, id) on delete cascade
      )`);
    for (const [table, later] of [
      ['asked_changes', LATER],
      ['change_votes', []],
    ] as const) {
      const columns = (await queryRunner.query(
        `select quote_ident(attname) as name from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> all($2)
         order by attnum`,
        [table, later],
      )) as { name: string }[];
      await queryRunner.query(`
        create trigger ${table}_not_changed before update of ${columns.map(({ name }) => name).join(', ')} on ${table}
        for each row execute function refuse_change_of_taint_change()`);
      await queryRunner.query(`
        create constraint trigger ${table}_not_removed after delete on ${table} deferrable initially deferred
        for each row execute function refuse_removal_of_taint_change()`);
      await queryRunner.query(`
        create trigger ${table}_not_truncated before truncate on ${table}
        for each statement execute function refuse_change_of_taint_change()`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table change_votes');
    await queryRunner.query('drop table asked_changes');
  }
}
