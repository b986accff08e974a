import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/*
 * The tables of the trail. They are written and read by SQL; the mapping exists to check the schema. The writers document the
 * columns: `trail-writer.ts`, `taint-change-store.ts`, `evidence-store.ts`.
 */

@Entity('taint_trail')
@Index('taint_trail_by_node', ['clusterId', 'node', 'sequence'])
@Index('taint_trail_by_time', ['clusterId', 'happenedAt', 'sequence'])
@Index('taint_trail_by_name', ['clusterName', 'clusterId', 'sequence'])
@Index('taint_trail_by_change', ['clusterId', 'changeId', 'sequence'])
@Index('taint_trail_by_author', ['clusterId', 'author', 'sequence'])
// A GIN index, which the mapping does not support.
@Index('taint_trail_by_key', { synchronize: false })
export class TaintTrailEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'taint_trail_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'taint_trail_pk' })
  sequence!: string;

  @Column({ type: 'text', collation: 'C', name: 'cluster_name' })
  clusterName!: string;

  @Column({ type: 'timestamptz', name: 'recorded_at' })
  recordedAt!: Date;

  @Column({ type: 'integer', nullable: true })
  revision!: number | null;

  @Column({ type: 'text' })
  kind!: string;

  @Column({ type: 'text', collation: 'C', nullable: true })
  node!: string | null;

  @Column({ type: 'uuid', name: 'change_id', nullable: true })
  changeId!: string | null;

  @Column({ type: 'timestamptz', name: 'happened_from', nullable: true })
  happenedFrom!: Date | null;

  @Column({ type: 'timestamptz', name: 'happened_at' })
  happenedAt!: Date;

  @Column({ type: 'text', nullable: true })
  author!: string | null;

  @Column({ type: 'text', nullable: true })
  channel!: string | null;

  @Column({ type: 'text', name: 'taint_keys', array: true })
  taintKeys!: string[];

  @Column({ type: 'text', array: true })
  effects!: string[];

  @Column({ type: 'text' })
  hash!: string;

  @Column({ type: 'text' })
  content!: string;
}

@Entity('taint_trail_superseded')
export class TaintTrailSupersededEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'taint_trail_superseded_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'taint_trail_superseded_pk' })
  sequence!: string;

  @Column({ type: 'bigint', name: 'by_sequence' })
  bySequence!: string;
}

@Entity('taint_changes')
@Unique('taint_changes_said_once', ['clusterId', 'author', 'idempotencyKey'])
@Index('taint_changes_by_sequence', ['clusterId', 'sequence'])
@Index('taint_changes_by_expiry', ['expiry', 'expiresAt'])
@Index('taint_changes_by_undone', ['clusterId', 'undoes', 'sequence'], { where: 'undoes is not null' })
export class TaintChangeEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'taint_changes_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'taint_changes_pk' })
  id!: string;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'bigint' })
  sequence!: string;

  @Column({ type: 'timestamptz', name: 'made_at' })
  madeAt!: Date;

  @Column({ type: 'text' })
  action!: string;

  @Column({ type: 'text' })
  author!: string;

  @Column({ type: 'text', name: 'idempotency_key', nullable: true })
  idempotencyKey!: string | null;

  @Column({ type: 'text', name: 'request_hash', nullable: true })
  requestHash!: string | null;

  @Column({ type: 'uuid', nullable: true })
  undoes!: string | null;

  @Column({ type: 'uuid', name: 'undone_by', nullable: true })
  undoneBy!: string | null;

  @Column({ type: 'timestamptz', name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  expiry!: string | null;

  @Column({ type: 'text' })
  details!: string;

  @Column({ type: 'text' })
  outcomes!: string;
}

@Entity('node_intents')
@Index('node_intents_by_change', ['clusterId', 'changeId'])
export class NodeIntentEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'node_intents_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'node_intents_pk' })
  node!: string;

  @PrimaryColumn({ type: 'uuid', name: 'change_id', primaryKeyConstraintName: 'node_intents_pk' })
  changeId!: string;

  @Column({ type: 'bigint' })
  sequence!: string;

  @Column({ type: 'timestamptz', name: 'made_at' })
  madeAt!: Date;

  @Column({ type: 'text' })
  author!: string;

  @Column({ type: 'text' })
  difference!: string;

  @Column({ type: 'text', nullable: true })
  labels!: string | null;

  @Column({ type: 'text' })
  status!: string;

  @Column({ type: 'text', name: 'said_by', nullable: true })
  saidBy!: string | null;
}

@Entity('observed_nodes')
export class ObservedNodeEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'observed_nodes_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'observed_nodes_pk' })
  node!: string;

  @PrimaryColumn({ type: 'integer', name: 'valid_from', primaryKeyConstraintName: 'observed_nodes_pk' })
  validFrom!: number;

  @Column({ type: 'integer', name: 'valid_to', nullable: true })
  validTo!: number | null;

  @Column({ type: 'text', nullable: true })
  uid!: string | null;

  @Column({ type: 'bytea' })
  hash!: Buffer;

  @Column({ type: 'text' })
  content!: string;
}

@Entity('node_sightings')
export class NodeSightingEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'node_sightings_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'timestamptz', name: 'captured_at', primaryKeyConstraintName: 'node_sightings_pk' })
  capturedAt!: Date;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'node_sightings_pk' })
  revision!: number;
}

@Entity('device_taint_rule_sightings')
export class DeviceTaintRuleSightingEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'device_taint_rule_sightings_pk' })
  clusterId!: string;

  @PrimaryColumn({
    type: 'timestamptz',
    name: 'captured_at',
    primaryKeyConstraintName: 'device_taint_rule_sightings_pk',
  })
  capturedAt!: Date;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'device_taint_rule_sightings_pk' })
  revision!: number;
}

@Entity('node_observations')
export class NodeObservationEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'node_observations_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'node_observations_pk' })
  node!: string;

  @PrimaryColumn({ type: 'timestamptz', name: 'captured_at', primaryKeyConstraintName: 'node_observations_pk' })
  capturedAt!: Date;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'node_observations_pk' })
  revision!: number;

  @Column({ type: 'text' })
  content!: string;
}

@Entity('node_audit_events')
export class NodeAuditEventEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'node_audit_events_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'node_audit_events_pk' })
  node!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'node_audit_events_pk' })
  hash!: string;

  @Column({ type: 'timestamptz', name: 'happened_at' })
  happenedAt!: Date;

  @Column({ type: 'text' })
  content!: string;
}
