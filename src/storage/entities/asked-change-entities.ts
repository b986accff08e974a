import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/*
 * The tables of changes that wait for approval. They are written and read by SQL (`asked-change-store.ts`); the mapping exists to
 * check the schema.
 */

@Entity('asked_changes')
@Unique('asked_changes_said_once', ['clusterId', 'author', 'idempotencyKey'])
@Index('asked_changes_by_sequence', ['clusterId', 'sequence'])
@Index('asked_changes_by_time', ['state', 'approveBy'])
export class AskedChangeEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'asked_changes_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'asked_changes_cluster_fk' })
  cluster?: ClusterEntity;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'asked_changes_pk' })
  id!: string;

  @Column({ type: 'bigint' })
  sequence!: string;

  @Column({ type: 'timestamptz', name: 'asked_at' })
  askedAt!: Date;

  @Column({ type: 'timestamptz', name: 'approve_by' })
  approveBy!: Date;

  @Column({ type: 'text' })
  author!: string;

  @Column({ type: 'text', name: 'idempotency_key', nullable: true })
  idempotencyKey!: string | null;

  @Column({ type: 'text', name: 'request_hash', nullable: true })
  requestHash!: string | null;

  @Column({ type: 'text' })
  asked!: string;

  @Column({ type: 'text' })
  state!: string;

  @Column({ type: 'integer' })
  round!: number;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'text' })
  preview!: string;

  @Column({ type: 'text' })
  outcomes!: string;
}

@Entity('change_votes')
export class ChangeVoteEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'change_votes_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'uuid', name: 'change_id', primaryKeyConstraintName: 'change_votes_pk' })
  changeId!: string;

  @ManyToOne(() => AskedChangeEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn([
    { name: 'cluster_id', referencedColumnName: 'clusterId', foreignKeyConstraintName: 'change_votes_change_fk' },
    { name: 'change_id', referencedColumnName: 'id', foreignKeyConstraintName: 'change_votes_change_fk' },
  ])
  change?: AskedChangeEntity;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'change_votes_pk' })
  number!: number;

  @Column({ type: 'integer' })
  round!: number;

  @Column({ type: 'text' })
  decision!: string;

  @Column({ type: 'text' })
  details!: string;

  @Column({ type: 'timestamptz', name: 'said_at' })
  saidAt!: Date;
}
