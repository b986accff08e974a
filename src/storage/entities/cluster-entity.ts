import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A row of `clusters`. */
@Entity('clusters')
@Unique('clusters_name_unique', ['name'])
export class ClusterEntity {
  /** A bigint, which the driver returns as a string. */
  @PrimaryColumn({
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'clusters_pk',
  })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  name!: string;

  @Column({ type: 'jsonb', default: {} })
  labels!: Record<string, string>;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'integer', name: 'head_revision', default: 0 })
  headRevision!: number;
}
