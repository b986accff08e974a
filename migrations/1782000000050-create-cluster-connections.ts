import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the connections to the API servers of clusters. Credentials are encrypted. */
export class CreateClusterConnections1782000000050 implements MigrationInterface {
  readonly name = 'CreateClusterConnections1782000000050';

  async up(queryRunner: QueryRunner): Promise<void> {
    // details is JSON without credentials. secret is null for the service account of the service.
    await queryRunner.query(`
      create table cluster_connections (
        cluster_id bigint not null,
        details text not null,
        secret text,
        created_at timestamptz not null,
        created_by text not null,
        constraint cluster_connections_pk primary key (cluster_id),
        constraint cluster_connections_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table cluster_connections');
  }
}
