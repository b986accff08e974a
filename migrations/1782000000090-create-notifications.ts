import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the rules of notifications, the queue of each rule and cluster, and what is sent. Receivers are encrypted. */
export class CreateNotifications1782000000090 implements MigrationInterface {
  readonly name = 'CreateNotifications1782000000090';

  async up(queryRunner: QueryRunner): Promise<void> {
    // cluster_id is null for a rule about all clusters. details is JSON; receiver has the URL, the secret and the headers, encrypted.
    await queryRunner.query(`
      create table notification_rules (
        id bigint generated always as identity,
        cluster_id bigint,
        name text collate "C" not null,
        details text not null,
        receiver text not null,
        created_at timestamptz not null,
        created_by text not null,
        changed_at timestamptz not null,
        changed_by text not null,
        stopped_at timestamptz,
        stopped_reason text,
        constraint notification_rules_pk primary key (id),
        constraint notification_rules_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query(
      'create unique index notification_rules_of_cluster on notification_rules (cluster_id, name) where cluster_id is not null',
    );
    await queryRunner.query(
      'create unique index notification_rules_of_all on notification_rules (name) where cluster_id is null',
    );
    // Up to where the history of a cluster was turned into deliveries, and which replica does that. sources is JSON.
    await queryRunner.query(`
      create table notification_progress (
        cluster_id bigint not null,
        revision integer not null,
        sequence bigint not null,
        turn bigint not null,
        due_revision integer not null,
        due_until timestamptz not null,
        sources text not null,
        holder text,
        leased_until timestamptz,
        constraint notification_progress_pk primary key (cluster_id),
        constraint notification_progress_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    // From where a rule tells of a cluster, and when it is tried next after a failure.
    await queryRunner.query(`
      create table notification_queues (
        rule_id bigint not null,
        cluster_id bigint not null,
        revision integer not null,
        sequence bigint not null,
        turn bigint not null,
        since timestamptz not null,
        failures integer not null,
        not_before timestamptz,
        constraint notification_queues_pk primary key (rule_id, cluster_id),
        constraint notification_queues_rule_fk foreign key (rule_id) references notification_rules (id) on delete cascade,
        constraint notification_queues_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query(
      'create index notification_queues_waiting on notification_queues (not_before) where not_before is not null',
    );
    // event is JSON. position is the place among those of the rule and cluster that wait.
    await queryRunner.query(`
      create table notification_deliveries (
        id bigint generated always as identity,
        rule_id bigint not null,
        cluster_id bigint not null,
        position bigint not null,
        kind text not null,
        event text not null,
        state text not null,
        created_at timestamptz not null,
        waiting_since timestamptz not null,
        attempts integer not null,
        attempted_at timestamptz,
        status integer,
        error text,
        finished_at timestamptz,
        constraint notification_deliveries_pk primary key (id),
        constraint notification_deliveries_rule_fk foreign key (rule_id) references notification_rules (id) on delete cascade,
        constraint notification_deliveries_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
    await queryRunner.query(
      `create index notification_deliveries_waiting on notification_deliveries (rule_id, cluster_id, position) where state = 'waiting'`,
    );
    await queryRunner.query(
      'create index notification_deliveries_of_cluster on notification_deliveries (cluster_id, id)',
    );
    await queryRunner.query(
      `create index notification_deliveries_finished on notification_deliveries (finished_at) where state <> 'waiting'`,
    );
    // What a rule has told of and has not told the end of. event is JSON.
    await queryRunner.query(`
      create table notification_conditions (
        rule_id bigint not null,
        cluster_id bigint not null,
        kind text not null,
        subject text collate "C" not null,
        version text not null,
        event text not null,
        told_at timestamptz not null,
        constraint notification_conditions_pk primary key (rule_id, cluster_id, kind, subject),
        constraint notification_conditions_rule_fk foreign key (rule_id) references notification_rules (id) on delete cascade,
        constraint notification_conditions_cluster_fk foreign key (cluster_id) references clusters (id) on delete cascade
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table notification_conditions');
    await queryRunner.query('drop table notification_deliveries');
    await queryRunner.query('drop table notification_queues');
    await queryRunner.query('drop table notification_progress');
    await queryRunner.query('drop table notification_rules');
  }
}
