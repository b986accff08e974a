import { setTimeout as sleep } from 'node:timers/promises';
import type { DigestMaker, DigestTurns, DueCluster } from '../../storage/digest-turns.js';
import type { Clock } from '../clock.js';
import type { RequestContext } from '../request-context.js';
import type { ClusterStates } from '../states/cluster-states.js';
import { stateKeyOf } from '../states/state-key.js';
import { TimeSlices } from '../states/time-slices.js';
import type { KeepFigures } from './keep-figures.js';

export interface AutomaticDigestsOptions {
  readonly maker: DigestMaker;
  /** How much of its time it works, in percent; 0: never. */
  readonly percent: number;
  readonly clock: Clock;
  /** The context of a request of the service itself. */
  readonly context: (now: Date, signal: AbortSignal) => RequestContext;
  readonly failed: (error: unknown, cluster?: string) => void;
  /** Resolves when no snapshot arrives at this process, and after so many milliseconds at the latest. */
  readonly snapshotsTaken: (longestMs: number, signal: AbortSignal) => Promise<void>;
}

/** Milliseconds between two looks at what is due. */
const INTERVAL = 30_000;
/** Clusters that are fetched at once. */
const BATCH = 100;
/** For how many milliseconds of a round snapshots that arrive go first. */
const PATIENCE = 60_000;

/**
 * Keeps ahead of questions what those about many clusters read, and the images of states, cluster by cluster: what a new head or a new
 * version lacks, and what retention has removed. A process takes a cluster in the database, so that no other computes the same, and
 * another takes it over if the process ends. States that it loads for this do not stay in memory.
 */
export class AutomaticDigests {
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  /** Those of the cluster that is being computed. */
  private slices: TimeSlices | undefined;

  constructor(
    private readonly turns: Pick<DigestTurns, 'due' | 'take' | 'leave'>,
    private readonly states: Pick<ClusterStates, 'knows' | 'release' | 'keepImage'>,
    private readonly figures: Pick<KeepFigures, 'run'>,
    private readonly options: AutomaticDigestsOptions,
  ) {}

  start(): void {
    if (this.options.percent === 0) return;
    this.timer = setInterval(() => void this.round(), INTERVAL).unref();
  }

  /** Resolves when the cluster that is being computed is finished, or given up. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    this.slices?.hurry();
    await this.running;
  }

  /** Works until nothing is due; does not start while another round is in progress. */
  round(): Promise<void> {
    this.running ??= this.work().finally(() => (this.running = undefined));
    return this.running;
  }

  private async work(): Promise<void> {
    const { maker, clock, failed } = this.options;
    let patience = PATIENCE;
    try {
      for (;;) {
        const due = await this.turns.due(maker, clock.now(), BATCH, (error) => failed(error));
        // Those whose state is in memory cost least.
        const inMemory = due.filter(({ id }) => this.states.knows(id));
        const others = due.filter((cluster) => !inMemory.includes(cluster));
        for (const cluster of [...inMemory, ...others]) {
          patience -= await this.letSnapshotsGoFirst(patience);
          if (this.stopping.signal.aborted) return;
          const began = performance.now();
          const rested = (await this.turns.take(cluster.id)) ? await this.keep(cluster) : 0;
          await this.rest(performance.now() - began, rested);
        }
        if (due.length < BATCH) return;
      }
    } catch (error) {
      if (!this.stopping.signal.aborted) failed(error);
    }
  }

  /**
   * A cluster that cannot be read holds up no other; its turn is not given back, so that it is not tried again at once.
   * @returns for how many milliseconds it rested in between
   */
  private async keep(cluster: DueCluster): Promise<number> {
    const { clock, context, failed } = this.options;
    // One of its own: those who listen to it do not stay with that of the service.
    const signal = AbortSignal.any([this.stopping.signal]);
    const wasKnown = this.states.knows(cluster.id);
    const slices = new TimeSlices({ background: { rests: this.restsAfterWork } });
    this.slices = slices;
    if (this.stopping.signal.aborted) slices.hurry();
    try {
      const { revision } = await this.figures.run(cluster, context(clock.now(), signal), slices);
      await this.states.keepImage(stateKeyOf(revision));
      await this.turns.leave(cluster.id);
    } catch (error) {
      if (!signal.aborted) failed(error, cluster.name);
    } finally {
      if (!wasKnown) this.states.release(cluster.id);
    }
    return slices.rested;
  }

  /** How many times as long as it works it rests. */
  private get restsAfterWork(): number {
    return 100 / this.options.percent - 1;
  }

  /** @returns the milliseconds that it took */
  private async letSnapshotsGoFirst(longestMs: number): Promise<number> {
    if (longestMs <= 0) return 0;
    const began = performance.now();
    await this.options.snapshotsTaken(longestMs, this.stopping.signal);
    return performance.now() - began;
  }

  /** @param rested how much of the time it has rested already, in milliseconds */
  private async rest(took: number, rested: number): Promise<void> {
    const { signal } = this.stopping;
    const pause = Math.max(0, (took - rested) * this.restsAfterWork - rested);
    await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
