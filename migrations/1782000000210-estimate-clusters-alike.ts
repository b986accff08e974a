import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets the planner take a cluster that came after the last statistics for one of average size. It knew the share of each of the others, and
 * took what was left for the new one: a single row, of which any index of the cluster seemed as good as the key. So each key of a delta or a
 * change of taints was looked for among all objects of the cluster (9 ms of 30,000), until autovacuum came.
 */
export class EstimateClustersAlike1782000000210 implements MigrationInterface {
  readonly name = 'EstimateClustersAlike1782000000210';

  async up(queryRunner: QueryRunner): Promise<void> {
    // The share of the largest cluster alone is kept. Citus has no such command for tables that are distributed already.
    await queryRunner.query(`
      do $$ begin
        alter table object_versions alter column cluster_id set statistics 1;
      exception when feature_not_supported then null;
      end $$`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      do $$ begin
        alter table object_versions alter column cluster_id set statistics -1;
      exception when feature_not_supported then null;
      end $$`);
  }
}
