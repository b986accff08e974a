import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates who follows each cluster, and until when its head is known to be current. */
export class CreateClusterFollows1782000000061 implements MigrationInterface {
  readonly name = 'CreateClusterFollows1782000000061';

  async up(queryRunner: QueryRunner): Promise<void> {
    // holder and leased_until are null where no replica follows: an agent outside sends deltas.
    await queryRunner.query(`
      create table cluster_follows (
        cluster_id bigint not null,
        holder text,
        leased_until timestamptz,
        current_at timestamptz,
        constraint cluster_follows_pk primary key (cluster_id),
        constraint cluster_follows_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table cluster_follows');
  }
}
