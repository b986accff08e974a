import type { ChainFault, ChainFaultCode } from './hash-chain.js';
import type { WrongColumn } from './record-columns.js';
import type { WrongChange } from './stored-change.js';

export type TrailFaultCode =
  | ChainFaultCode
  /** What the record is searched by is not what its content says. */
  | 'column'
  /** A record is said to be superseded by one that does not say so, or is not where one does. */
  | 'superseded'
  /** What is stored, and shown, of a change made here is not what its record says; or one of both is not there. */
  | 'change';

/** The first thing in a trail that does not hold, with words for people. */
export interface TrailFault {
  readonly code: TrailFaultCode;
  readonly sequence: number;
  /** For `column`; for `change` what of the change is wrong. */
  readonly column: string | null;
  readonly expected: string;
  /** null for nothing. */
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
    message: WORDS[code](sequence, String(expected), String(found)),
  };
}

export function columnFault(sequence: number, { column, expected, found }: WrongColumn): TrailFault {
  const message = `The column ${column} of record ${sequence} says ${found}, where its content says ${expected}: the column was changed.`;
  return { code: 'column', sequence, column, expected, found, message };
}

/** @param by the record that takes the place of this one, by what the records say, and by the table of them */
export function supersededFault(
  sequence: number,
  by: { readonly said: number | null; readonly kept: number | null },
): TrailFault {
  const message =
    by.said === null
      ? `Record ${sequence} is kept as superseded by record ${by.kept}, which does not say so: it was hidden from the lists.`
      : `Record ${by.said} says that it supersedes record ${sequence}, which is kept as ${
          by.kept === null ? 'standing' : `superseded by record ${by.kept}`
        }.`;
  const found = by.kept === null ? null : String(by.kept);
  return { code: 'superseded', sequence, column: null, expected: String(by.said ?? 'none'), found, message };
}

export function changeFault({ id, sequence, member, expected, found }: WrongChange): TrailFault {
  const message =
    member === 'record'
      ? `The change ${id} is stored with record ${sequence}, which is no such record of the trail, or is missing: the change was made up, or the record was cut off.`
      : `The change ${id} is stored with ${member} ${found}, where record ${sequence} says ${expected}: the stored change was altered.`;
  return { code: 'change', sequence, column: member, expected, found, message };
}

export function missingChangeFault(sequence: number, id: string): TrailFault {
  const message = `Record ${sequence} tells of the change ${id}, which is not stored any more: it was hidden from the list of changes.`;
  return { code: 'change', sequence, column: null, expected: id, found: null, message };
}

const WORDS: Readonly<Record<ChainFaultCode, (sequence: number, expected: string, found: string) => string>> = {
  sequence: (sequence, _, found) =>
    `Where record ${sequence} should be there is one that calls itself ${found}: one was taken out, put in, repeated or moved.`,
  previousHash: (sequence) =>
    `Record ${sequence} does not carry the hash of the record before it: that one was written anew, or one was put in.`,
  hash: (sequence) =>
    `Record ${sequence} does not have the hash that its content has: its content or its hash was changed.`,
  checkpoint: (sequence) =>
    `Record ${sequence} holds in itself, but is not the one that the checkpoint was taken of: the chain was written anew.`,
  tailCut: (sequence, expected) =>
    `Record ${sequence} is missing, and all after it: the checkpoint was taken of record ${expected}, so the end was cut off.`,
};
