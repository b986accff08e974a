import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/**
 * The table of answers to taint changes that changed nothing. It is written and read by SQL (`unchanging-answer-store.ts`); the mapping
 * exists to check the schema.
 */
@Entity('unchanging_answers')
@Index('unchanging_answers_by_expiry', ['clusterId', 'expiresAt'])
export class UnchangingAnswerEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'unchanging_answers_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'unchanging_answers_cluster_fk' })
  cluster?: ClusterEntity;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'unchanging_answers_pk' })
  author!: string;

  @PrimaryColumn({ type: 'text', name: 'idempotency_key', primaryKeyConstraintName: 'unchanging_answers_pk' })
  idempotencyKey!: string;

  @Column({ type: 'text', name: 'request_hash' })
  requestHash!: string;

  @Column({ type: 'timestamptz', name: 'expires_at' })
  expiresAt!: Date;

  @Column({ type: 'text' })
  answer!: string;
}
