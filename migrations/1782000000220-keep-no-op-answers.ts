import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the stored responses to taint changes with an `Idempotency-Key` that changed nothing: a retry gets the same response, even if
 * the taints have changed since. The key of a change that was made is stored with the change. Expired rows are deleted.
 */
export class KeepNoOpAnswers1782000000220 implements MigrationInterface {
  readonly name = 'KeepNoOpAnswers1782000000220';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table no_op_answers (
        cluster_id bigint not null,
        author text not null,
        idempotency_key text not null,
        request_hash text not null,
        expires_at timestamptz not null,
        answer text not null,
        constraint no_op_answers_pk primary key (cluster_id, author, idempotency_key),
        constraint no_op_answers_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query('create index no_op_answers_by_expiry on no_op_answers (cluster_id, expires_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table no_op_answers');
  }
}
