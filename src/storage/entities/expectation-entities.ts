import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/** Up to which revision the expectations of a cluster were evaluated. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('expectation_progress')
export class ExpectationProgressEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'expectation_progress_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'expectation_progress_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'bigint' })
  turns!: string;

  @Column({ type: 'text' })
  verdicts!: string;

  @Column({ type: 'text', nullable: true })
  holder!: string | null;

  @Column({ type: 'timestamptz', name: 'leased_until', nullable: true })
  leasedUntil!: Date | null;
}

/** When an expectation got another verdict. */
@Entity('expectation_turns')
@Index('expectation_turns_by_name', ['clusterId', 'name', 'turn'])
export class ExpectationTurnEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'expectation_turns_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'expectation_turns_cluster_fk' })
  cluster?: ClusterEntity;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'expectation_turns_pk' })
  turn!: string;

  @Column({ type: 'text', collation: 'C' })
  name!: string;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'timestamptz', name: 'captured_at' })
  capturedAt!: Date;

  @Column({ type: 'text', nullable: true })
  former!: string | null;

  @Column({ type: 'text' })
  verdict!: string;

  @Column({ type: 'text' })
  reason!: string;

  @Column({ type: 'text', nullable: true })
  cause!: string | null;
}
