import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** The table of decisions. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('decisions')
@Unique('decisions_id_unique', ['id'])
@Index('decisions_by_name', ['clusterName', 'sequence'])
@Index('decisions_by_caller', ['clusterName', 'caller', 'sequence'])
@Index('decisions_by_time', ['clusterId', 'askedAt'])
// A GIN index, which the mapping does not support.
@Index('decisions_by_workload', { synchronize: false })
export class DecisionEntity {
  @PrimaryColumn({ type: 'bigint', name: 'cluster_id', primaryKeyConstraintName: 'decisions_pk' })
  clusterId!: string;

  @PrimaryColumn({
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'decisions_pk',
  })
  sequence!: string;

  @Column({ type: 'uuid' })
  id!: string;

  @Column({ type: 'text', collation: 'C', name: 'cluster_name' })
  clusterName!: string;

  @Column({ type: 'integer' })
  revision!: number;

  @Column({ type: 'text', name: 'rules_version' })
  rulesVersion!: string;

  @Column({ type: 'timestamptz', name: 'asked_at' })
  askedAt!: Date;

  @Column({ type: 'text', collation: 'C' })
  caller!: string;

  @Column({ type: 'text', name: 'caller_kind' })
  callerKind!: string;

  @Column({ type: 'text', name: 'caller_issuer', nullable: true })
  callerIssuer!: string | null;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'text' })
  verdict!: string;

  @Column({ type: 'text' })
  summary!: string;

  @Column({ type: 'jsonb' })
  workloads!: unknown;

  @Column({ type: 'text' })
  reasons!: string;

  @Column({ type: 'text', name: 'taint_values' })
  taintValues!: string;

  @Column({ type: 'text', name: 'question_hash' })
  questionHash!: string;

  @Column({ type: 'text', nullable: true })
  question!: string | null;

  @Column({ type: 'integer', name: 'withheld_values' })
  withheldValues!: number;

  @Column({ type: 'text', name: 'answer_hash' })
  answerHash!: string;

  @Column({ type: 'text', nullable: true })
  answer!: string | null;
}
