import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/** A rule of notifications. These tables are written and read by SQL; the mappings exist to check the schema. */
@Entity('notification_rules')
@Index('notification_rules_of_cluster', ['clusterId', 'name'], { unique: true, where: 'cluster_id is not null' })
@Index('notification_rules_of_all', ['name'], { unique: true, where: 'cluster_id is null' })
export class NotificationRuleEntity {
  @PrimaryColumn({
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'notification_rules_pk',
  })
  id!: string;

  @Column({ type: 'bigint', name: 'cluster_id', nullable: true })
  clusterId!: string | null;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'notification_rules_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'text', collation: 'C' })
  name!: string;

  @Column({ type: 'text' })
  details!: string;

  @Column({ type: 'text' })
  receiver!: string;

  @Column({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column({ type: 'text', name: 'created_by' })
  createdBy!: string;

  @Column({ type: 'timestamptz', name: 'changed_at' })
  changedAt!: Date;

  @Column({ type: 'text', name: 'changed_by' })
  changedBy!: string;

  @Column({ type: 'timestamptz', name: 'stopped_at', nullable: true })
  stoppedAt!: Date | null;

  @Column({ type: 'text', name: 'stopped_reason', nullable: true })
  stoppedReason!: string | null;

  @Column({ type: 'text', nullable: true })
  permission!: string | null;
}

/** Up to where the history of a cluster was turned into deliveries. */
@Entity('notification_progress')
export class NotificationProgressEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'notification_progress_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'notification_progress_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'bigint' })
  sequence!: string;

  @Column({ type: 'bigint' })
  turn!: string;

  @Column({ type: 'integer', name: 'due_revision' })
  dueRevision!: number;

  @Column({ type: 'timestamptz', name: 'due_until' })
  dueUntil!: Date;

  @Column({ type: 'bigint', name: 'case_number' })
  caseNumber!: string;

  @Column({ type: 'text', nullable: true })
  holder!: string | null;

  @Column({ type: 'timestamptz', name: 'leased_until', nullable: true })
  leasedUntil!: Date | null;
}

/** The queue of a rule for one cluster. */
@Entity('notification_queues')
@Index('notification_queues_waiting', ['notBefore'], { where: 'not_before is not null' })
export class NotificationQueueEntity {
  @PrimaryColumn({ type: 'bigint', name: 'rule_id', primaryKeyConstraintName: 'notification_queues_pk' })
  ruleId!: string;

  @ManyToOne(() => NotificationRuleEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'rule_id', foreignKeyConstraintName: 'notification_queues_rule_fk' })
  rule?: NotificationRuleEntity;

  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'notification_queues_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'notification_queues_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'bigint' })
  sequence!: string;

  @Column({ type: 'bigint' })
  turn!: string;

  @Column({ type: 'timestamptz' })
  since!: Date;

  @Column({ type: 'integer' })
  failures!: number;

  @Column({ type: 'timestamptz', name: 'not_before', nullable: true })
  notBefore!: Date | null;
}

/** An event for the receiver of a rule. */
@Entity('notification_deliveries')
@Index('notification_deliveries_waiting', ['ruleId', 'clusterId', 'position'], { where: "state = 'waiting'" })
@Index('notification_deliveries_finished', ['finishedAt'], { where: "state <> 'waiting'" })
export class NotificationDeliveryEntity {
  @Column({ type: 'bigint', name: 'rule_id' })
  ruleId!: string;

  @ManyToOne(() => NotificationRuleEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'rule_id', foreignKeyConstraintName: 'notification_deliveries_rule_fk' })
  rule?: NotificationRuleEntity;

  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'notification_deliveries_pk' })
  clusterId!: string;

  @PrimaryColumn({
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'notification_deliveries_pk',
  })
  id!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'notification_deliveries_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'bigint' })
  position!: string;

  @Column({ type: 'text' })
  kind!: string;

  @Column({ type: 'text' })
  event!: string;

  @Column({ type: 'text' })
  state!: string;

  @Column({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'waiting_since' })
  waitingSince!: Date;

  @Column({ type: 'integer' })
  attempts!: number;

  @Column({ type: 'timestamptz', name: 'attempted_at', nullable: true })
  attemptedAt!: Date | null;

  @Column({ type: 'integer', nullable: true })
  status!: number | null;

  @Column({ type: 'text', nullable: true })
  error!: string | null;

  @Column({ type: 'timestamptz', name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}

/** What a rule has told of and has not told the end of. */
@Entity('notification_conditions')
export class NotificationConditionEntity {
  @PrimaryColumn({ type: 'bigint', name: 'rule_id', primaryKeyConstraintName: 'notification_conditions_pk' })
  ruleId!: string;

  @ManyToOne(() => NotificationRuleEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'rule_id', foreignKeyConstraintName: 'notification_conditions_rule_fk' })
  rule?: NotificationRuleEntity;

  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'notification_conditions_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'notification_conditions_cluster_fk' })
  cluster?: ClusterEntity;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'notification_conditions_pk' })
  kind!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'notification_conditions_pk' })
  subject!: string;

  @Column({ type: 'text' })
  version!: string;

  @Column({ type: 'text' })
  event!: string;

  @Column({ type: 'timestamptz', name: 'told_at' })
  toldAt!: Date;
}
