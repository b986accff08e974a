import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the applications of taint changes: which changes are written to their clusters, how, and what became of each node. A row of a node
 * says `writing` with the version that is tested before the write is sent, so that no write is repeated blindly after a crash.
 */
export class ApplyTaintChanges1782000000070 implements MigrationInterface {
  readonly name = 'ApplyTaintChanges1782000000070';

  async up(queryRunner: QueryRunner): Promise<void> {
    // asked_by and options are JSON. next_at is null if there is nothing left to do.
    await queryRunner.query(`
      create table taint_change_applications (
        cluster_id bigint not null,
        change_id uuid not null,
        state text not null,
        asked_at timestamptz not null,
        asked_by text not null,
        options text not null,
        next_at timestamptz,
        ended_at timestamptz,
        message text,
        constraint taint_change_applications_pk primary key (cluster_id, change_id),
        constraint taint_change_applications_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query(
      'create index taint_change_applications_by_time on taint_change_applications (next_at, cluster_id)',
    );
    await queryRunner.query(`
      create table taint_change_application_nodes (
        cluster_id bigint not null,
        change_id uuid not null,
        position integer not null,
        node text collate "C" not null,
        uid text,
        state text not null,
        attempts integer not null default 0,
        tested_version text,
        resource_version text,
        code integer,
        message text,
        warnings text not null default '[]',
        changed_at timestamptz,
        constraint taint_change_application_nodes_pk primary key (cluster_id, change_id, position),
        constraint taint_change_application_nodes_fk foreign key (cluster_id, change_id)
          references taint_change_applications (cluster_id, change_id) on delete cascade
      )`);
    await queryRunner.query(`
      create table application_leases (
        cluster_id bigint not null,
        holder text not null,
        leased_until timestamptz not null,
        constraint application_leases_pk primary key (cluster_id),
        constraint application_leases_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['application_leases', 'taint_change_application_nodes', 'taint_change_applications']) {
      await queryRunner.query(`drop table ${table}`);
    }
  }
}
