import { randomUUID } from 'node:crypto';
import type { AddressGuard } from '../../kube-api/address-guard.js';
import { type AskPath, discoverKinds } from '../../kube-api/discover-kinds.js';
import { readServerVersion } from '../../kube-api/server-version.js';
import { Backoff } from '../../kube-api/reflector/backoff.js';
import { StreamClient } from '../../kube-api/stream-client.js';
import type { FollowLeases, HeldCluster } from '../../storage/follow-leases.js';
import { LeaseLost } from '../../storage/follow-leases.js';
import type { HeadEvent } from '../../storage/head-notifications.js';
import type { Connections } from '../connections/connections.js';
import {
  ClusterFollower,
  type FollowerShares,
  followerShares,
  type FollowerTools,
  type ServedCluster,
} from './cluster-follower.js';
import type { FollowStatus, StatusMarks } from './follow-status.js';
import { Semaphore } from '../../event-loop/semaphore.js';
import { StatusSaves } from './status-saves.js';

/** How often leases are renewed and clusters are looked for, in milliseconds. A lease lasts 10 s. */
const ROUND = 3_000;
/** Rounds from one look to the next while no cluster is to be followed. */
const ROUNDS_OF_NONE = 3;

/** Clusters that are discovered at the same time. One whose API server does not answer takes up to half a minute. */
const MOST_DISCOVERED = 32;

interface Following {
  readonly cluster: HeldCluster;
  readonly stop: AbortController;
  work: Promise<void>;
  follower: ClusterFollower | undefined;
  /** Why it is not followed just now. */
  message: string | null;
  readonly since: Date;
  readonly marks: StatusMarks;
}

export interface FollowWatchOptions extends Omit<FollowerTools, keyof FollowerShares | 'marks'> {
  readonly leases: FollowLeases;
  readonly failed: (error: unknown, cluster: string) => void;
}

/** Follows this replica's share of the clusters whose connection says so. */
export class FollowWatch {
  private readonly holder = randomUUID();
  private readonly following = new Map<number, Following>();
  private readonly shares = followerShares();
  private readonly discoveries = new Semaphore(MOST_DISCOVERED);
  private readonly saves = new StatusSaves();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private saving: Promise<void> | undefined;
  private isStopped = false;
  /** Rounds to leave out. */
  private quiet = 0;

  constructor(
    private readonly connections: Pick<Connections, 'open'>,
    private readonly guard: AddressGuard,
    private readonly options: FollowWatchOptions,
  ) {}

  start(): void {
    void this.round();
    this.timer = setInterval(() => {
      if (this.quiet > 0) this.quiet--;
      else void this.round();
    }, ROUND).unref();
  }

  hear(event: HeadEvent): void {
    if (event.type !== 'connection') return;
    // The round that is under way may have read before.
    void (this.running ?? Promise.resolve()).then(() => this.round());
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
    await this.saving;
    await Promise.all([...this.following.values()].map((one) => this.end(one)));
    // Without a database the leases end by themselves.
    await this.options.leases.leave(this.holder, () => undefined).catch(() => undefined);
  }

  /** How each cluster that this replica follows is doing. */
  get statuses(): readonly { readonly cluster: string; readonly status: FollowStatus }[] {
    return [...this.following.values()].map((one) => ({ cluster: one.cluster.name, status: statusOf(one) }));
  }

