import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records the authenticated caller of a webhook in addition to the user named in the AdmissionReview, which any caller can
 * forge. The column is null in older records and in those of replicas that run the previous version.
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
