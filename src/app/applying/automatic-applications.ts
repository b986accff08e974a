import type { ApplicationStore } from '../../storage/taint-trail/application-store.js';
import type { Clock } from '../clock.js';
import type { ApplicationRunner } from './application-runner.js';

/** Maximum delay before the next look, in milliseconds: another replica may store an application. */
const MAX_SLEEP = 1_000;
const MIN_SLEEP = 5;
/** Clusters that are written to at the same time by one replica. */
const MOST_CLUSTERS = 16;
/** Leases are extended this often while a node is written, since an API server may take its time. */
const EXTEND_EVERY = 4_000;
/** When the service stops, requests that are on their way may be answered for so long. */
const GRACE = 5_000;

type Failed = (error: unknown, cluster?: string) => void;

/** Writes changes to clusters that are told to be applied. Each cluster is written to by one replica at a time. */
export class AutomaticApplications {
  private timer: NodeJS.Timeout | undefined;
  private extending: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private readonly working = new Map<number, Promise<void>>();
  private readonly abort = new AbortController();
  private stopped = false;

  constructor(
    private readonly store: ApplicationStore,
    private readonly runner: ApplicationRunner,
    private readonly clock: Clock,
    private readonly failed: Failed,
  ) {}

  start(): void {
    this.extending = setInterval(() => {
      if (this.working.size === 0) return;
      this.store.extend(this.runner.holder, [...this.working.keys()], this.clock.now()).catch(this.failed);
    }, EXTEND_EVERY).unref();
    this.sleep(MIN_SLEEP);
  }

  /** Resolves after the writes that are on their way; another replica goes on at once. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const grace = setTimeout(() => this.abort.abort(), GRACE);
    await this.looking;
    await Promise.all(this.working.values());
    clearTimeout(grace);
    clearInterval(this.extending);
    await this.store.release(this.runner.holder).catch(this.failed);
  }

  private sleep(milliseconds: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look();
    }, milliseconds).unref();
  }

  private async look(): Promise<void> {
    let pause = MAX_SLEEP;
    try {
      const room = MOST_CLUSTERS - this.working.size;
      if (room > 0) {
        for (const cluster of await this.store.lease(this.runner.holder, this.clock.now(), room)) {
          if (!this.working.has(cluster.clusterId)) this.work(cluster);
        }
      }
      const next = await this.store.nextAt();
      const now = this.clock.now().getTime();
      if (next !== undefined && next.getTime() > now)
        pause = Math.min(pause, Math.max(next.getTime() - now, MIN_SLEEP));
    } catch (error) {
      this.failed(error);
    }
    this.sleep(pause);
  }

  private work(cluster: { readonly clusterId: number; readonly name: string }): void {
    const work = async (): Promise<void> => {
      try {
        while (!this.stopped && (await this.runner.step(cluster, this.abort.signal)));
        await this.store.release(this.runner.holder, cluster.clusterId);
      } catch (error) {
        this.failed(error, cluster.name);
      } finally {
        this.working.delete(cluster.clusterId);
      }
    };
    this.working.set(cluster.clusterId, work());
  }
}
