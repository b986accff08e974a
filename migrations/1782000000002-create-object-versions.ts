import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the object versions: one row per version of an object, valid from one revision up to (not including) another.
 * `valid_to` is null while the version belongs to the head.
 *
 * `content` is text, not jsonb: it loads three times as fast and is stored verbatim, and `content::jsonb` is enough for the
 * occasional search. There is no foreign key to clusters, because its check per row would cost as much as the load itself.
 * Deleting a cluster deletes its versions in the same transaction.
 */
export class CreateObjectVersions1782000000002 implements MigrationInterface {
  readonly name = 'CreateObjectVersions1782000000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table object_versions (
        cluster_id bigint not null,
        kind text collate "C" not null,
        namespace text collate "C" not null,
        name text collate "C" not null,
        uid text,
        hash bytea not null,
        valid_from integer not null,
        valid_to integer,
        content text not null,
        constraint object_versions_pk primary key (cluster_id, kind, namespace, name, valid_from)
      )`);
    // Finds the head (valid_to is null), the versions that a revision ended, and those that retention may remove.
    await queryRunner.query('create index object_versions_by_end on object_versions (cluster_id, valid_to)');
    // Finds the versions that a revision added.
    await queryRunner.query('create index object_versions_by_start on object_versions (cluster_id, valid_from)');
    // By default, the planner would not see a large snapshot until a fifth of the table has changed.
    await queryRunner.query(`
      alter table object_versions set (
        autovacuum_analyze_scale_factor = 0.02,
        autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_insert_scale_factor = 0.05
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // Without their objects, revisions would show empty clusters, so the history starts over.
    await queryRunner.query('drop table object_versions');
    await queryRunner.query('delete from revisions');
    await queryRunner.query('update clusters set head_revision = 0');
  }
}
