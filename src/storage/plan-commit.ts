import { Slices } from '../event-loop/slices.js';
import { unpackKey } from './object-key.js';
import { type KindCounts, scopeContains, type SnapshotScope } from './revision.js';
import type { SeenObjects } from './seen-objects.js';
import type { StateHashes } from './state-hashes.js';

/**
 * The changes that a snapshot makes to the head: the versions that end, and those that begin, with the source of their
 * content.
 */
export interface CommitPlan {
  /** Packed keys of the head's objects that end because they were changed or removed. */
  readonly close: readonly string[];
  /** Sequence numbers of staged rows that need not be stored, because the head already has their content. */
  readonly skipStaged: readonly number[];
  /** Packed keys of objects that begin with the content of the base. */
  readonly fromBase: readonly string[];
  /** Packed keys of objects that begin with the content of the carried state (backfills only). */
  readonly fromCarried: readonly string[];
  /** The resourceVersions of objects whose content stays, where another one is stored, by packed key. */
  readonly moved: ReadonlyMap<string, string | null>;
  readonly counts: ReadonlyMap<string, KindCounts>;
  /** Whether no object differs from the head. */
  readonly unchanged: boolean;
}

export interface CommitPlanInput {
  readonly seen: SeenObjects;
  readonly scope: SnapshotScope;
  /** The state that the new revision follows and is compared with. */
  readonly head: StateHashes;
  /** The state from which objects outside the scope are carried over: the head, or an older state for a backfill. */
  readonly carried: StateHashes;
}

/**
 * Compares a snapshot with the head. Rows that were not staged have the content of the base, even if the head has changed
 * since. In time slices: the keys of a first snapshot take tens of milliseconds.
 */
export async function planCommit({ seen, scope, head, carried }: CommitPlanInput): Promise<CommitPlan> {
  const slices = new Slices();
  const contains = scopeContains(scope);
  const inside = (key: string) => {
    const { kind, namespace, name } = unpackKey(key);
    return contains(kind, namespace, name);
  };
  const counter = new Counter();
  const close: string[] = [];
  const skipStaged: number[] = [];
  const fromBase: string[] = [];
  const fromCarried: string[] = [];
  const moved = new Map<string, string | null>();
  const { base } = seen;

  for (const [key, sequence] of seen.staged) {
    if (slices.due()) await slices.pause();
    const index = head.indexOf(key);
    const kind = key.slice(0, key.indexOf('\0'));
    if (index >= 0 && head.hasHash(index, ...seen.stagedHash(sequence))) {
      skipStaged.push(sequence);
      counter.count(kind, 'unchanged');
    } else {
      if (index >= 0) close.push(key);
      counter.count(kind, index >= 0 ? 'changed' : 'added');
    }
  }
  if (base !== head) {
    for (let at = 0; at < base.size; at++) {
      if (!seen.asInBase(at)) continue;
      if (slices.due()) await slices.pause();
      const key = base.key(at);
      const index = head.indexOf(key);
      if (index >= 0 && head.equals(index, base, at)) {
        const version = seen.resourceVersion(at);
        if (!head.hasResourceVersion(index, version)) moved.set(key, version);
        counter.count(base.kind(at), 'unchanged');
      } else {
        if (seen.hasMoved(at)) moved.set(key, seen.resourceVersion(at));
        if (index >= 0) close.push(key);
        fromBase.push(key);
        counter.count(base.kind(at), index >= 0 ? 'changed' : 'added');
      }
    }
  }
  for (let at = 0; at < head.size; at++) {
    const kind = head.kind(at);
    if (base === head && seen.asInBase(at)) {
      if (seen.hasMoved(at)) moved.set(head.key(at), seen.resourceVersion(at));
      counter.count(kind, 'unchanged');
      continue;
    }
    if (slices.due()) await slices.pause();
    const key = head.key(at);
    if (seen.has(key)) continue;
    const kept = inside(key) ? -1 : carried === head ? at : carried.indexOf(key);
    if (kept >= 0 && (carried === head || carried.equals(kept, head, at))) {
      counter.count(kind, 'unchanged');
      continue;
    }
    close.push(key);
    if (kept >= 0) fromCarried.push(key);
    counter.count(kind, kept >= 0 ? 'changed' : 'removed');
  }
  if (carried !== head) {
    for (let at = 0; at < carried.size; at++) {
      if (slices.due()) await slices.pause();
      const key = carried.key(at);
      if (head.indexOf(key) >= 0 || seen.has(key) || inside(key)) continue;
      fromCarried.push(key);
      counter.count(carried.kind(at), 'added');
    }
  }
  return { close, skipStaged, fromBase, fromCarried, moved, counts: counter.counts, unchanged: counter.unchanged };
}

class Counter {
  readonly counts = new Map<string, { -readonly [Count in keyof KindCounts]: number }>();
  unchanged = true;

  count(kind: string, what: keyof KindCounts): void {
    let ofKind = this.counts.get(kind);
    if (ofKind === undefined) this.counts.set(kind, (ofKind = { added: 0, changed: 0, removed: 0, unchanged: 0 }));
    ofKind[what]++;
    if (what !== 'unchanged') this.unchanged = false;
  }
}
