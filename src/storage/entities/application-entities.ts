import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/* The tables of applications. They are written and read by SQL in `application-store.ts`; the mapping exists to check the schema. */

@Entity('taint_change_applications')
@Index('taint_change_applications_by_time', ['nextAt', 'clusterId'])
export class TaintChangeApplicationEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'taint_change_applications_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'uuid', name: 'change_id', primaryKeyConstraintName: 'taint_change_applications_pk' })
  changeId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'taint_change_applications_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'text' })
  state!: string;

  @Column({ type: 'timestamptz', name: 'asked_at' })
  askedAt!: Date;

  @Column({ type: 'text', name: 'asked_by' })
  askedBy!: string;

  @Column({ type: 'text' })
  options!: string;

  @Column({ type: 'timestamptz', name: 'next_at', nullable: true })
  nextAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  message!: string | null;
}

@Entity('taint_change_application_nodes')
export class TaintChangeApplicationNodeEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'taint_change_application_nodes_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'uuid', name: 'change_id', primaryKeyConstraintName: 'taint_change_application_nodes_pk' })
  changeId!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'taint_change_application_nodes_pk' })
  position!: number;

  @ManyToOne(() => TaintChangeApplicationEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn([
    {
      name: 'cluster_id',
      referencedColumnName: 'clusterId',
      foreignKeyConstraintName: 'taint_change_application_nodes_fk',
    },
    {
      name: 'change_id',
      referencedColumnName: 'changeId',
      foreignKeyConstraintName: 'taint_change_application_nodes_fk',
    },
  ])
  application?: TaintChangeApplicationEntity;

  @Column({ type: 'text', collation: 'C' })
  node!: string;

  @Column({ type: 'text', nullable: true })
  uid!: string | null;

  @Column({ type: 'text' })
  state!: string;

  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  @Column({ type: 'text', name: 'tested_version', nullable: true })
  testedVersion!: string | null;

  @Column({ type: 'text', name: 'resource_version', nullable: true })
  resourceVersion!: string | null;

  @Column({ type: 'integer', nullable: true })
  code!: number | null;

  @Column({ type: 'text', nullable: true })
  message!: string | null;

  @Column({ type: 'text', default: '[]' })
  warnings!: string;

  @Column({ type: 'timestamptz', name: 'changed_at', nullable: true })
  changedAt!: Date | null;
}

@Entity('application_leases')
export class ApplicationLeaseEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'application_leases_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'application_leases_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'text' })
  holder!: string;

  @Column({ type: 'timestamptz', name: 'leased_until' })
  leasedUntil!: Date;
}
