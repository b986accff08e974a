import { stringifyJson } from '../../core/json/lossless-json.js';
import type { ToldNews } from './cluster-events.js';
import type { EventPosition, EvictionsPlace } from './event-position.js';

/** A part of a cluster's history and of its schedule. */
export interface EventPlace {
  readonly revision?: number;
  readonly sequence?: number;
  readonly evictions?: Partial<EvictionsPlace>;
}

/** News on their way to the readers, each of whom may have had them already. */
export interface LiveEvent extends ToldNews {
  /** What they cover. */
  readonly place: EventPlace;
  /** Up to where everything has been told with them; also what some readers did not ask for. */
  readonly reached: EventPlace;
  /** Roughly, as JSON. */
  readonly bytes: number;
}

export function liveEvent({ news, values, place, reached }: Omit<LiveEvent, 'bytes'>): LiveEvent {
  return { news, values, place, reached, bytes: stringifyJson(news).length };
}

/** Whether a reader who has come to a position has had what a place covers. */
export function hasHad(position: EventPosition, { revision, sequence, evictions }: EventPlace): boolean {
  if (revision !== undefined) return revision <= position.revision;
  if (sequence !== undefined) return sequence <= position.sequence;
  const had = position.evictions;
  if (evictions === undefined || had === undefined) return false;
  const { schedule, dueBy = 0, dueUntil = 0 } = evictions;
  if (schedule !== undefined) return schedule <= had.schedule;
  return dueBy < had.dueBy || (dueBy === had.dueBy && dueUntil <= had.dueUntil);
}

/** The position of a reader who has come to one, and then as far as a place. */
export function moved(position: EventPosition, { revision = 0, sequence = 0, evictions }: EventPlace): EventPosition {
  return {
    clusterId: position.clusterId,
    revision: Math.max(position.revision, revision),
    sequence: Math.max(position.sequence, sequence),
    ...(position.evictions !== undefined && { evictions: { ...position.evictions, ...evictions } }),
  };
}
