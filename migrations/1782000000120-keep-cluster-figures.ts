import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the figures of each cluster, so that the fleet is read without loading states. */
export class KeepClusterFigures1782000000120 implements MigrationInterface {
  readonly name = 'KeepClusterFigures1782000000120';

  async up(queryRunner: QueryRunner): Promise<void> {
    // figures is JSON, computed from a revision by a version of the service.
    await queryRunner.query(`
      create table cluster_figures (
        cluster_id bigint not null,
        revision integer not null,
        version text not null,
        figures text not null,
        constraint cluster_figures_pk primary key (cluster_id),
        constraint cluster_figures_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table cluster_figures');
  }
}
