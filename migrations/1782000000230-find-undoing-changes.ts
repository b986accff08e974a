import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the change that takes another one back. The verification of a trail looks for it for each change: without an index, among all
 * changes of the cluster.
 */
export class FindUndoingChanges1782000000230 implements MigrationInterface {
  readonly name = 'FindUndoingChanges1782000000230';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index taint_changes_by_undone on taint_changes (cluster_id, undoes, sequence) where undoes is not null`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index taint_changes_by_undone');
  }
}
