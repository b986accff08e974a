import { stringifyJson } from '../../core/json/lossless-json.js';
import type { MaskableNews } from './cluster-events.js';
import type { EventPosition, EvictionsPlace } from './event-position.js';

/** A place in a cluster's history and in its schedule. */
export interface EventPlace {
  readonly revision?: number;
  readonly sequence?: number;
  readonly turn?: number;
  readonly disagreement?: number;
  readonly evictions?: Partial<EvictionsPlace>;
}

/** An event on its way to readers, some of which may already have it. */
export interface LiveEvent extends MaskableNews {
  /** The part of the history or schedule that it covers. */
  readonly place: EventPlace;
  /** The place up to which all events have been sent, including events that some readers did not request. */
  readonly reached: EventPlace;
  /** Approximate size as JSON. */
  readonly bytes: number;
}

export function liveEvent({ news, values, place, reached }: Omit<LiveEvent, 'bytes'>): LiveEvent {
  return { news, values, place, reached, bytes: stringifyJson(news).length };
}

/** Whether a reader at this position has received what a place covers. */
export function hasHad(
  position: EventPosition,
  { revision, sequence, turn, disagreement, evictions }: EventPlace,
): boolean {
  if (revision !== undefined) return revision <= position.revision;
  if (sequence !== undefined) return sequence <= position.sequence;
  if (turn !== undefined) return turn <= (position.turn ?? 0);
  if (disagreement !== undefined) return disagreement <= (position.disagreement ?? 0);
  const had = position.evictions;
  if (evictions === undefined || had === undefined) return false;
  const { schedule, dueBy = 0, dueUntil = 0 } = evictions;
  if (schedule !== undefined) return schedule <= had.schedule;
  return dueBy < had.dueBy || (dueBy === had.dueBy && dueUntil <= had.dueUntil);
}

/** The position of a reader after it has advanced to a place. */
export function moved(
  position: EventPosition,
  { revision = 0, sequence = 0, turn = 0, disagreement = 0, evictions }: EventPlace,
): EventPosition {
  const turns = Math.max(position.turn ?? 0, turn);
  const disagreements = Math.max(position.disagreement ?? 0, disagreement);
  return {
    clusterId: position.clusterId,
    revision: Math.max(position.revision, revision),
    sequence: Math.max(position.sequence, sequence),
    ...(turns > 0 && { turn: turns }),
    ...(disagreements > 0 && { disagreement: disagreements }),
    ...(position.evictions !== undefined && { evictions: { ...position.evictions, ...evictions } }),
  };
}
