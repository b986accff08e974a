import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates tickets that open one stream each, for browsers, which cannot send a token with an EventSource. Only their hashes
 * are stored.
 */
export class CreateStreamTickets1782000000021 implements MigrationInterface {
  readonly name = 'CreateStreamTickets1782000000021';

  async up(queryRunner: QueryRunner): Promise<void> {
    // caller is JSON: the identity that the ticket represents.
    await queryRunner.query(`
      create table stream_tickets (
        ticket_hash bytea not null,
        caller text not null,
        expires_at timestamptz not null,
        constraint stream_tickets_pk primary key (ticket_hash)
      )`);
    await queryRunner.query('create index stream_tickets_by_expiry on stream_tickets (expires_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table stream_tickets');
  }
}
