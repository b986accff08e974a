import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records up to which case of the ledger of predictions the rules of notifications have told. */
export class TellDisagreements1782000000091 implements MigrationInterface {
  readonly name = 'TellDisagreements1782000000091';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table notification_progress drop column sources, add column case_number bigint not null default 0',
    );
    await queryRunner.query('alter table notification_progress alter column case_number drop default');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `alter table notification_progress drop column case_number, add column sources text not null default '{}'`,
    );
    await queryRunner.query('alter table notification_progress alter column sources drop default');
  }
}
