import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/** How the API server of a cluster is reached. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('cluster_connections')
export class ConnectionEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'cluster_connections_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'cluster_connections_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'text' })
  details!: string;

  @Column({ type: 'text', nullable: true })
  secret!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column({ type: 'text', name: 'created_by' })
  createdBy!: string;
}
