import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const PRIMARY_KEY = 'object_versions_pk';

/** A row of `object_versions`. Written and read in bulk by SQL; the mapping exists to check the schema. */
@Entity('object_versions')
@Index('object_versions_by_end', ['clusterId', 'validTo'])
@Index('object_versions_by_start', ['clusterId', 'validFrom'])
// Of an expression.
@Index('object_versions_by_span', { synchronize: false })
@Index('object_versions_settings', ['clusterId', 'kind', 'validFrom'], {
  where: "namespace = '' and name = 'default'",
})
export class ObjectVersionEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: PRIMARY_KEY })
  clusterId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: PRIMARY_KEY })
  kind!: string;

  /** Empty for cluster-scoped kinds. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: PRIMARY_KEY })
  namespace!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: PRIMARY_KEY })
  name!: string;

  @Column({ type: 'text', nullable: true })
  uid!: string | null;

  @Column({ type: 'bytea' })
  hash!: Buffer;

  @PrimaryColumn({ type: 'integer', name: 'valid_from', primaryKeyConstraintName: PRIMARY_KEY })
  validFrom!: number;

  @Column({ type: 'integer', name: 'valid_to', nullable: true })
  validTo!: number | null;

  @Column({ type: 'text' })
  content!: string;

  /** The newest with which the object had this content; null if unknown. */
  @Column({ type: 'text', name: 'resource_version', nullable: true })
  resourceVersion!: string | null;
}
