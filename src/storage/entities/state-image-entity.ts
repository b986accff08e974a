import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/** A part of the image of a cluster's state. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('state_images')
export class StateImageEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'state_images_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'state_images_cluster_fk' })
  cluster?: ClusterEntity;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'state_images_pk' })
  form!: number;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'state_images_pk' })
  part!: number;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'bytea' })
  content!: Buffer;
}
