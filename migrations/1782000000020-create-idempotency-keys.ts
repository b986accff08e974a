import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the stored responses to writes with an `Idempotency-Key`, so that a retry gets the same response and writes nothing.
 * Expired rows are deleted.
 */
export class CreateIdempotencyKeys1782000000020 implements MigrationInterface {
  readonly name = 'CreateIdempotencyKeys1782000000020';

  async up(queryRunner: QueryRunner): Promise<void> {
    // status is null while the request is in progress, at most until leased_until, which the request may extend.
    await queryRunner.query(`
      create table idempotency_keys (
        caller text collate "C" not null,
        key text collate "C" not null,
        request_hash bytea not null,
        claim uuid not null,
        leased_until timestamptz not null,
        expires_at timestamptz not null,
        status integer,
        headers text,
        body bytea,
        constraint idempotency_keys_pk primary key (caller, key)
      )`);
    await queryRunner.query('create index idempotency_keys_by_expiry on idempotency_keys (expires_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table idempotency_keys');
  }
}
