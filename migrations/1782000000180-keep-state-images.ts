import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the states of clusters in the form that they have in memory, so that they are loaded without reading each object. */
export class KeepStateImages1782000000180 implements MigrationInterface {
  readonly name = 'KeepStateImages1782000000180';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Part 0 says in JSON what the others are; these are compressed, and made from the objects of the revision.
    await queryRunner.query(`
      create table state_images (
        cluster_id bigint not null,
        part integer not null,
        revision integer not null,
        form integer not null,
        content bytea not null,
        constraint state_images_pk primary key (cluster_id, part),
        constraint state_images_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query('alter table state_images alter column content set storage external');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table state_images');
  }
}
