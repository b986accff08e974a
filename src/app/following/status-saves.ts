import type { StatusMarks } from './follow-status.js';

/** Statuses that are saved in a round although no kind of them has another state: only times and positions have moved. */
const MOST_MOVED = 100;

interface Saved extends Readonly<StatusMarks> {
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

  /** @param marks by the id of the cluster */
  due(marks: ReadonlyMap<number, Readonly<StatusMarks>>): readonly number[] {
    const changed: number[] = [];
    const moved: number[] = [];
    for (const [id, { states, moves }] of marks) {
      const saved = this.saved.get(id);
      if (saved?.states !== states) changed.push(id);
      else if (saved.moves !== moves) moved.push(id);
    }
    moved.sort((a, b) => this.saved.get(a)!.at - this.saved.get(b)!.at);
    return [...changed, ...moved.slice(0, this.mostMoved)];
  }

  /** @param marks those of the status that was saved */
  note(id: number, { states, moves }: Readonly<StatusMarks>): void {
    this.saved.set(id, { states, moves, at: (this.saves += 1) });
  }

  forget(id: number): void {
    this.saved.delete(id);
  }
}
