import { unpackKey } from './object-key.js';
import { type KindCounts, scopeContains, type SnapshotScope } from './revision.js';
import type { SeenObject } from './row-intake.js';
import type { StateHashes } from './state-hashes.js';

/** What a snapshot means for the head: which versions end, and which begin with whose content. */
export interface CommitPlan {
  /** Packed keys of objects of the head that end: changed or removed. */
  readonly close: readonly string[];
  /** Numbers of staged rows that are not to be stored: the head has their content already. */
  readonly skipStaged: readonly number[];
  /** Packed keys of objects that begin with the content that the base has. */
  readonly fromBase: readonly string[];
  /** Packed keys of objects that begin with the content of the state that is carried over (a backfill's only). */
  readonly fromCarried: readonly string[];
  readonly counts: ReadonlyMap<string, KindCounts>;
  /** No object differs from the head. */
  readonly unchanged: boolean;
}

export interface CommitPlanInput {
  readonly seen: ReadonlyMap<string, SeenObject>;
  readonly scope: SnapshotScope;
  /** The state that the new revision follows, and is compared with. */
  readonly head: StateHashes;
  /** The state from which carries over what lies outside the scope: the head, or an older one for a backfill. */
  readonly carried: StateHashes;
}

/** Compares a snapshot with the head. The rows that were not staged have the base's content, whatever the head is now. */
export function planCommit({ seen, scope, head, carried }: CommitPlanInput): CommitPlan {
  const inside = scopeContains(scope);
  const counts = new Map<string, { -readonly [Count in keyof KindCounts]: number }>();
  const count = (kind: string, what: keyof KindCounts) => {
    let ofKind = counts.get(kind);
    if (ofKind === undefined) counts.set(kind, (ofKind = { added: 0, changed: 0, removed: 0, unchanged: 0 }));
    ofKind[what]++;
  };
  const close: string[] = [];
  const skipStaged: number[] = [];
  const fromBase: string[] = [];
  const fromCarried: string[] = [];

  for (const [key, { hash, staged }] of seen) {
    const kind = key.slice(0, key.indexOf('\0'));
    const former = head.get(key);
    if (former === hash) {
      count(kind, 'unchanged');
      if (staged >= 0) skipStaged.push(staged);
      continue;
    }
    count(kind, former === undefined ? 'added' : 'changed');
    if (former !== undefined) close.push(key);
    if (staged < 0) fromBase.push(key);
  }
  for (const [key, former] of head) {
    if (seen.has(key)) continue;
    const { kind, namespace, name } = unpackKey(key);
    const kept = inside(kind, namespace, name) ? undefined : carried.get(key);
    if (kept === former) {
      count(kind, 'unchanged');
      continue;
    }
    count(kind, kept === undefined ? 'removed' : 'changed');
    close.push(key);
    if (kept !== undefined) fromCarried.push(key);
  }
  if (carried !== head) {
    for (const key of carried.keys()) {
      if (seen.has(key) || head.has(key)) continue;
      const { kind, namespace, name } = unpackKey(key);
      if (inside(kind, namespace, name)) continue;
      count(kind, 'added');
      fromCarried.push(key);
    }
  }
  const unchanged = [...counts.values()].every(({ added, changed, removed }) => added + changed + removed === 0);
  return { close, skipStaged, fromBase, fromCarried, counts, unchanged };
}