  /** Takes and gives up clusters; does not begin while another round is in progress. */
  round(): Promise<void> {
    this.running ??= this.share().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async share(): Promise<void> {
    if (this.isStopped) return;
    let held: readonly HeldCluster[];
    try {
      const shared = await this.options.leases.share(this.holder, (error) => this.options.failed(error, ''));
      held = shared.clusters;
      this.quiet = shared.isAnyWanted ? 0 : ROUNDS_OF_NONE - 1;
    } catch (error) {
      // What is followed goes on; whether the lease still holds is checked by each commit.
      this.options.failed(error, '');
      return;
    }
    const wanted = new Map(held.map((cluster) => [cluster.id, cluster]));
    for (const one of this.following.values()) {
      const now = wanted.get(one.cluster.id);
      // Another connection, such as rotated credentials, is used from where the former one ended. The leases of the other clusters are
      // renewed meanwhile, however long that takes.
      if (now?.connectedAt.getTime() !== one.cluster.connectedAt.getTime()) void this.end(one);
    }
    for (const cluster of held) if (!this.following.has(cluster.id) && !this.isStopped) this.begin(cluster);
    // Leases are renewed meanwhile: hundreds of statuses may have changed at once, and the database may be busy.
    this.saving ??= this.saveStatuses().finally(() => {
      this.saving = undefined;
    });
  }

  private async saveStatuses(): Promise<void> {
    const due = this.saves.due(new Map([...this.following].map(([id, { marks }]) => [id, marks])));
    for (const id of due) {
      const one = this.following.get(id);
      if (this.isStopped) return;
      if (one === undefined) continue;
      const marks = { ...one.marks };
      try {
        await this.options.leases.saveStatus(id, this.holder, statusOf(one));
        if (this.following.get(id) === one) this.saves.note(id, marks);
      } catch (error) {
        this.options.failed(error, one.cluster.name);
      }
    }
  }

  private begin(cluster: HeldCluster): void {
    const one: Following = {
      cluster,
      stop: new AbortController(),
      work: Promise.resolve(),
      follower: undefined,
      message: null,
      since: this.now(),
      marks: { states: 0, moves: 0 },
    };
    this.following.set(cluster.id, one);
    one.work = this.follow(one);
  }

  private async end(one: Following): Promise<void> {
    one.stop.abort();
    await one.work;
    this.forget(one);
  }

  private forget(one: Following): void {
    if (this.following.get(one.cluster.id) !== one) return;
    this.following.delete(one.cluster.id);
    this.saves.forget(one.cluster.id);
  }

  private async follow(one: Following): Promise<void> {
    const { signal } = one.stop;
    const backoff = new Backoff(this.options.random);
    while (!signal.aborted) {
      try {
        await this.followOnce(one);
      } catch (error) {
        if (signal.aborted) return;
        one.message = error instanceof Error ? error.message : String(error);
        one.marks.states += 1;
        this.options.failed(error, one.cluster.name);
        if (error instanceof LeaseLost) {
          this.forget(one);
          return;
        }
        const { clock } = this.options;
        await clock.sleep(backoff.next(clock.now()), signal).catch(() => undefined);
      }
    }
  }

  private async followOnce(one: Following): Promise<void> {
    const { signal } = one.stop;
    const apiServer = await within(this.shares.starts, signal, async () => {
      return (await this.connections.open(one.cluster.name)).apiServer;
    });
    const client = new StreamClient(this.guard, apiServer);
    try {
      const served = await within(this.discoveries, signal, () => this.discovered(client, signal));
      one.follower = new ClusterFollower(one.cluster, this.holder, served, client, {
        ...this.options,
        ...this.shares,
        marks: one.marks,
      });
      one.message = null;
      one.marks.states += 1;
      await one.follower.run(signal);
    } finally {
      client.close();
    }
  }

  private async discovered(client: StreamClient, signal: AbortSignal): Promise<ServedCluster> {
    const ask: AskPath = (path) => client.ask(path, signal);
    const [served, version] = await Promise.all([discoverKinds(ask), readServerVersion(ask)]);
    return { served, version };
  }

  private now(): Date {
    return new Date(this.options.clock.now());
  }
}

/** Works when it is its turn. @throws the reason of the signal if it is aborted first */
async function within<Result>(turns: Semaphore, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const end = await turns.take(signal);
  if (end === undefined) throw signal.reason as Error;
  try {
    return await work();
  } finally {
    end();
  }
}

function statusOf({ follower, message, since }: Following): FollowStatus {
  const status = follower?.status ?? { since: since.toISOString(), kinds: [] };
  return { ...status, message };
}
