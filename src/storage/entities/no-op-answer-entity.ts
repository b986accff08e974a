import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/**
 * The table of answers to taint changes that changed nothing. It is written and read by SQL (`no-op-answer-store.ts`); the mapping
 * exists to check the schema.
 */
@Entity('no_op_answers')
@Index('no_op_answers_by_expiry', ['clusterId', 'expiresAt'])
export class NoOpAnswerEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'no_op_answers_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'no_op_answers_cluster_fk' })
  cluster?: ClusterEntity;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'no_op_answers_pk' })
  author!: string;

  @PrimaryColumn({ type: 'text', name: 'idempotency_key', primaryKeyConstraintName: 'no_op_answers_pk' })
  idempotencyKey!: string;

  @Column({ type: 'text', name: 'request_hash' })
  requestHash!: string;

  @Column({ type: 'timestamptz', name: 'expires_at' })
  expiresAt!: Date;

  @Column({ type: 'text' })
  answer!: string;
}
