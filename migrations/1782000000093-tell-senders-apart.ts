import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tells apart the deltas of this service, which follows a cluster, and those of others (agents), whose silence is a lost connection, too.
 * Of deltas of before it is not known: they count as this service's until the next one.
 */
export class TellSendersApart1782000000093 implements MigrationInterface {
  readonly name = 'TellSendersApart1782000000093';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table delta_streams add column own boolean not null default true');
    await queryRunner.query('alter table delta_streams alter column own drop default');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table delta_streams drop column own');
  }
}
