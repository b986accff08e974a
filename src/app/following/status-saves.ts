import type { FollowStatus } from './follow-status.js';

/** Statuses that are saved in a round although no kind of them has another state: only times and positions have moved. */
const MOST_MOVED = 100;

interface Saved {
  /** Without times and positions. */
  readonly states: string;
  readonly text: string;
  /** The number of saves until this one. */
  readonly at: number;
}

/**
 * Which statuses are to be saved: those with another state at once, others in turn, those that were saved longest ago first. The times
 * of each of many clusters move with each bookmark.
 */
export class StatusSaves {
  private readonly saved = new Map<number, Saved>();
  private saves = 0;

  constructor(private readonly mostMoved = MOST_MOVED) {}

  /** @param statuses by the id of the cluster */
  due(statuses: ReadonlyMap<number, FollowStatus>): readonly number[] {
    const changed: number[] = [];
    const moved: number[] = [];
    for (const [id, status] of statuses) {
      const saved = this.saved.get(id);
      if (statesOf(status) !== saved?.states) changed.push(id);
      else if (JSON.stringify(status) !== saved.text) moved.push(id);
    }
    moved.sort((a, b) => this.saved.get(a)!.at - this.saved.get(b)!.at);
    return [...changed, ...moved.slice(0, this.mostMoved)];
  }

  note(id: number, status: FollowStatus): void {
    this.saved.set(id, { states: statesOf(status), text: JSON.stringify(status), at: (this.saves += 1) });
  }

  forget(id: number): void {
    this.saved.delete(id);
  }
}

function statesOf({ since, message, kinds }: FollowStatus): string {
  return JSON.stringify([since, message, kinds.map(({ kind, state, message, rule }) => [kind, state, message, rule])]);
}
