import { microsecondsOf } from '../kubernetes/moment.js';
import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { AttributedChange, When } from './attributed-change.js';
import type { TaintDifference } from './taint-difference.js';

/** The author of a change, as far as it is known: an authenticated user, a field manager, or unknown. */
export interface TaintWriter {
  /** null if nothing is known. */
  readonly name: string | null;
  readonly identifiedBy: 'user' | 'fieldManager' | 'unknown';
}

/** The data of a node's change that fights are found by. */
export interface FightMove {
  readonly sequence: number;
  readonly node: string;
  readonly when: When;
  readonly writer: TaintWriter;
  readonly difference: TaintDifference;
}

/** Writers who undo one another's changes of one taint, or of the cordon. */
export interface TaintFight {
  readonly node: string;
  readonly what: Pick<Taint, 'key' | 'effect'> | 'cordon';
  /** Most changes first. */
  readonly writers: readonly (TaintWriter & { readonly changes: number })[];
  /** How often one of them undid a change of another. */
  readonly turns: number;
  readonly first: Timestamp;
  readonly last: Timestamp;
  /** The records of the changes, the first hundred of them. */
  readonly records: readonly number[];
  /** Whether at least two of the writers are authenticated users: an unknown writer may be one of the others. */
  readonly proven: boolean;
}

export interface FightOptions {
  /** Minimum number of turns within the window; at least 1. */
  readonly min: number;
  readonly windowSeconds: number;
}

const MAX_RECORDS = 100;

interface Move {
  readonly time: number;
  readonly at: Timestamp;
  readonly sequence: number;
  readonly writer: TaintWriter;
  /** The resulting value, or nothing. */
  readonly left: string | null;
}

/** Consecutive turns within the window. */
interface Bout {
  turns: number;
  /** The times of the last `min` turns. */
  readonly recent: number[];
  isFight: boolean;
  readonly first: Timestamp;
  last: Timestamp;
  readonly writers: Map<string, TaintWriter & { changes: number }>;
  readonly records: number[];
}

interface Track {
  readonly what: TaintFight['what'];
  last: Move;
  bout: Bout | undefined;
}

/**
 * Finds fights over taints: the same taint of one node (by key and effect) is added and removed, or its value changed
 * back and forth, in turns by at least two writers. Processes changes node by node, those of a node in chronological
 * order; keeps one node in memory.
 *
 * Example: a person cordons a node, an autoscaler uncordons it, the person cordons it again: two turns.
 */
export class FightFinder {
  private node: string | undefined;
  private readonly tracks = new Map<string, Track>();
  private readonly fights: TaintFight[] = [];
  private readonly window: number;

  constructor(private readonly options: FightOptions) {
    this.window = options.windowSeconds * 1_000_000;
  }

  add({ node, sequence, when, writer, difference }: FightMove): void {
    if (node !== this.node) this.leave();
    this.node = node;
    const at = when.kind === 'point' ? when.at : when.to;
    const move = { time: microsecondsOf(at) ?? 0, at, sequence, writer };
    for (const { key, effect } of difference.removed) this.take({ key, effect }, { ...move, left: null });
    for (const { key, effect, value = '' } of [...difference.added, ...difference.changed.map(({ after }) => after)]) {
      this.take({ key, effect }, { ...move, left: value });
    }
    const { cordon } = difference;
    if (cordon !== undefined) this.take('cordon', { ...move, left: cordon === 'cordoned' ? '' : null });
  }

  /** The fights found since the last call; with `end`, the current node has no more changes. */
  found(end = false): readonly TaintFight[] {
    if (end) this.leave();
    return this.fights.splice(0);
  }

  private take(what: TaintFight['what'], move: Move): void {
    const identity = what === 'cordon' ? what : `${what.effect}\n${what.key}`;
    const track = this.tracks.get(identity);
    if (track === undefined) {
      this.tracks.set(identity, { what, last: move, bout: undefined });
      return;
    }
    // Two records of one change: the intent, and the write that fulfilled it.
    if (track.last.left === move.left) return;
    if (nameOf(track.last.writer) === nameOf(move.writer)) {
      if (track.bout !== undefined) note(track.bout, move);
    } else {
      this.turn(track, move);
    }
    track.last = move;
  }

  private turn(track: Track, move: Move): void {
    const since = track.bout?.recent.at(-1) ?? track.last.time;
    if (track.bout !== undefined && move.time - since > this.window) this.close(track);
    if (track.bout === undefined) {
      // The change that the first turn undid counts too, but its time does not.
      if (move.time - track.last.time > this.window) return;
      track.bout = {
        turns: 0,
        recent: [],
        isFight: false,
        first: track.last.at,
        last: move.at,
        writers: new Map(),
        records: [],
      };
      note(track.bout, track.last);
    }
    const { bout } = track;
    note(bout, move);
    bout.turns += 1;
    bout.recent.push(move.time);
    if (bout.recent.length > this.options.min) bout.recent.shift();
    const enough = bout.recent.length === this.options.min;
    if (enough && move.time - bout.recent[0]! <= this.window) bout.isFight = true;
  }

  private close(track: Track): void {
    const { bout, what } = track;
    track.bout = undefined;
    if (bout?.isFight !== true || this.node === undefined) return;
    const { turns, first, last, records } = bout;
    const writers = [...bout.writers.values()].sort((a, b) => b.changes - a.changes);
    const proven = writers.filter(({ identifiedBy }) => identifiedBy === 'user').length > 1;
    this.fights.push({ node: this.node, what, writers, turns, first, last, records, proven });
  }

  private leave(): void {
    for (const track of this.tracks.values()) this.close(track);
    this.tracks.clear();
  }
}

/** The author of the change in a record. */
export function writerOf({ by, actor }: Partial<Pick<AttributedChange, 'by' | 'actor'>>): TaintWriter {
  if (by !== undefined) return { name: by.username, identifiedBy: 'user' };
  if (actor?.from === 'fieldManager' && actor.program !== undefined) {
    return { name: actor.program, identifiedBy: 'fieldManager' };
  }
  return { name: null, identifiedBy: 'unknown' };
}

function note(bout: Bout, { at, sequence, writer }: Move): void {
  const name = nameOf(writer);
  const known = bout.writers.get(name);
  if (known === undefined) bout.writers.set(name, { ...writer, changes: 1 });
  else known.changes += 1;
  bout.last = at;
  if (bout.records.length < MAX_RECORDS && bout.records.at(-1) !== sequence) bout.records.push(sequence);
}

const nameOf = ({ name, identifiedBy }: TaintWriter): string => `${identifiedBy} ${name ?? ''}`;
