import type { HistoryPlace } from '../../storage/cluster-history.js';

/**
 * The position of a reader in a cluster's events: the id of an event is the position that its reader has reached with
 * it.
 *
 * It is a vector and not a number, since the order of events is not stored, and two replicas may send neighboring
 * events in different orders. A reader with this position has received every revision up to `revision`, every record up
 * to `sequence`, every turn of an expectation up to `turn`, every disagreement up to `disagreement`, and nothing else, from whichever replica. Each part only increases.
 */
export interface EventPosition extends HistoryPlace {
  /** Id of the cluster: another cluster of the same name numbers its revisions from 1. */
  readonly clusterId: number;
  /** Position in the eviction events; absent for readers that did not request them. */
  readonly evictions?: EvictionsPlace;
}

export interface EvictionsPlace {
  /** The revision of the last schedule that was sent. */
  readonly schedule: number;
  /** According to the schedule of this revision ... */
  readonly dueBy: number;
  /** ... all evictions due up to this time were sent, in milliseconds since the epoch. */
  readonly dueUntil: number;
}

const POSITION =
  /^(\d{1,15})-(\d{1,10})\.(\d{1,15})(?:\+(\d{1,15}))?(?:\^(\d{1,15}))?(?:~(\d{1,10})~(\d{1,10})\.(\d{1,15}))?$/;
const REVISION = /^\d{1,10}$/;

/** `7-17.42`: cluster 7, revision 17, record 42; with turn 3 of its expectations `7-17.42+3`; with case 5 of its ledger of predictions `7-17.42^5`; with evictions `7-17.42~17~17.1767225600000`. */
export function writePosition({
  clusterId,
  revision,
  sequence,
  turn = 0,
  disagreement = 0,
  evictions,
}: EventPosition): string {
  const more = `${turn === 0 ? '' : `+${turn}`}${disagreement === 0 ? '' : `^${disagreement}`}`;
  const history = `${clusterId}-${revision}.${sequence}${more}`;
  if (evictions === undefined) return history;
  return `${history}~${evictions.schedule}~${evictions.dueBy}.${evictions.dueUntil}`;
}

/** Parses a position or a revision number; undefined if the text is neither. */
export function readPosition(text: string): EventPosition | number | undefined {
  if (REVISION.test(text)) return Number(text);
  const match = POSITION.exec(text);
  if (match === null) return undefined;
  const [clusterId, revision, sequence, turn, disagreement, schedule, dueBy, dueUntil] = match
    .slice(1)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  const history = {
    clusterId: clusterId!,
    revision: revision!,
    sequence: sequence!,
    ...(turn !== undefined && { turn }),
    ...(disagreement !== undefined && { disagreement }),
  };
  if (schedule === undefined) return history;
  return { ...history, evictions: { schedule, dueBy: dueBy!, dueUntil: dueUntil! } };
}
