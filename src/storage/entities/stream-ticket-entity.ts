import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The table of stream tickets. It is written and read by SQL; the mapping exists to check the schema. */
@Entity('stream_tickets')
@Index('stream_tickets_by_expiry', ['expiresAt'])
export class StreamTicketEntity {
  @PrimaryColumn({ type: 'bytea', name: 'ticket_hash', primaryKeyConstraintName: 'stream_tickets_pk' })
  ticketHash!: Buffer;

  @Column({ type: 'text' })
  caller!: string;

  @Column({ type: 'timestamptz', name: 'expires_at' })
  expiresAt!: Date;
}
