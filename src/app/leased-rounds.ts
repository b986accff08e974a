import { Semaphore } from '../event-loop/semaphore.js';
import type { HeadEvent } from '../storage/head-notifications.js';
import type { LeasesOfClusters } from '../storage/leases-of-clusters.js';
import type { Clock } from './clock.js';

/** Delay before the next attempt after a failure, in milliseconds. */
const RETRY_AFTER = 5_000;
/** The shortest delay before an attempt, in milliseconds. */
const LEAST_WAIT = 100;
/** Clusters that are worked on at the same time: when the service starts, it hears of all. */
const MOST_AT_ONCE = 8;

export interface RoundWork<Due> {
  /** Reads what there is to do for a cluster; undefined if there is nothing. Asked by every replica that may have the lease. */
  readonly due: (clusterId: number) => Promise<Due | undefined>;
  /** Does it. @returns when to look again without a new head; undefined if nothing is left to do */
  readonly run: (clusterId: number, due: Due) => Promise<Date | undefined>;
  readonly failed: (error: unknown, clusterId: number) => void;
  /** The shortest time from one round of a busy cluster to the next, in milliseconds; 0 if absent. */
  readonly restMs?: number;
}

interface Round {
  running: boolean;
  again: boolean;
  retry?: NodeJS.Timeout;
  /** The work that is under way. */
  work?: Promise<void>;
}

/** A time from a moment on, both in milliseconds. */
interface Since {
  readonly at: number;
  readonly forMs: number;
}

/**
 * Work on the new heads of clusters in the background. Of several replicas, one does it for a cluster: it has a lease, which it extends
 * once a third of its time is over, while it works and for the next head, because it remembers the last one. The others take over when the
 * lease ends; until then they ask for it once in a third of its time, however many heads come.
 */
export class LeasedRounds<Due> {
  private readonly rounds = new Map<number, Round>();
  private readonly slots = new Semaphore(MOST_AT_ONCE);
  /** When this replica got the leases that it has, by cluster; each counts until it is to be extended. */
  private readonly leased = new Map<number, Since>();
  /** Clusters that need no round yet: another replica has the lease, or the cluster rests. */
  private readonly idle = new Map<number, Since>();
  /** When the last round of a cluster ended, if it has to rest between rounds. */
  private readonly busy = new Map<number, Since>();
  private stopped = false;

  constructor(
    private readonly work: RoundWork<Due>,
    private readonly leases: LeasesOfClusters,
    private readonly clock: Clock,
  ) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  hear(event: HeadEvent): void {
    if (event.type === 'head') this.wake(event.clusterId);
    if (event.type !== 'deleted') return;
    this.leased.delete(event.clusterId);
    this.idle.delete(event.clusterId);
    this.busy.delete(event.clusterId);
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
    this.leased.clear();
    this.idle.clear();
    this.busy.clear();
    // Without a database the leases end by themselves.
    await this.leases.release().catch(() => undefined);
  }

  private wake(clusterId: number): void {
    const round = this.roundOf(clusterId);
    round.again = true;
    if (round.running) return;
    const idleFor = this.left(this.idle.get(clusterId));
    if (idleFor === 0) round.work = this.runRounds(clusterId, round);
    else this.retry(clusterId, round, idleFor);
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
        const idleFor = this.left(this.idle.get(clusterId));
        if (next !== undefined || (round.again && idleFor > 0)) {
          this.retry(clusterId, round, next === undefined ? idleFor : next.getTime() - this.clock.now().getTime());
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
    if (this.stopped) return;
    clearTimeout(round.retry);
    round.retry = setTimeout(() => this.wake(clusterId), Math.max(after, LEAST_WAIT)).unref();
  }

  /** Returns when to look again: when the lease of another replica ends, or as the work says. */
  private async runAlone(clusterId: number): Promise<Date | undefined> {
    const due = await this.work.due(clusterId);
    if (due === undefined) return undefined;
    const leave = await this.slots.take();
    try {
      return this.stopped ? undefined : await this.runLeased(clusterId, due);
    } finally {
      leave();
    }
  }

  private async runLeased(clusterId: number, found: Due): Promise<Date | undefined> {
    let due: Due | undefined = found;
    if (this.left(this.leased.get(clusterId)) === 0) {
      const leasedUntil = await this.lease(clusterId);
      if (leasedUntil !== undefined) return leasedUntil;
      // Another replica may have done it before the lease.
      due = await this.work.due(clusterId);
      if (due === undefined) return undefined;
    }
    const renewal = setInterval(() => {
      // A lease that is lost costs the work: what another replica stored meanwhile stands.
      this.lease(clusterId).catch((error: unknown) => this.work.failed(error, clusterId));
    }, this.leases.leaseMs / 3).unref();
    try {
      return await this.work.run(clusterId, due);
    } finally {
      clearInterval(renewal);
      this.rest(clusterId);
    }
  }

  /** Notes the end of a round. The cluster rests if it had another one shortly before, so that one that seldom changes never waits. */
  private rest(clusterId: number): void {
    const { restMs } = this.work;
    if (restMs === undefined) return;
    const at = this.clock.now().getTime();
    if (this.left(this.busy.get(clusterId)) > 0) this.idle.set(clusterId, { at, forMs: restMs });
    this.busy.set(clusterId, { at, forMs: 2 * restMs });
  }

  /** What is left of a time, in milliseconds; 0 if it is over, or the clock was set back. */
  private left(since: Since | undefined): number {
    if (since === undefined) return 0;
    const age = this.clock.now().getTime() - since.at;
    return age < 0 ? 0 : Math.max(0, since.forMs - age);
  }

  /** @returns as `LeasesOfClusters.lease` */
  private async lease(clusterId: number): Promise<Date | undefined> {
    const now = this.clock.now();
    const leasedUntil = await this.leases.lease(clusterId);
    const third = this.leases.leaseMs / 3;
    const at = now.getTime();
    if (leasedUntil === undefined) this.leased.set(clusterId, { at, forMs: third });
    else {
      this.leased.delete(clusterId);
      // A replica that stops ends its leases before their time.
      this.idle.set(clusterId, { at, forMs: Math.min(third, leasedUntil.getTime() - at) });
    }
    return leasedUntil;
  }
}
