import type { ApplicationStore } from '../../storage/taint-trail/application-store.js';
import type { HeadEvent } from '../../storage/head-notifications.js';
import type { Clock } from '../clock.js';
import { TimedLooks } from '../timed-looks.js';
import type { ApplicationRunner } from './application-runner.js';

/** Clusters that are written to at the same time by one replica. */
const MOST_CLUSTERS = 16;
/** Leases are extended this often while a node is written, since an API server may take its time. */
const EXTEND_EVERY = 4_000;
/** When the service stops, requests that are on their way may be answered for so long. */
const GRACE = 5_000;

type Failed = (error: unknown, cluster?: string) => void;

/** Writes changes to clusters that are told to be applied. Each cluster is written to by one replica at a time. */
export class AutomaticApplications {
  private extending: NodeJS.Timeout | undefined;
  private readonly looks: TimedLooks;
  private readonly working = new Map<number, Promise<void>>();
  private readonly abort = new AbortController();

  constructor(
    private readonly store: ApplicationStore,
    private readonly runner: ApplicationRunner,
    private readonly clock: Clock,
    private readonly failed: Failed,
  ) {
    this.looks = new TimedLooks({ look: (clusterIds, told) => this.look(clusterIds, told), clock, failed });
  }

  hear(event: HeadEvent): void {
    this.looks.hear(event);
  }

  lookAtAll(): void {
    this.looks.lookAtAll();
  }

  start(): void {
    this.extending = setInterval(() => {
      for (const clusterId of this.working.keys()) {
        this.store.extend(this.runner.holder, clusterId, this.clock.now()).catch(this.failed);
      }
    }, EXTEND_EVERY).unref();
    this.looks.start();
  }

  /** Resolves after the writes that are on their way; another replica goes on at once. */
  async stop(): Promise<void> {
    const grace = setTimeout(() => this.abort.abort(), GRACE);
    await this.looks.stop();
    await Promise.all(this.working.values());
    clearTimeout(grace);
    clearInterval(this.extending);
  }

  private async look(
    clusterIds: readonly number[] | undefined,
    failed: (error: unknown) => void,
  ): Promise<Date | undefined> {
    const next = await this.store.nextAt(failed, clusterIds);
    if (next === undefined || next > this.clock.now()) return next;
    const room = MOST_CLUSTERS - this.working.size;
    const due = room > 0 ? await this.store.due(this.clock.now(), MOST_CLUSTERS, failed, clusterIds) : [];
    for (const cluster of due) {
      if (this.working.size >= MOST_CLUSTERS) break;
      if (this.working.has(cluster.clusterId)) continue;
      try {
        const isLeased = await this.store.lease(this.runner.holder, cluster.clusterId, this.clock.now());
        if (isLeased) this.work(cluster);
      } catch (error) {
        this.failed(error, cluster.name);
      }
    }
    return this.store.nextAt(failed, clusterIds);
  }

  private work(cluster: { readonly clusterId: number; readonly name: string }): void {
    const work = async (): Promise<void> => {
      try {
        try {
          while (!this.looks.isStopped && (await this.runner.step(cluster, this.abort.signal)));
        } finally {
          await this.store.release(this.runner.holder, cluster.clusterId);
        }
      } catch (error) {
        this.failed(error, cluster.name);
      } finally {
        this.working.delete(cluster.clusterId);
        // What is to be tried again has another time now.
        if (!this.looks.isStopped) this.looks.lookAt(cluster.clusterId);
      }
    };
    this.working.set(cluster.clusterId, work());
  }
}
