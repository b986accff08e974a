import type { ClusterState } from '../../cluster/cluster-state.js';
import { defined } from '../../collections/defined.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import type { QueuedWork } from './queued-work.js';
import { stepQueue, type QueueResult } from './step-queue.js';
import {
  newNames,
  stepChange,
  stepUnblockingChanges,
  type Blocked,
  type UnblockingChange,
} from './unblocking-change.js';

/** The effect of a change, found by running the whole queue again. */
export interface Unblocking {
  readonly change: UnblockingChange;
  /** Pods that found no node before and find one now. */
  readonly unblocks: number;
  /** Pods that found a node before and find none now, because the unblocked pods use it. */
  readonly blocks: number;
}

export interface Unblockings {
  /** Changes that unblock at least one pod, in descending order of `unblocks` minus `blocks`. */
  readonly found: readonly Unblocking[];
  /** The number of changes that were tried, and that could be tried. */
  readonly tried: number;
  readonly candidates: number;
  /** Whether the time limit passed before all permitted changes were tried. */
  readonly isPartial: boolean;
}

export interface UnblockingOptions {
  readonly mostTried: number;
  readonly isOverdue?: () => boolean;
  readonly pick?: () => (tied: number) => number;
}

/**
 * How many pods without a node each single change would unblock. Applies each change that the reasons suggest to a copy of the
 * state, and runs the whole queue again. For new nodes, a binary search finds the smallest number that unblocks as many pods
 * as the maximum does.
 *
 * @param before a completed run of the same work
 */
export function* stepUnblocking(
  state: ClusterState,
  work: readonly QueuedWork[],
  profile: SchedulingProfile,
  before: QueueResult,
  { mostTried, isOverdue, pick }: UnblockingOptions,
): Generator<undefined, Unblockings> {
  const blocked: Blocked = before.byWork
    .map(({ unplaced, unknown }, index) => ({ work: index, pods: unplaced + unknown }))
    .filter(({ pods }) => pods > 0);
  if (blocked.length === 0) return { found: [], tried: 0, candidates: 0, isPartial: false };
  const candidates = yield* stepUnblockingChanges(state, work, blocked, profile);
  const found: Unblocking[] = [];
  let evaluated = 0;
  const end = (isPartial: boolean): Unblockings => ({
    found: found.sort((a, b) => b.unblocks - b.blocks - (a.unblocks - a.blocks)),
    tried: evaluated,
    candidates: candidates.length,
    isPartial,
  });
  const rerun = (change: UnblockingChange) => stepRerun(state, work, change, profile, defined({ isOverdue, pick }));
  for (const candidate of candidates.slice(0, mostTried)) {
    if (isOverdue?.() === true) return end(true);
    let change = candidate;
    let after = yield* rerun(change);
    if (change.kind === 'AddNodes' && after.stopped === undefined) {
      const most = compared(before, after).unblocks;
      let enough = Math.max(1, usedNames(after, new Set(newNames(state, change))).size);
      let tooFew = 0;
      while (most > 0 && enough - tooFew > 1) {
        const count = (enough + tooFew) >> 1;
        const tried = yield* rerun({ ...change, count });
        if (tried.stopped !== undefined) return end(true);
        if (compared(before, tried).unblocks < most) tooFew = count;
        else enough = count;
      }
      change = { ...change, count: enough };
      after = yield* rerun(change);
    }
    if (after.stopped !== undefined) return end(true);
    evaluated++;
    const outcome = compared(before, after);
    if (outcome.unblocks > 0) found.push({ change, ...outcome });
  }
  return end(false);
}

function* stepRerun(
  state: ClusterState,
  work: readonly QueuedWork[],
  change: UnblockingChange,
  profile: SchedulingProfile,
  { isOverdue, pick }: Pick<UnblockingOptions, 'isOverdue' | 'pick'>,
): Generator<undefined, QueueResult> {
  const changed = yield* stepChange(state, work, change);
  return yield* stepQueue(changed.state, changed.work, profile, {
    ...defined({ isOverdue }),
    ...(pick === undefined ? {} : { pick: pick() }),
  });
}

function usedNames({ decisions }: QueueResult, names: ReadonlySet<string>): ReadonlySet<string> {
  const used = new Set<string>();
  for (const decision of decisions) {
    if (decision.outcome === 'placed' && names.has(decision.node)) used.add(decision.node);
  }
  return used;
}

function compared(before: QueueResult, after: QueueResult): { readonly unblocks: number; readonly blocks: number } {
  let unblocks = 0;
  let blocks = 0;
  before.byWork.forEach(({ placed }, index) => {
    const gained = after.byWork[index]!.placed - placed;
    if (gained > 0) unblocks += gained;
    else blocks -= gained;
  });
  return { unblocks, blocks };
}
