import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The objects: one row a content, valid from one revision up to (not including) another; `valid_to` is null while the head
 * has it.
 *
 * `content` is text, not jsonb: it loads three times as fast, comes back to the letter, and `content::jsonb` serves the
 * occasional search. There is no foreign key to clusters: its check, row by row, would cost as much as the load itself;
 * whoever deletes a cluster deletes its versions in the same transaction.
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
    // The head (valid_to is null), what a revision closed, and what retention may remove.
    await queryRunner.query('create index object_versions_by_end on object_versions (cluster_id, valid_to)');
    // What a revision brought.
    await queryRunner.query('create index object_versions_by_start on object_versions (cluster_id, valid_from)');
    // A big snapshot must not wait for a fifth of the table to change before the planner hears of it.
    await queryRunner.query(`
      alter table object_versions set (
        autovacuum_analyze_scale_factor = 0.02,
        autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_insert_scale_factor = 0.05
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // Without their objects revisions would show empty clusters: heads start again.
    await queryRunner.query('drop table object_versions');
    await queryRunner.query('delete from revisions');
    await queryRunner.query('update clusters set head_revision = 0');
  }
}
