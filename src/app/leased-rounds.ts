import { randomUUID } from 'node:crypto';
import { Semaphore } from '../event-loop/semaphore.js';
import type { HeadEvent } from '../storage/head-notifications.js';
import type { Clock } from './clock.js';

/** Delay before the next attempt after a failure, in milliseconds. */
const RETRY_AFTER = 5_000;
/** The shortest delay before an attempt, in milliseconds. */
const LEAST_WAIT = 100;
/** Clusters that are worked on at the same time: when the service starts, it hears of all. */
const MOST_AT_ONCE = 8;

/** Which replica alone does a work for a cluster, and until when. */
export interface Leases {
  /** @returns undefined if the replica has the lease; otherwise when that of another replica ends */
  readonly lease: (clusterId: number, holder: string, now: Date) => Promise<Date | undefined>;
  /** Ends all leases of a replica. */
  readonly release: (holder: string) => Promise<void>;
  /** For how long, in milliseconds. */
  readonly leaseMs: number;
}

export interface RoundWork {
  /** Whether there is something to do for a cluster. Asked by every replica. */
  readonly isDue: (clusterId: number) => Promise<boolean>;
  /** Does it. @returns when to look again without a new head; undefined if nothing is left to do */
  readonly run: (clusterId: number) => Promise<Date | undefined>;
  readonly failed: (error: unknown, clusterId: number) => void;
}

interface Round {
  running: boolean;
  again: boolean;
  retry?: NodeJS.Timeout;
  /** The work that is under way. */
  work?: Promise<void>;
}

/**
 * Work on the new heads of clusters in the background. Of several replicas, one does it for a cluster: it has a lease, which it extends
 * once a third of its time is over, while it works and for the next head, because it remembers the last one. The others take over when the
 * lease ends.
 */
export class LeasedRounds {
  private readonly rounds = new Map<number, Round>();
  private readonly slots = new Semaphore(MOST_AT_ONCE);
  /** When this replica got the leases that it has, by cluster. */
  private readonly leasedAt = new Map<number, number>();
  private stopped = false;
  /** This replica, as a holder of leases. */
  private readonly holder = randomUUID();

  constructor(
    private readonly work: RoundWork,
    private readonly leases: Leases,
    private readonly clock: Clock,
  ) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  hear(event: HeadEvent): void {
    if (event.type === 'head') this.wake(event.clusterId);
    if (event.type === 'deleted') this.leasedAt.delete(event.clusterId);
  }

  /** Looks at a cluster within some milliseconds: sooner if a head is heard of, and once for all that ask meanwhile. */
  lookWithin(clusterId: number, ms: number): void {
    const round = this.roundOf(clusterId);
    if (round.running) round.again = true;
    else if (round.retry === undefined) this.retry(clusterId, round, ms);
  }

  start(): void {
    this.stopped = false;
  }

  /** Resolves after the rounds that are under way, which should store nothing. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const { retry } of this.rounds.values()) clearTimeout(retry);
    await Promise.all([...this.rounds.values()].flatMap(({ work }) => (work === undefined ? [] : [work])));
    this.leasedAt.clear();
    // Without a database the leases end by themselves.
    await this.leases.release(this.holder).catch(() => undefined);
  }

  private wake(clusterId: number): void {
    const round = this.roundOf(clusterId);
    round.again = true;
    if (!round.running) round.work = this.runRounds(clusterId, round);
  }

  private roundOf(clusterId: number): Round {
    let round = this.rounds.get(clusterId);
    if (round === undefined) this.rounds.set(clusterId, (round = { running: false, again: false }));
    return round;
  }

  private async runRounds(clusterId: number, round: Round): Promise<void> {
    round.running = true;
    clearTimeout(round.retry);
    delete round.retry;
    try {
      while (round.again && !this.stopped) {
        round.again = false;
        const next = await this.runAlone(clusterId);
        if (next !== undefined) {
          this.retry(clusterId, round, next.getTime() - this.clock.now().getTime());
          return;
        }
      }
      this.rounds.delete(clusterId);
    } catch (error) {
      if (this.stopped) return;
      this.work.failed(error, clusterId);
      this.retry(clusterId, round, RETRY_AFTER);
    } finally {
      round.running = false;
    }
  }

  private retry(clusterId: number, round: Round, after: number): void {
    if (!this.stopped) round.retry = setTimeout(() => this.wake(clusterId), Math.max(after, LEAST_WAIT)).unref();
  }

  /** Returns when to look again: when the lease of another replica ends, or as the work says. */
  private async runAlone(clusterId: number): Promise<Date | undefined> {
    if (!(await this.work.isDue(clusterId))) return undefined;
    const leave = await this.slots.take();
    try {
      return this.stopped ? undefined : await this.runLeased(clusterId);
    } finally {
      leave();
    }
  }

  private async runLeased(clusterId: number): Promise<Date | undefined> {
    const leasedUntil = this.isLeased(clusterId) ? undefined : await this.lease(clusterId);
    if (leasedUntil !== undefined) return leasedUntil;
    const renewal = setInterval(() => {
      // A lease that is lost costs the work: what another replica stored meanwhile stands.
      this.lease(clusterId).catch((error: unknown) => this.work.failed(error, clusterId));
    }, this.leases.leaseMs / 3).unref();
    try {
      return await this.work.run(clusterId);
    } finally {
      clearInterval(renewal);
    }
  }

  /** Whether the replica has a lease that need not be extended yet. */
  private isLeased(clusterId: number): boolean {
    const age = this.clock.now().getTime() - (this.leasedAt.get(clusterId) ?? -Infinity);
    // The clock may have been set back.
    return age >= 0 && age < this.leases.leaseMs / 3;
  }

  /** @returns as `Leases.lease` */
  private async lease(clusterId: number): Promise<Date | undefined> {
    const now = this.clock.now();
    const leasedUntil = await this.leases.lease(clusterId, this.holder, now);
    if (leasedUntil === undefined) this.leasedAt.set(clusterId, now.getTime());
    else this.leasedAt.delete(clusterId);
    return leasedUntil;
  }
}
