import type { BeforeApplicationShutdown, FactoryProvider, OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { LiveStreams } from './app/live/live-streams.js';
import { StoredSchedules } from './app/live/stored-schedules.js';
import { HeadCache } from './app/reads/head-cache.js';
import { AutomaticRetention } from './app/snapshots/automatic-retention.js';
import { AutomaticExpiry } from './app/taint-changes/automatic-expiry.js';
import { ExpireTaintChanges } from './app/taint-changes/expire-taint-changes.js';
import { FollowHeads } from './app/states/follow-heads.js';
import { ClusterStates } from './app/states/cluster-states.js';
import type { Foundations } from './foundations.js';
import { ClusterHistory } from './storage/cluster-history.js';
import { HeadListener } from './storage/head-listener.js';
import { ObjectReader } from './storage/object-reader.js';
import { Retention } from './storage/retention.js';
import { RevisionStore } from './storage/revision-store.js';

/** What lives as long as the service: loaded states, the ear for new heads, the removal of old revisions, and
 * the end of changes whose time is over. */
export function running({ config, log, clock, metrics, database }: Foundations): FactoryProvider[] {
  return [
    {
      provide: HeadListener,
      useFactory: () => new HeadListener(database.url, (level, message, details) => log[level](details ?? {}, message)),
    },
    {
      provide: ClusterStates,
      inject: [ObjectReader, RevisionStore],
      useFactory: (reader: ObjectReader, revisions: RevisionStore) => {
        const states = new ClusterStates(reader, {
          budgetBytes: config.stateMemoryBytes,
          onLoad: (kind, seconds) => {
            metrics.observeStateLoad(kind, seconds);
          },
        });
        metrics.addGauge({
          name: 'states_loaded',
          help: 'States in memory.',
          read: () => [{ value: states.loaded().states }],
        });
        metrics.addGauge({
          name: 'states_loaded_bytes',
          help: 'Their size by a rough count of their own; what they share counts each time.',
          read: () => [{ value: states.loaded().bytes }],
        });
        metrics.addGauge({
          name: 'snapshot_age_seconds',
          help: 'Time since the head of each cluster was captured; absent while the database cannot be reached.',
          labelNames: ['cluster'],
          read: async () => {
            const heads = await revisions.heads().catch(() => []);
            const now = clock.now().getTime();
            return heads.map(({ clusterName, capturedAt }) => ({
              labels: { cluster: clusterName },
              value: (now - capturedAt.getTime()) / 1000,
            }));
          },
        });
        return states;
      },
    },
    {
      provide: AutomaticRetention,
      inject: [Retention],
      useFactory: (retention: Retention) =>
        new AutomaticRetention(retention, config.retention, clock, {
          removed: (reports) => {
            for (const report of reports) log.info({ ...report }, 'removed old revisions');
          },
          failed: (error) => {
            log.warn({ err: error }, 'old revisions were not removed; the next round tries again');
          },
        }),
    },
    {
      provide: AutomaticExpiry,
      inject: [ExpireTaintChanges],
      useFactory: (expire: ExpireTaintChanges) =>
        new AutomaticExpiry(expire, clock, {
          expired: (changes) => {
            for (const change of changes) log.info({ ...change }, 'the time of a taint change was over');
          },
          failed: (error, change) => {
            log.warn(
              { err: error, change },
              'a taint change that expired was not taken back; the next round tries again',
            );
          },
        }),
    },
    {
      provide: LiveStreams,
      inject: [ClusterHistory, StoredSchedules],
      useFactory: (history: ClusterHistory, watch: StoredSchedules) => {
        const failed = (error: unknown): void => {
          log.error({ err: error }, 'the events of a cluster were not told; the next round tries again');
        };
        const streams = new LiveStreams({ history, watch, clock, failed }, config.live);
        metrics.addGauge({
          name: 'live_streams',
          help: 'Streams of events that are open.',
          read: () => [{ value: streams.count }],
        });
        return streams;
      },
    },
    {
      provide: BackgroundWork,
      inject: [HeadListener, HeadCache, ClusterStates, RevisionStore, LiveStreams, AutomaticRetention, AutomaticExpiry],
      useFactory: (
        listener: HeadListener,
        heads: HeadCache,
        states: ClusterStates,
        revisions: RevisionStore,
        streams: LiveStreams,
        retention: AutomaticRetention,
        expiry: AutomaticExpiry,
      ) => new BackgroundWork(listener, new FollowHeads(heads, states, revisions), streams, [retention, expiry], log),
    },
  ];
}

/** Starts what runs besides requests when the service starts, and ends it before the database goes. */
class BackgroundWork implements OnModuleInit, BeforeApplicationShutdown {
  constructor(
    private readonly listener: HeadListener,
    private readonly followHeads: FollowHeads,
    private readonly streams: LiveStreams,
    private readonly jobs: readonly (AutomaticRetention | AutomaticExpiry)[],
    private readonly log: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    this.listener.subscribe((event) => {
      this.followHeads.hear(event).catch((error: unknown) => {
        this.log.warn({ err: error, ...event }, 'a new head was not loaded ahead of questions');
      });
      this.streams.hear(event);
    });
    await this.listener.start();
    for (const job of this.jobs) job.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.streams.close();
    await Promise.all([this.listener.close(), ...this.jobs.map((job) => job.stop())]);
  }
}
