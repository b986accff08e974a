/** What a caller has used of a limit, over all processes of this replica. */
export interface Window {
  /** Uses in the current window, with this one. */
  readonly current: number;
  /** Milliseconds until the window ends. */
  readonly ttl: number;
}

export interface PlaceLimits {
  readonly perCaller: number;
  readonly inTotal: number;
}

/** A place, or which limit leaves none, with how many are taken of it. */
export type Entry = { readonly leave: () => void } | { readonly full: keyof PlaceLimits; readonly taken: number };

/** Counts for the limits of one replica: what its processes count, they count together. */
export interface SharedCounts {
  /** Counts one use of a key in a fixed window, which begins with the first use after the last window. */
  hit(key: string, windowMs: number): Promise<Window>;
  /**
   * Takes a place among those of a kind, until it is left.
   * @param kind such as `uploads`
   */
  enter(kind: string, caller: string, limits: PlaceLimits): Promise<Entry>;
}

interface OpenWindow {
  readonly since: number;
  current: number;
}

/** Keys that are counted at the same time; the one that was used least recently is dropped first. */
const MOST_KEYS = 60_000;

/** The counts of a replica that is one process; of several, their parent has them. */
export class LocalCounts implements SharedCounts {
  private readonly windows = new Map<string, OpenWindow>();
  private readonly places = new Map<string, Map<string, number>>();
  private readonly totals = new Map<string, number>();

  constructor(private readonly now: () => number = Date.now) {}

  hit(key: string, windowMs: number): Promise<Window> {
    const now = this.now();
    let window = this.windows.get(key);
    if (window === undefined || window.since + windowMs <= now) window = { since: now, current: 0 };
    window.current += 1;
    // The order of the map is that of the last uses.
    this.windows.delete(key);
    this.windows.set(key, window);
    if (this.windows.size > MOST_KEYS) this.windows.delete(this.windows.keys().next().value!);
    return Promise.resolve({ current: window.current, ttl: windowMs - (now - window.since) });
  }

  enter(kind: string, caller: string, { perCaller, inTotal }: PlaceLimits): Promise<Entry> {
    let callers = this.places.get(kind);
    if (callers === undefined) this.places.set(kind, (callers = new Map<string, number>()));
    const own = callers.get(caller) ?? 0;
    if (own >= perCaller) return Promise.resolve({ full: 'perCaller', taken: own });
    const total = this.totals.get(kind) ?? 0;
    if (total >= inTotal) return Promise.resolve({ full: 'inTotal', taken: total });
    callers.set(caller, own + 1);
    this.totals.set(kind, total + 1);
    let isOver = false;
    const leave = (): void => {
      if (isOver) return;
      isOver = true;
      this.leave(kind, caller);
    };
    return Promise.resolve({ leave });
  }

  private leave(kind: string, caller: string): void {
    const callers = this.places.get(kind)!;
    const left = callers.get(caller)! - 1;
    if (left === 0) callers.delete(caller);
    else callers.set(caller, left);
    this.totals.set(kind, this.totals.get(kind)! - 1);
  }
}
