import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets one process at a time keep what is computed from the state of a cluster ahead of questions. */
export class TakeTurnsAtDigests1782000000200 implements MigrationInterface {
  readonly name = 'TakeTurnsAtDigests1782000000200';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Nobody takes the cluster again before "until".
    await queryRunner.query(`
      create table digest_turns (
        cluster_id bigint not null,
        until timestamptz not null,
        constraint digest_turns_pk primary key (cluster_id),
        constraint digest_turns_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table digest_turns');
  }
}
