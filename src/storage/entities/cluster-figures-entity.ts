import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/** The figures of a cluster. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('cluster_figures')
export class ClusterFiguresEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'cluster_figures_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'cluster_figures_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'text' })
  version!: string;

  @Column({ type: 'text' })
  figures!: string;
}
