import type { LivePod } from '../live-pod.js';

interface Entry {
  readonly pod: LivePod;
  readonly order: number;
}

/** Pods that wait for their turn: the one of the highest priority is first, of equal ones the one that came first. */
export class PodQueue {
  /** A binary heap. */
  private readonly heap: Entry[] = [];
  /** Entries that are not in here have left. */
  private readonly entries = new Map<LivePod, Entry>();
  private came = 0;

  get size(): number {
    return this.entries.size;
  }

  has(pod: LivePod): boolean {
    return this.entries.has(pod);
  }

  add(pod: LivePod): void {
    const entry = { pod, order: this.came++ };
    this.entries.set(pod, entry);
    const { heap } = this;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  delete(pod: LivePod): boolean {
    return this.entries.delete(pod);
  }

  /** Takes the first pod; undefined without any. */
  take(): LivePod | undefined {
    for (;;) {
      const first = this.takeEntry();
      if (first === undefined) return undefined;
      if (this.entries.get(first.pod) !== first) continue;
      this.entries.delete(first.pod);
      return first.pod;
    }
  }

  private takeEntry(): Entry | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (a: Entry, b: Entry): boolean =>
  a.pod.priority > b.pod.priority || (a.pod.priority === b.pod.priority && a.order < b.order);
