import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SeeDeviceTaintRules1782000000140 implements MigrationInterface {
  readonly name = 'SeeDeviceTaintRules1782000000140';

  async up(queryRunner: QueryRunner): Promise<void> {
    // The times at which all DeviceTaintRules were observed, as node_sightings for nodes. Their observations, audit events and
    // records are in the tables of the nodes, under a subject that no node has.
    await queryRunner.query(`
      create table device_taint_rule_sightings (
        cluster_id bigint not null,
        captured_at timestamptz not null,
        revision integer not null,
        constraint device_taint_rule_sightings_pk primary key (cluster_id, captured_at, revision)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table device_taint_rule_sightings');
  }
}
