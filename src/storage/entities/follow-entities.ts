import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ClusterEntity } from './cluster-entity.js';

/** How far a kind of a cluster is known. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('kind_positions')
export class KindPositionEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'kind_positions_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'kind_positions_cluster_fk' })
  cluster?: ClusterEntity;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'kind_positions_pk' })
  kind!: string;

  @Column({ type: 'text', name: 'resource_version', nullable: true })
  resourceVersion!: string | null;

  @Column({ type: 'integer', nullable: true })
  count!: number | null;

  @Column({ type: 'text', nullable: true })
  hash!: string | null;

  @Column({ type: 'boolean', name: 'snapshot_needed', default: false })
  snapshotNeeded!: boolean;

  @Column({ type: 'text', nullable: true })
  stream!: string | null;

  @Column({ type: 'bigint', nullable: true })
  sequence!: string | null;
}

/** The stream of deltas of a cluster. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('delta_streams')
export class DeltaStreamEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'delta_streams_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'delta_streams_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'text' })
  stream!: string;

  @Column({ type: 'bigint' })
  sequence!: string;

  @Column({ type: 'timestamptz', name: 'captured_at' })
  capturedAt!: Date;

  @Column({ type: 'json' })
  answer!: unknown;

  @Column({ type: 'text', array: true, default: '{}' })
  superseded!: string[];

  @Column({ type: 'boolean' })
  own!: boolean;
}

/** Who follows a cluster. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('cluster_follows')
@Index('cluster_follows_holder', ['holder'])
export class ClusterFollowEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'cluster_follows_pk' })
  clusterId!: string;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'cluster_follows_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'text', nullable: true })
  holder!: string | null;

  @Column({ type: 'timestamptz', name: 'leased_until', nullable: true })
  leasedUntil!: Date | null;

  @Column({ type: 'timestamptz', name: 'current_at', nullable: true })
  currentAt!: Date | null;

  /** How each kind is doing, as its follower says. */
  @Column({ type: 'json', nullable: true })
  status!: unknown;
}

/** A replica that can follow clusters. */
@Entity('follow_replicas')
export class FollowReplicaEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'follow_replicas_pk' })
  holder!: string;

  @Column({ type: 'timestamptz', name: 'seen_until' })
  seenUntil!: Date;
}
