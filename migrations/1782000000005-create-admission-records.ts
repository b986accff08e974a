import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the records of what the webhooks added to pods and which pods they rejected. They are append-only for everyone
 * except the owner, like the trail of taint changes, and no row references its cluster, which it outlives.
 */
export class CreateAdmissionRecords1782000000005 implements MigrationInterface {
  readonly name = 'CreateAdmissionRecords1782000000005';

  async up(queryRunner: QueryRunner): Promise<void> {
    // content is JSON: the added operations, or the rejection message.
    await queryRunner.query(`
      create table admission_records (
        id bigint generated always as identity,
        cluster_id bigint not null,
        cluster_name text collate "C" not null,
        recorded_at timestamptz not null,
        revision integer not null,
        uid text not null,
        outcome text not null,
        operation text not null,
        namespace text collate "C" not null,
        pod text collate "C" not null,
        generate_name text not null,
        service_account text collate "C" not null,
        username text collate "C" not null,
        pools text array not null,
        content text not null,
        constraint admission_records_pk primary key (id)
      )`);
    await queryRunner.query('create index admission_records_by_cluster on admission_records (cluster_name, id)');
    await queryRunner.query(
      'create index admission_records_by_namespace on admission_records (cluster_name, namespace, id)',
    );
    await queryRunner.query(`
      create function refuse_change_of_admission_records() returns trigger language plpgsql as $$
      begin
        raise exception 'admission records are append only: % is refused', tg_op using errcode = 'restrict_violation';
      end $$`);
    await queryRunner.query(`
      create trigger admission_records_append_only before update or delete on admission_records
      for each row execute function refuse_change_of_admission_records()`);
    await queryRunner.query(`
      create trigger admission_records_not_truncated before truncate on admission_records
      for each statement execute function refuse_change_of_admission_records()`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table admission_records');
    await queryRunner.query('drop function refuse_change_of_admission_records()');
  }
}
