import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates clusters and their revisions without the objects. */
export class CreateClusters1782000000001 implements MigrationInterface {
  readonly name = 'CreateClusters1782000000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table clusters (
        id bigint generated always as identity constraint clusters_pk primary key,
        name text collate "C" not null constraint clusters_name_unique unique,
        labels jsonb not null default '{}',
        created_at timestamptz not null default now(),
        head_revision integer not null default 0
      )`);
    // stats and findings are json, not jsonb: they are stored verbatim and never searched, and may contain strings
    // (lone surrogates) that jsonb rejects.
    await queryRunner.query(`
      create table revisions (
        cluster_id bigint not null,
        number integer not null,
        kind text not null,
        captured_at timestamptz not null,
        received_at timestamptz not null,
        backfill boolean not null,
        source text,
        author text,
        scope jsonb not null,
        loaded_kinds text array not null,
        kubernetes_version text,
        stats json not null,
        findings json not null,
        counts jsonb not null,
        constraint revisions_pk primary key (cluster_id, number),
        constraint revisions_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query('create index revisions_by_capture on revisions (cluster_id, captured_at, number)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table revisions');
    await queryRunner.query('drop table clusters');
  }
}
