import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps what questions to many clusters need of their states, so that they are answered without loading states. */
export class KeepStateDigests1782000000160 implements MigrationInterface {
  readonly name = 'KeepStateDigests1782000000160';

  async up(queryRunner: QueryRunner): Promise<void> {
    // head, withheld and the compressed blocks of content are JSON, computed from a revision under rules by a version of the service.
    await queryRunner.query(`
      create table state_digests (
        cluster_id bigint not null,
        digest text not null,
        revision integer not null,
        rules text not null,
        version text not null,
        head text not null,
        content bytea not null,
        withheld text not null,
        constraint state_digests_pk primary key (cluster_id, digest),
        constraint state_digests_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    // Without compression by Postgres, a part of it is read without the rest.
    await queryRunner.query('alter table state_digests alter column content set storage external');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table state_digests');
  }
}
