import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps what an asked change does to each node apart from the rest of its preview: lists do not need it, and it can be large. */
export class SplitAskedPreviews1782000000081 implements MigrationInterface {
  readonly name = 'SplitAskedPreviews1782000000081';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table asked_changes add column outcomes text not null default '[]'`);
    await queryRunner.query('alter table asked_changes alter column outcomes drop default');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table asked_changes drop column outcomes');
  }
}
