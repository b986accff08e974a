import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the stored answers to requests for taint changes with an `Idempotency-Key` that changed nothing: a retry gets the same answer, also
 * if the taints have been changed since. A request that makes a change is stored with the change. Expired rows are deleted.
 */
export class KeepUnchangingAnswers1782000000220 implements MigrationInterface {
  readonly name = 'KeepUnchangingAnswers1782000000220';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table unchanging_answers (
        cluster_id bigint not null,
        author text not null,
        idempotency_key text not null,
        request_hash text not null,
        expires_at timestamptz not null,
        answer text not null,
        constraint unchanging_answers_pk primary key (cluster_id, author, idempotency_key),
        constraint unchanging_answers_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query('create index unchanging_answers_by_expiry on unchanging_answers (cluster_id, expires_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table unchanging_answers');
  }
}
