import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets replicas of two versions, which read images of different forms, each keep their own. */
export class KeyImagesByForm1782000000190 implements MigrationInterface {
  readonly name = 'KeyImagesByForm1782000000190';

  async up(queryRunner: QueryRunner): Promise<void> {
    // One by one, as a distributed table needs it.
    await queryRunner.query('alter table state_images drop constraint state_images_pk');
    await queryRunner.query(
      'alter table state_images add constraint state_images_pk primary key (cluster_id, form, part)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('delete from state_images');
    await queryRunner.query('alter table state_images drop constraint state_images_pk');
    await queryRunner.query('alter table state_images add constraint state_images_pk primary key (cluster_id, part)');
  }
}
