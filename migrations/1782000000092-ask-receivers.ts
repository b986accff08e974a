import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps whether the receiver of a rule of notifications permits deliveries; rules of before were not asked. */
export class AskReceivers1782000000092 implements MigrationInterface {
  readonly name = 'AskReceivers1782000000092';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table notification_rules add column permission text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table notification_rules drop column permission');
  }
}
