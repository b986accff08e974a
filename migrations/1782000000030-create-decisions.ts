import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the recorded decisions. No row references its cluster, which it outlives, and a trigger rejects updates: a decision is
 * only ever added, and removed by retention.
 */
export class CreateDecisions1782000000030 implements MigrationInterface {
  readonly name = 'CreateDecisions1782000000030';

  async up(queryRunner: QueryRunner): Promise<void> {
    // question and answer are canonical JSON, which the hashes cover, stored verbatim. They, reasons and taint_values are text and not
    // jsonb, since they are never searched and may contain strings that jsonb rejects. Postgres compresses them beyond 2 kB.
    await queryRunner.query(`
      create table decisions (
        cluster_id bigint not null,
        sequence bigint generated always as identity,
        id uuid not null,
        cluster_name text collate "C" not null,
        revision integer not null,
        rules_version text not null,
        asked_at timestamptz not null,
        caller text collate "C" not null,
        caller_kind text not null,
        caller_issuer text,
        type text not null,
        verdict text not null,
        summary text not null,
        workloads jsonb not null,
        reasons text not null,
        taint_values text not null,
        question_hash text not null,
        question text,
        withheld_values integer not null,
        answer_hash text not null,
        answer text,
        constraint decisions_pk primary key (cluster_id, sequence),
        constraint decisions_id_unique unique (id)
      )`);
    await queryRunner.query('create index decisions_by_name on decisions (cluster_name, sequence)');
    await queryRunner.query('create index decisions_by_caller on decisions (cluster_name, caller, sequence)');
    await queryRunner.query('create index decisions_by_time on decisions (cluster_id, asked_at)');
    await queryRunner.query('create index decisions_by_workload on decisions using gin (workloads jsonb_path_ops)');
    await queryRunner.query(`
      create function refuse_change_of_decision() returns trigger language plpgsql as $$
      begin
        raise exception 'a recorded decision stays as it is: % is refused', tg_op using errcode = 'restrict_violation';
      end $$`);
    await queryRunner.query(`
      create trigger decisions_not_changed before update on decisions
      for each row execute function refuse_change_of_decision()`);
    await queryRunner.query(`
      create trigger decisions_not_truncated before truncate on decisions
      for each statement execute function refuse_change_of_decision()`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table decisions');
    await queryRunner.query('drop function refuse_change_of_decision()');
  }
}
