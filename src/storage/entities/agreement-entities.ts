import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/** Up to which revision predictions were compared. These tables are written and read by SQL; the mappings exist to check the schema. */
@Entity('agreement_progress')
export class AgreementProgressEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'agreement_progress_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'agreement_progress_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'bigint' })
  cases!: string;

  @Column({ type: 'text', nullable: true })
  holder!: string | null;

  @Column({ type: 'timestamptz', name: 'leased_until', nullable: true })
  leasedUntil!: Date | null;
}

/** How many predictions agreed on one day. */
@Entity('agreement_days')
export class AgreementDayEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'agreement_days_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'agreement_days_cluster_fk' })
  cluster?: ClusterEntity;

  @PrimaryColumn({ type: 'date', primaryKeyConstraintName: 'agreement_days_pk' })
  day!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'agreement_days_pk' })
  scheduler!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'agreement_days_pk' })
  rule!: string;

  @Column({ type: 'bigint' })
  agreed!: string;

  @Column({ type: 'bigint' })
  disagreed!: string;

  @Column({ type: 'bigint' })
  unknown!: string;
}

/** A prediction that does not agree, or of which that is not known. */
@Entity('agreement_cases')
@Index('agreement_cases_by_rule', ['clusterId', 'outcome', 'rule', 'number'])
export class AgreementCaseEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'agreement_cases_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'agreement_cases_cluster_fk' })
  cluster?: ClusterEntity;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'agreement_cases_pk' })
  number!: string;

  @Column({ type: 'text', collation: 'C' })
  rule!: string;

  @Column({ type: 'text' })
  outcome!: string;

  @Column({ type: 'text', nullable: true })
  because!: string | null;

  @Column({ type: 'text', collation: 'C' })
  scheduler!: string;

  @Column({ type: 'text' })
  namespace!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'timestamptz', name: 'captured_at' })
  capturedAt!: Date;

  @Column({ type: 'text' })
  words!: string;

  @Column({ type: 'text', nullable: true })
  difference!: string | null;

  @Column({ type: 'text', nullable: true })
  reproduction!: string | null;
}
