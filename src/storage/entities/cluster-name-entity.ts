import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A row of the directory: see `ClusterDirectory`. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('cluster_names')
@Index('cluster_names_present', ['name'], { unique: true, where: 'not removed' })
@Index('cluster_names_by_name', ['name', 'id'])
export class ClusterNameEntity {
  @PrimaryColumn({
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'cluster_names_pk',
  })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  name!: string;

  @Column({ type: 'boolean', default: false })
  removed!: boolean;
}
