import type { ChainFault, ChainFaultCode } from './hash-chain.js';
import type { WrongColumn } from './record-columns.js';
import type { WrongChange } from './stored-change.js';

export type TrailFaultCode =
  | ChainFaultCode
  /** A search column differs from the content of its record. */
  | 'column'
  /** The table of superseded records differs from the records. */
  | 'superseded'
  /** A stored change differs from its record, or one of the two is missing. */
  | 'change';

/** The first fault of a trail, with a message. */
export interface TrailFault {
  readonly code: TrailFaultCode;
  readonly sequence: number;
  /** For `column`; for `change` the member that is wrong. */
  readonly column: string | null;
  readonly expected: string;
  /** null if nothing was found. */
  readonly found: string | null;
  readonly message: string;
}

export function chainFault({ code, sequence, expected, found }: ChainFault): TrailFault {
  return {
    code,
    sequence,
    column: null,
    expected: String(expected),
    found: found === undefined ? null : String(found),
    message: MESSAGES[code](sequence, String(expected), String(found)),
  };
}

export function columnFault(sequence: number, { column, expected, found }: WrongColumn): TrailFault {
  const message = `The column ${column} of record ${sequence} is ${found}, but its content has ${expected}: the column was changed.`;
  return { code: 'column', sequence, column, expected, found, message };
}

/** @param by the record that supersedes this one, according to the records, and according to the table */
export function supersededFault(
  sequence: number,
  by: { readonly said: number | null; readonly kept: number | null },
): TrailFault {
  const message =
    by.said === null
      ? `Record ${sequence} is stored as superseded by record ${by.kept}, which does not supersede it: it was hidden from the lists.`
      : `Record ${by.said} supersedes record ${sequence}, which is stored as ${
          by.kept === null ? 'not superseded' : `superseded by record ${by.kept}`
        }.`;
  const found = by.kept === null ? null : String(by.kept);
  return { code: 'superseded', sequence, column: null, expected: String(by.said ?? 'none'), found, message };
}

export function changeFault({ id, sequence, member, expected, found }: WrongChange): TrailFault {
  const message =
    member === 'record'
      ? `The change ${id} is stored with record ${sequence}, which is missing from the trail or is not its record: the change was forged, or the record was removed.`
      : `The change ${id} is stored with ${member} ${found}, but record ${sequence} has ${expected}: the stored change was altered.`;
  return { code: 'change', sequence, column: member, expected, found, message };
}

export function missingChangeFault(sequence: number, id: string): TrailFault {
  const message = `Record ${sequence} is about the change ${id}, which is no longer stored: it was hidden from the list of changes.`;
  return { code: 'change', sequence, column: null, expected: id, found: null, message };
}

const MESSAGES: Readonly<Record<ChainFaultCode, (sequence: number, expected: string, found: string) => string>> = {
  sequence: (sequence, _, found) =>
    `The record at position ${sequence} has the number ${found}: a record was removed, inserted, repeated or moved.`,
  previousHash: (sequence) =>
    `Record ${sequence} does not have the hash of the record before it: that record was rewritten, or a record was inserted.`,
  hash: (sequence) => `The hash of record ${sequence} does not match its content: the content or the hash was changed.`,
  checkpoint: (sequence) =>
    `Record ${sequence} is consistent, but does not match the checkpoint: the chain was rewritten.`,
  tailCut: (sequence, expected) =>
    `Record ${sequence} and all later records are missing: the checkpoint is for record ${expected}, so the trail was truncated.`,
};
