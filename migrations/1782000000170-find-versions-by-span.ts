import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the objects of a past revision, whatever the length of the history. The versions that are valid at a revision began before it and
 * ended after it, which no index of the beginning or the end alone finds: half of the history began before, and half of it ends after. An
 * index by how long a version was valid (in classes that each are 3.2 times as long as the one before) bounds the beginning from both sides.
 */
export class FindVersionsBySpan1782000000170 implements MigrationInterface {
  readonly name = 'FindVersionsBySpan1782000000170';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index object_versions_by_span on object_versions
        (cluster_id, (floor(log(greatest(valid_to - valid_from, 1)::double precision) * 2)::integer), valid_from)
      where valid_to is not null`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index object_versions_by_span');
  }
}
