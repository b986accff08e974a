import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The table of responses to writes with an idempotency key. It is written and read by SQL; the mapping exists to check the
 * schema.
 */
@Entity('idempotency_keys')
@Index('idempotency_keys_by_expiry', ['expiresAt'])
export class IdempotencyKeyEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'idempotency_keys_pk' })
  caller!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'idempotency_keys_pk' })
  key!: string;

  @Column({ type: 'bytea', name: 'request_hash' })
  requestHash!: Buffer;

  @Column({ type: 'uuid' })
  claim!: string;

  @Column({ type: 'timestamptz', name: 'leased_until' })
  leasedUntil!: Date;

  @Column({ type: 'timestamptz', name: 'expires_at' })
  expiresAt!: Date;

  @Column({ type: 'integer', nullable: true })
  status!: number | null;

  @Column({ type: 'text', nullable: true })
  headers!: string | null;

  @Column({ type: 'bytea', nullable: true })
  body!: Buffer | null;
}
