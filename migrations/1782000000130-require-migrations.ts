import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RequireMigrations1782000000130 implements MigrationInterface {
  readonly name = 'RequireMigrations1782000000130';

  async up(queryRunner: QueryRunner): Promise<void> {
    // The migrations that a version must know to work with the tables. A version starts on a database with unknown migrations if
    // none of them is here: one that only adds leaves the versions before it in working order. One that takes away adds its name.
    await queryRunner.query(`
      create table schema_requirements (
        migration text not null,
        constraint schema_requirements_pk primary key (migration)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table schema_requirements');
  }
}
