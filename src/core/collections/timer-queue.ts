/** An entry of a timer queue; `firesAt` is in milliseconds since the epoch. */
export interface Timed {
  readonly firesAt: number;
}

/**
 * An immutable priority queue by time (a leftist heap); the order of entries that fire at the same time is undefined.
 */
export type TimerQueue<Entry extends Timed> = QueueNode<Entry> | undefined;

interface QueueNode<Entry extends Timed> {
  readonly entry: Entry;
  /** The length of the shortest path to a missing child; never greater in the right child than in the left one. */
  readonly rank: number;
  readonly left: TimerQueue<Entry>;
  readonly right: TimerQueue<Entry>;
}

export function enqueue<Entry extends Timed>(queue: TimerQueue<Entry>, entry: Entry): TimerQueue<Entry> {
  return merged(queue, { entry, rank: 1, left: undefined, right: undefined });
}

/** The queue without its first entry. */
export function dequeue<Entry extends Timed>(queue: TimerQueue<Entry>): TimerQueue<Entry> {
  return queue === undefined ? undefined : merged(queue.left, queue.right);
}

function merged<Entry extends Timed>(a: TimerQueue<Entry>, b: TimerQueue<Entry>): TimerQueue<Entry> {
  if (a === undefined) return b;
  if (b === undefined) return a;
  const [first, second] = a.entry.firesAt <= b.entry.firesAt ? [a, b] : [b, a];
  const other = merged(first.right, second);
  const [left, right] = rankOf(first.left) >= rankOf(other) ? [first.left, other] : [other, first.left];
  return { entry: first.entry, rank: rankOf(right) + 1, left, right };
}

const rankOf = <Entry extends Timed>(queue: TimerQueue<Entry>): number => queue?.rank ?? 0;
