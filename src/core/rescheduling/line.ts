import { NO_PIN, type ReplacementClass } from './replacement-classes.js';

/** Replacement pods that no filter and no score can distinguish, first come, first served. */
export class Line {
  readonly pods: number[] = [];
  /** The creation times. */
  readonly times: number[] = [];
  private head = 0;
  /** The number of pods in the line that are known to fit no node. */
  refused = 0;

  constructor(
    readonly replacementClass: ReplacementClass,
    readonly pin: number,
    /** Orders lines by number if nothing else decides. */
    readonly id: number,
  ) {}

  get isPinned(): boolean {
    return this.pin !== NO_PIN;
  }

  get length(): number {
    return this.pods.length - this.head;
  }

  get first(): number {
    return this.pods[this.head]!;
  }

  get firstTime(): number {
    return this.times[this.head]!;
  }

  /** The pods without a result so far. */
  unjudged(): readonly number[] {
    return this.pods.slice(this.head + this.refused);
  }

  waiting(): readonly number[] {
    return this.pods.slice(this.head);
  }

  push(pod: number, at: number): void {
    this.pods.push(pod);
    this.times.push(at);
  }

  shift(): void {
    this.head++;
    if (this.refused > 0) this.refused--;
    if (this.head < 1024 || this.head * 2 < this.pods.length) return;
    this.pods.splice(0, this.head);
    this.times.splice(0, this.head);
    this.head = 0;
  }
}

/**
 * Lines whose first pod can be placed now: by priority, then by waiting time, like the scheduler's queue
 * (k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/queuesort/priority_sort.go).
 */
export class LineQueue {
  private readonly heap: Line[] = [];
  private readonly inside = new Set<Line>();

  add(line: Line): void {
    if (this.inside.has(line)) return;
    this.inside.add(line);
    const { heap } = this;
    heap.push(line);
    let at = heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (before(heap[parent]!, line)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = line;
  }

  take(): Line | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
    this.inside.delete(first);
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function before(a: Line, b: Line): boolean {
  const byPriority = b.replacementClass.priority - a.replacementClass.priority;
  return (byPriority || a.firstTime - b.firstTime || a.id - b.id) < 0;
}
