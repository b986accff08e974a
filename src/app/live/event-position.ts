import type { HistoryPlace } from '../../storage/cluster-history.js';

/**
 * How far a reader of a cluster's events has come: the id of an event is the position that its reader has reached with it.
 *
 * It is a vector, not a number, because an event's place among others is not stored, and two replicas may tell two
 * neighbours in different orders: whoever has a position has had every revision up to `revision`, every record up to
 * `sequence`, and nothing else, whichever replica told them. Each part only grows.
 */
export interface EventPosition extends HistoryPlace {
  /** The id of the cluster: another one of the same name counts from 1 again. */
  readonly clusterId: number;
  /** How far evictions were told; absent for those who did not ask for them. */
  readonly evictions?: EvictionsPlace;
}

export interface EvictionsPlace {
  /** The revision whose schedule was told last. */
  readonly schedule: number;
  /** By the schedule of this revision ... */
  readonly dueBy: number;
  /** ... all that was due up to this moment, in milliseconds since the epoch. */
  readonly dueUntil: number;
}

const POSITION = /^(\d{1,15})-(\d{1,10})\.(\d{1,15})(?:~(\d{1,10})~(\d{1,10})\.(\d{1,15}))?$/;
const REVISION = /^\d{1,10}$/;

/** `7-17.42`: cluster 7, revision 17, record 42; with evictions `7-17.42~17~17.1767225600000`. */
export function writePosition({ clusterId, revision, sequence, evictions }: EventPosition): string {
  const history = `${clusterId}-${revision}.${sequence}`;
  if (evictions === undefined) return history;
  return `${history}~${evictions.schedule}~${evictions.dueBy}.${evictions.dueUntil}`;
}

/** A position, or the number of a revision alone; undefined for what is neither. */
export function readPosition(text: string): EventPosition | number | undefined {
  if (REVISION.test(text)) return Number(text);
  const match = POSITION.exec(text);
  if (match === null) return undefined;
  const [clusterId, revision, sequence, schedule, dueBy, dueUntil] = match
    .slice(1)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  const history = { clusterId: clusterId!, revision: revision!, sequence: sequence! };
  if (schedule === undefined) return history;
  return { ...history, evictions: { schedule, dueBy: dueBy!, dueUntil: dueUntil! } };
}
