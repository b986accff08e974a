import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who called a webhook, by its token, beside the user that the AdmissionReview names: anybody who may call can name anybody.
 * Null in older records, and in those of replicas of the version before.
 */
export class RecordAdmissionCallers1782000000011 implements MigrationInterface {
  readonly name = 'RecordAdmissionCallers1782000000011';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table admission_records
        add column caller text collate "C",
        add column caller_kind text,
        add column caller_issuer text`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table admission_records drop column caller, drop column caller_kind, drop column caller_issuer',
    );
  }
}
