import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { KindCounts, RevisionKind, SnapshotScope } from '../revision.js';
import { ClusterEntity } from './cluster-entity.js';

/**
 * A row of `revisions`. Its findings are only selected on demand. (JSON is `unknown`, because TypeORM's types do not support
 * recursive types.)
 */
@Entity('revisions')
@Index('revisions_by_capture', ['clusterId', 'capturedAt', 'number'])
export class RevisionEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'revisions_pk' })
  clusterId!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'revisions_pk' })
  number!: number;

  @ManyToOne(() => ClusterEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'cluster_id', foreignKeyConstraintName: 'revisions_cluster_fk' })
  cluster?: ClusterEntity;

  @Column({ type: 'text' })
  kind!: RevisionKind;

  @Column({ type: 'timestamptz', name: 'captured_at' })
  capturedAt!: Date;

  @Column({ type: 'timestamptz', name: 'received_at' })
  receivedAt!: Date;

  @Column({ type: 'boolean' })
  backfill!: boolean;

  @Column({ type: 'text', nullable: true })
  source!: string | null;

  @Column({ type: 'text', nullable: true })
  author!: string | null;

  @Column({ type: 'jsonb' })
  scope!: SnapshotScope;

  @Column({ type: 'text', name: 'loaded_kinds', array: true })
  loadedKinds!: string[];

  @Column({ type: 'text', name: 'kubernetes_version', nullable: true })
  kubernetesVersion!: string | null;

  @Column({ type: 'integer', name: 'unconfirmed_nodes', default: 0 })
  unconfirmedNodes!: number;

  @Column({ type: 'json' })
  stats!: unknown;

  @Column({ type: 'json', select: false })
  findings?: unknown;

  @Column({ type: 'jsonb' })
  counts!: Record<string, KindCounts>;

  @Column({ type: 'jsonb', name: 'resource_versions', default: '{}' })
  resourceVersions!: Record<string, string>;
}
