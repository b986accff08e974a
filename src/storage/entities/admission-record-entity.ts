import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The table of admission records. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('admission_records')
@Index('admission_records_by_cluster', ['clusterName', 'id'])
@Index('admission_records_by_namespace', ['clusterName', 'namespace', 'id'])
export class AdmissionRecordEntity {
  @PrimaryColumn({
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'admission_records_pk',
  })
  id!: string;

  @Column({ type: 'bigint', name: 'cluster_id' })
  clusterId!: string;

  @Column({ type: 'text', collation: 'C', name: 'cluster_name' })
  clusterName!: string;

  @Column({ type: 'timestamptz', name: 'recorded_at' })
  recordedAt!: Date;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'text' })
  uid!: string;

  @Column({ type: 'text' })
  outcome!: string;

  @Column({ type: 'text' })
  operation!: string;

  @Column({ type: 'text', collation: 'C' })
  namespace!: string;

  @Column({ type: 'text', collation: 'C' })
  pod!: string;

  @Column({ type: 'text', name: 'generate_name' })
  generateName!: string;

  @Column({ type: 'text', collation: 'C', name: 'service_account' })
  serviceAccount!: string;

  @Column({ type: 'text', collation: 'C' })
  username!: string;

  @Column({ type: 'text', collation: 'C', nullable: true })
  caller!: string | null;

  @Column({ type: 'text', name: 'caller_kind', nullable: true })
  callerKind!: string | null;

  @Column({ type: 'text', name: 'caller_issuer', nullable: true })
  callerIssuer!: string | null;

  @Column({ type: 'text', array: true })
  pools!: string[];

  @Column({ type: 'text' })
  content!: string;
}
