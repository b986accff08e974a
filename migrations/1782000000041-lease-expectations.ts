import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records which replica evaluates the expectations of a cluster, and until when no other one does. */
export class LeaseExpectations1782000000041 implements MigrationInterface {
  readonly name = 'LeaseExpectations1782000000041';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table expectation_progress add column holder text, add column leased_until timestamptz',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table expectation_progress drop column holder, drop column leased_until');
  }
}
