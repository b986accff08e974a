import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/** Whose turn it is to compute digests of a cluster. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('digest_turns')
export class DigestTurnEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'digest_turns_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'digest_turns_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'timestamptz' })
  until!: Date;
}
