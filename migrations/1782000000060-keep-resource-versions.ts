import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keeps the resourceVersion of each object, the resourceVersions that a revision rests on, and how far each kind of a cluster is
 * known.
 */
export class KeepResourceVersions1782000000060 implements MigrationInterface {
  readonly name = 'KeepResourceVersions1782000000060';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table object_versions add column resource_version text');
    await queryRunner.query(`alter table revisions add column resource_versions jsonb not null default '{}'`);
    // count and hash are those of the stored objects; null until a delta needs them. stream and sequence name the delta that
    // moved the position; they are null after a snapshot.
    await queryRunner.query(`
      create table kind_positions (
        cluster_id bigint not null,
        kind text collate "C" not null,
        resource_version text,
        count integer,
        hash text,
        snapshot_needed boolean not null default false,
        stream text,
        sequence bigint,
        constraint kind_positions_pk primary key (cluster_id, kind),
        constraint kind_positions_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    // answer is that of the last delta, for a sender that did not receive it. superseded has the former streams.
    await queryRunner.query(`
      create table delta_streams (
        cluster_id bigint not null,
        stream text not null,
        sequence bigint not null,
        captured_at timestamptz not null,
        answer json not null,
        superseded text array not null default '{}',
        constraint delta_streams_pk primary key (cluster_id),
        constraint delta_streams_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table delta_streams');
    await queryRunner.query('drop table kind_positions');
    await queryRunner.query('alter table revisions drop column resource_versions');
    await queryRunner.query('alter table object_versions drop column resource_version');
  }
}
