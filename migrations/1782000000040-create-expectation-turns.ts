import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the verdicts of stored expectations: up to which revision they were evaluated, and when each turned. The expectations
 * themselves are settings.
 */
export class CreateExpectationTurns1782000000040 implements MigrationInterface {
  readonly name = 'CreateExpectationTurns1782000000040';

  async up(queryRunner: QueryRunner): Promise<void> {
    // verdicts is JSON: the verdict of each expectation on the revision.
    await queryRunner.query(`
      create table expectation_progress (
        cluster_id bigint not null,
        revision integer not null,
        turns bigint not null,
        verdicts text not null,
        constraint expectation_progress_pk primary key (cluster_id),
        constraint expectation_progress_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    // former is null where there was no verdict before. cause is JSON.
    await queryRunner.query(`
      create table expectation_turns (
        cluster_id bigint not null,
        turn bigint not null,
        name text collate "C" not null,
        revision integer not null,
        captured_at timestamptz not null,
        former text,
        verdict text not null,
        reason text not null,
        cause text,
        constraint expectation_turns_pk primary key (cluster_id, turn),
        constraint expectation_turns_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query('create index expectation_turns_by_name on expectation_turns (cluster_id, name, turn)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table expectation_turns');
    await queryRunner.query('drop table expectation_progress');
  }
}
