import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/** A digest of the state of a cluster. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('state_digests')
export class StateDigestEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'state_digests_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'state_digests_cluster_fk' })
  cluster?: ClusterEntity;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'state_digests_pk' })
  digest!: string;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'text' })
  rules!: string;

  @Column({ type: 'text' })
  version!: string;

  @Column({ type: 'text' })
  head!: string;

  @Column({ type: 'bytea' })
  content!: Buffer;

  @Column({ type: 'text' })
  withheld!: string;
}
