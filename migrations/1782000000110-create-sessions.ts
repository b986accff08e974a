import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the sessions of people who logged in with a browser. Only hashes of the ids in their cookies are stored. */
export class CreateSessions1782000000110 implements MigrationInterface {
  readonly name = 'CreateSessions1782000000110';

  async up(queryRunner: QueryRunner): Promise<void> {
    // caller is JSON: the identity that the provider vouched for.
    await queryRunner.query(`
      create table sessions (
        session_hash bytea not null,
        caller text not null,
        expires_at timestamptz not null,
        constraint sessions_pk primary key (session_hash)
      )`);
    await queryRunner.query('create index sessions_by_expiry on sessions (expires_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table sessions');
  }
}
