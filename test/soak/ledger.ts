import type { GivenTaintEdit } from '../../src/core/taint-change/read-taint-edit.js';
import type { RenderedNode } from './rendered-node.js';

/** A change that the service has acknowledged. */
export interface Acknowledged {
  readonly reason: string;
  readonly id: string;
  readonly revision: number;
  readonly asked: AskedOperation;
  /** By node, in kubectl's syntax: `+a=b:NoSchedule`, `-c:NoExecute`, `cordoned`. */
  readonly differences: ReadonlyMap<string, readonly string[]>;
}

/** The parts of a request that decide its result for nodes. */
export type AskedOperation =
  | { readonly kind: 'change'; readonly nodes: readonly string[] | 'all'; readonly edit: GivenTaintEdit }
  | { readonly kind: 'revert'; readonly undoes: string };

/** A dump that was sent as a snapshot; whether it was stored is read from the database by its source. */
export interface SentSnapshot {
  readonly capturedAt: Date;
  readonly nodes: readonly object[];
  /** Set if it was acknowledged. */
  revision?: number;
}

/** A response to a reader. */
export interface Sample {
  readonly revision: number;
  readonly nodes: readonly RenderedNode[];
}

const MAX_SAMPLES = 3_000;
const MAX_VIOLATIONS = 100;

/** All responses, to be compared with the stored state. */
export class Ledger {
  readonly acknowledged = new Map<string, Acknowledged>();
  /** By reason: refused, or without an effect. */
  readonly absent = new Map<string, string>();
  readonly snapshots = new Map<string, SentSnapshot>();
  readonly samples: Sample[] = [];
  /** Heads of the trail that were returned, by their record's number: all of them must remain in it. */
  readonly checkpoints = new Map<number, string>();
  readonly latencies: number[] = [];
  /** When changes were made, in milliseconds, by the service's clock. */
  readonly madeAt = new Set<number>();
  readonly violations: string[] = [];
  replayed = 0;
  settled = 0;
  reads = 0;
  /** The highest revision that any response contained. */
  highest = 1;
  private readonly inFlight = new Map<string, number>();
  private unsaid = 0;

  begin(reason: string): void {
    this.inFlight.set(reason, Date.now());
  }

  end(reason: string): void {
    this.inFlight.delete(reason);
  }

  /** Every change until this time has its response; in milliseconds. */
  quietUntil(): number {
    let time = Math.min(Date.now(), ...this.inFlight.values()) - 1;
    // For a change at exactly this time, the order of revisions would decide.
    while (this.madeAt.has(time)) time -= 1;
    return time;
  }

  sample(sample: Sample): void {
    if (this.samples.length < MAX_SAMPLES) this.samples.push(sample);
  }

  violation(message: string): void {
    if (this.violations.length < MAX_VIOLATIONS) this.violations.push(message);
    else this.unsaid += 1;
  }

  /** All violations, including the number of those that were not kept. */
  get found(): readonly string[] {
    return this.unsaid === 0 ? this.violations : [...this.violations, `and ${this.unsaid} more`];
  }
}
