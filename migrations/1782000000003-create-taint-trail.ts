import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the trail of taint changes and the tables that it is derived from.
 *
 * `taint_trail` is append-only for everyone except its owner: a trigger rejects updates and deletes, and no row references its
 * cluster, which it outlives. All other tables of this migration can be rebuilt from the trail or from the cluster, and are
 * deleted with the cluster.
 */
export class CreateTaintTrail1782000000003 implements MigrationInterface {
  readonly name = 'CreateTaintTrail1782000000003';

  async up(queryRunner: QueryRunner): Promise<void> {
    // content is the canonical JSON that the hash covers, stored verbatim; the columns repeat its searchable members.
    await queryRunner.query(`
      create table taint_trail (
        cluster_id bigint not null,
        sequence bigint not null,
        cluster_name text collate "C" not null,
        recorded_at timestamptz not null,
        revision integer,
        kind text not null,
        node text collate "C",
        change_id uuid,
        happened_from timestamptz,
        happened_at timestamptz not null,
        author text,
        channel text,
        taint_keys text array not null,
        effects text array not null,
        hash text not null,
        content text not null,
        constraint taint_trail_pk primary key (cluster_id, sequence)
      )`);
    await queryRunner.query('create index taint_trail_by_node on taint_trail (cluster_id, node, sequence)');
    await queryRunner.query('create index taint_trail_by_time on taint_trail (cluster_id, happened_at, sequence)');
    await queryRunner.query('create index taint_trail_by_name on taint_trail (cluster_name, cluster_id, sequence)');
    await queryRunner.query('create index taint_trail_by_change on taint_trail (cluster_id, change_id, sequence)');
    await queryRunner.query('create index taint_trail_by_author on taint_trail (cluster_id, author, sequence)');
    await queryRunner.query('create index taint_trail_by_key on taint_trail using gin (taint_keys)');
    await queryRunner.query(`
      create function refuse_change_of_trail() returns trigger language plpgsql as $$
      begin
        raise exception 'the taint trail is append only: % is refused', tg_op using errcode = 'restrict_violation';
      end $$`);
    await queryRunner.query(`
      create trigger taint_trail_append_only before update or delete on taint_trail
      for each row execute function refuse_change_of_trail()`);
    await queryRunner.query(`
      create trigger taint_trail_not_truncated before truncate on taint_trail
      for each statement execute function refuse_change_of_trail()`);

    await queryRunner.query(`
      create table taint_trail_superseded (
        cluster_id bigint not null,
        sequence bigint not null,
        by_sequence bigint not null,
        constraint taint_trail_superseded_pk primary key (cluster_id, sequence)
      )`);

    await queryRunner.query(`
      create table taint_changes (
        cluster_id bigint not null,
        id uuid not null,
        revision integer not null,
        sequence bigint not null,
        made_at timestamptz not null,
        action text not null,
        author text not null,
        idempotency_key text,
        request_hash text,
        undoes uuid,
        undone_by uuid,
        expires_at timestamptz,
        expiry text,
        details text not null,
        outcomes text not null,
        constraint taint_changes_pk primary key (cluster_id, id),
        constraint taint_changes_said_once unique (cluster_id, author, idempotency_key)
      )`);
    await queryRunner.query('create index taint_changes_by_sequence on taint_changes (cluster_id, sequence)');
    await queryRunner.query('create index taint_changes_by_expiry on taint_changes (expiry, expires_at)');

    await queryRunner.query(`
      create table node_intents (
        cluster_id bigint not null,
        node text collate "C" not null,
        change_id uuid not null,
        sequence bigint not null,
        made_at timestamptz not null,
        author text not null,
        difference text not null,
        labels text,
        status text not null,
        said_by text,
        constraint node_intents_pk primary key (cluster_id, node, change_id)
      )`);
    await queryRunner.query('create index node_intents_by_change on node_intents (cluster_id, change_id)');
    await queryRunner.query(`
      create table observed_nodes (
        cluster_id bigint not null,
        node text collate "C" not null,
        valid_from integer not null,
        valid_to integer,
        uid text,
        hash bytea not null,
        content text not null,
        constraint observed_nodes_pk primary key (cluster_id, node, valid_from)
      )`);

    await queryRunner.query('alter table revisions add column unconfirmed_nodes integer not null default 0');

    await queryRunner.query(`
      create table node_sightings (
        cluster_id bigint not null,
        captured_at timestamptz not null,
        revision integer not null,
        constraint node_sightings_pk primary key (cluster_id, captured_at, revision)
      )`);
    await queryRunner.query(`
      create table node_observations (
        cluster_id bigint not null,
        node text collate "C" not null,
        captured_at timestamptz not null,
        revision integer not null,
        content text not null,
        constraint node_observations_pk primary key (cluster_id, node, captured_at, revision)
      )`);
    await queryRunner.query(`
      create table node_audit_events (
        cluster_id bigint not null,
        node text collate "C" not null,
        hash text not null,
        happened_at timestamptz not null,
        content text not null,
        constraint node_audit_events_pk primary key (cluster_id, node, hash)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [
      'node_audit_events',
      'node_observations',
      'node_sightings',
      'observed_nodes',
      'node_intents',
      'taint_changes',
      'taint_trail_superseded',
      'taint_trail',
    ]) {
      await queryRunner.query(`drop table ${table}`);
    }
    await queryRunner.query('drop function refuse_change_of_trail()');
    await queryRunner.query('alter table revisions drop column unconfirmed_nodes');
    // The records of taint changes are gone, so their revisions become plain restatements.
    await queryRunner.query(`update revisions set kind = 'restatement' where kind = 'taintChange'`);
  }
}
