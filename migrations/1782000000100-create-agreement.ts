import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the ledger of predictions beside what clusters did: counts by day, and the last cases that do not agree. */
export class CreateAgreement1782000000100 implements MigrationInterface {
  readonly name = 'CreateAgreement1782000000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    // cases is the number of the last case; cases are numbered in each cluster.
    await queryRunner.query(`
      create table agreement_progress (
        cluster_id bigint not null,
        revision integer not null,
        cases bigint not null,
        holder text,
        leased_until timestamptz,
        constraint agreement_progress_pk primary key (cluster_id),
        constraint agreement_progress_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query(`
      create table agreement_days (
        cluster_id bigint not null,
        day date not null,
        scheduler text collate "C" not null,
        rule text collate "C" not null,
        agreed bigint not null,
        disagreed bigint not null,
        unknown bigint not null,
        constraint agreement_days_pk primary key (cluster_id, day, scheduler, rule),
        constraint agreement_days_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    // difference and reproduction are JSON; reproduction is what the conformance runner takes.
    await queryRunner.query(`
      create table agreement_cases (
        cluster_id bigint not null,
        number bigint not null,
        rule text collate "C" not null,
        outcome text not null,
        because text,
        scheduler text collate "C" not null,
        namespace text not null,
        name text not null,
        revision integer not null,
        captured_at timestamptz not null,
        words text not null,
        difference text,
        reproduction text,
        constraint agreement_cases_pk primary key (cluster_id, number),
        constraint agreement_cases_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query(
      'create index agreement_cases_by_rule on agreement_cases (cluster_id, outcome, rule, number)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table agreement_cases');
    await queryRunner.query('drop table agreement_days');
    await queryRunner.query('drop table agreement_progress');
  }
}
