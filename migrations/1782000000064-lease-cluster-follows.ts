import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets the replicas share the clusters that they follow, and says how each kind is doing. */
export class LeaseClusterFollows1782000000064 implements MigrationInterface {
  readonly name = 'LeaseClusterFollows1782000000064';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table cluster_follows add column status json');
    await queryRunner.query('create index cluster_follows_holder on cluster_follows (holder)');
    // Replicas that live, also those that follow no cluster yet.
    await queryRunner.query(`
      create table follow_replicas (
        holder text not null,
        seen_until timestamptz not null,
        constraint follow_replicas_pk primary key (holder)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table follow_replicas');
    await queryRunner.query('drop index cluster_follows_holder');
    await queryRunner.query('alter table cluster_follows drop column status');
  }
}
