import type { BeforeApplicationShutdown, FactoryProvider, OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { randomUUID } from 'node:crypto';
import { AutomaticApplications } from './app/applying/automatic-applications.js';
import { ApplicationRunner } from './app/applying/application-runner.js';
import { maskText } from './api/masking/mask-text.js';
import { renderNews } from './api/live/rendered-news.js';
import { AutomaticRetention, type RetentionRule } from './app/automatic-retention.js';
import { Connections } from './app/connections/connections.js';
import { DecisionRetentionLimit, keptFor } from './app/decisions/decision-retention-setting.js';
import { AgreementWatch } from './app/agreement/agreement-watch.js';
import { RevisionJudge } from './app/agreement/revision-judge.js';
import { ExpectationEvaluator } from './app/expectations/expectation-evaluator.js';
import { ExpectationWatch } from './app/expectations/expectation-watch.js';
import { LiveStreams } from './app/live/live-streams.js';
import { StoredSchedules } from './app/live/stored-schedules.js';
import { ClusterConditions } from './app/notifications/cluster-conditions.js';
import type { NewsView } from './app/notifications/history-news.js';
import { NewsCollector } from './app/notifications/news-collector.js';
import { Receivers } from './app/notifications/notification-rules.js';
import { NotificationWatch } from './app/notifications/notification-watch.js';
import { kindsByState, secondsBehind } from './app/following/follow-gauges.js';
import { FollowWatch } from './app/following/follow-watch.js';
import { TakeDelta } from './app/snapshots/take-delta.js';
import { TakeSnapshot } from './app/snapshots/take-snapshot.js';
import { AddressGuard } from './kube-api/address-guard.js';
import { ApiClient } from './kube-api/api-client.js';
import { realClock } from './kube-api/reflector/clock.js';
import { FollowLeases } from './storage/follow-leases.js';
import { FollowStore } from './storage/follow-store.js';
import { HeadCache } from './app/reads/head-cache.js';
import { retentionLimits } from './app/snapshots/apply-retention.js';
import { AutomaticExpiry } from './app/taint-changes/automatic-expiry.js';
import { ExpireTaintChanges } from './app/taint-changes/expire-taint-changes.js';
import { FollowHeads } from './app/states/follow-heads.js';
import { ClusterStates } from './app/states/cluster-states.js';
import { KeptDigests } from './app/states/kept-digests.js';
import { FEWEST_OBJECTS, StateImages } from './app/states/state-images.js';
import { AutomaticDigests } from './app/overview/automatic-digests.js';
import { KeepFigures } from './app/overview/keep-figures.js';
import { contextOfService } from './app/context-of-service.js';
import { DIGEST_CODE } from './digest-code.js';
import { IMAGE_FORM } from './core/cluster/state-image.js';
import { DigestTurns } from './storage/digest-turns.js';
import type { Foundations } from './foundations.js';
import { ClusterHistory } from './storage/cluster-history.js';
import { DecisionRetention } from './storage/decisions/decision-retention.js';
import { AgreementStore } from './storage/agreement-store.js';
import { ExpectationStore } from './storage/expectation-store.js';
import { HeadListener, type HeadEvent } from './storage/head-listener.js';
import { NotificationOutbox } from './storage/notification-outbox.js';
import { ObjectReader } from './storage/object-reader.js';
import { Retention } from './storage/retention.js';
import { RevisionStore } from './storage/revision-store.js';
import { SnapshotWriter } from './storage/snapshot-writer.js';
import { StateImageStore } from './storage/state-image-store.js';
import { ApplicationStore } from './storage/taint-trail/application-store.js';
import { TurnRetention } from './storage/turn-retention.js';

/**
 * Providers that live as long as the service: loaded states, notifications of new heads, removal of old revisions, and
 * expiry of changes, and stored expectations.
 */
export function running({ config, log, clock, metrics, database, processes }: Foundations): FactoryProvider[] {
  const { standby } = database;
  if (standby !== undefined) {
    metrics.addGauge({
      name: 'standby_reads',
      ofProcesses: 'sum',
      help: 'Reads that the standby of the database answered, or the primary in its place.',
      labelNames: ['answered_by'],
      read: () => Object.entries(standby.counts).map(([by, value]) => ({ labels: { answered_by: by }, value })),
    });
  }
  return [
    {
      provide: HeadListener,
      useFactory: () => new HeadListener(database, (level, message, details) => log[level](details ?? {}, message)),
    },
    {
      provide: StateImages,
      inject: [StateImageStore],
      useFactory: (store: StateImageStore) =>
        new StateImages(store, {
          onFailure: (clusterId, error) => {
            log.warn({ err: error, clusterId }, 'the image of a state could not be read or kept');
          },
        }),
    },
    {
      provide: ClusterStates,
      inject: [ObjectReader, RevisionStore, StateImages],
      useFactory: (reader: ObjectReader, revisions: RevisionStore, images: StateImages) => {
        const states = new ClusterStates(reader, {
          budgetBytes: config.stateMemoryBytes,
          images,
          onLoad: (kind, seconds) => {
            metrics.observeStateLoad(kind, seconds);
          },
        });
        metrics.addGauge({
          name: 'states_loaded',
          ofProcesses: 'sum',
          help: 'Loaded states.',
          read: () => [{ value: states.loaded().states }],
        });
        metrics.addGauge({
          name: 'states_loaded_bytes',
          ofProcesses: 'sum',
          help: 'Approximate size of the loaded states; shared data is counted for each state.',
          read: () => [{ value: states.loaded().bytes }],
        });
        metrics.addGauge({
          name: 'snapshot_age_seconds',
          help: 'Time since the head of each cluster was captured; absent while the database is unavailable.',
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
      inject: [Retention, DecisionRetention, TurnRetention, NotificationOutbox, DecisionRetentionLimit],
      useFactory: (
        revisions: Retention,
        decisions: DecisionRetention,
        turns: TurnRetention,
        outbox: NotificationOutbox,
        limit: DecisionRetentionLimit,
      ) => {
        const { keepRevisions, maxAgeSeconds } = config.retention;
        const keep = (setting: string | undefined): number | null => keptFor(setting, limit);
        const rules: RetentionRule[] = [
          { what: 'decisions', prune: (now, failed) => decisions.prune(now, failed, keep) },
          { what: 'turns of expectations', prune: (now, failed) => turns.prune(now, failed, keep) },
          { what: 'notifications', prune: (now, failed) => outbox.prune(now, failed) },
        ];
        if (keepRevisions !== undefined || maxAgeSeconds !== undefined) {
          const prune: RetentionRule['prune'] = (now, failed) =>
            revisions.pruneAll(retentionLimits(now, keepRevisions, maxAgeSeconds), failed);
          rules.unshift({ what: 'revisions', prune });
        }
        return new AutomaticRetention(rules, clock, {
          removed: (what, reports) => {
            for (const report of reports) log.info({ ...report }, `removed old ${what}`);
          },
          failed: (what, error) => {
            log.warn({ err: error }, `old ${what} could not be removed; the next round tries again`);
          },
        });
      },
    },
    {
      provide: AutomaticExpiry,
      inject: [ExpireTaintChanges],
      useFactory: (expire: ExpireTaintChanges) =>
        new AutomaticExpiry(expire, clock, {
          expired: (changes) => {
            for (const change of changes) log.info({ ...change }, 'a taint change expired');
          },
          failed: (error, change) => {
            log.warn(
              { err: error, change },
              change === undefined
                ? 'expired taint changes of some clusters could not be looked up; the next round tries again'
                : 'an expired taint change could not be reverted; the next round tries again',
            );
          },
        }),
    },
    {
      provide: AutomaticApplications,
      inject: [ApplicationStore, Connections, ApiClient],
      useFactory: (store: ApplicationStore, connections: Connections, client: ApiClient) => {
        const runner = new ApplicationRunner(store, connections, client, clock, Math.random, randomUUID());
        return new AutomaticApplications(store, runner, clock, (error, cluster) => {
          log.warn(
            { err: error, cluster },
            cluster === undefined
              ? 'taint changes to apply to some clusters could not be looked up; the next round tries again'
              : 'a taint change could not be applied; the next round tries again',
          );
        });
      },
    },
    {
      provide: LiveStreams,
      inject: [ClusterHistory, StoredSchedules],
      useFactory: (history: ClusterHistory, watch: StoredSchedules) => {
        const failed = (error: unknown): void => {
          log.error({ err: error }, 'the events of a cluster could not be sent; the next round tries again');
        };
        const streams = new LiveStreams({ history, watch, clock, failed }, config.live, processes.counts);
        metrics.addGauge({
          name: 'live_streams',
          ofProcesses: 'sum',
          help: 'Open event streams.',
          read: () => [{ value: streams.count }],
        });
        return streams;
      },
    },
    {
      provide: ExpectationWatch,
      inject: [ExpectationStore, RevisionStore, ClusterStates, ObjectReader, ExpectationEvaluator],
      useFactory: (
        store: ExpectationStore,
        revisions: RevisionStore,
        states: ClusterStates,
        objects: ObjectReader,
        evaluator: ExpectationEvaluator,
      ) =>
        new ExpectationWatch(store, revisions, states, objects, evaluator, clock, (error, clusterId) => {
          log.warn({ err: error, clusterId }, 'expectations could not be evaluated; the next round tries again');
        }),
    },
    {
      provide: AgreementWatch,
      inject: [AgreementStore, RevisionStore, ObjectReader, RevisionJudge],
      useFactory: (store: AgreementStore, revisions: RevisionStore, objects: ObjectReader, judge: RevisionJudge) =>
        new AgreementWatch(
          store,
          revisions,
          objects,
          judge,
          clock,
          (counts) => {
            for (const { rule, agreed, disagreed, unknown } of counts) {
              for (const [outcome, count] of Object.entries({ agreed, disagreed, unknown })) {
                metrics.countAgreement(rule, outcome, count);
              }
            }
          },
          (error, clusterId) => {
            log.warn({ err: error, clusterId }, 'predictions could not be compared; the next round tries again');
          },
        ),
    },
    {
      provide: NotificationWatch,
      inject: [
        NotificationOutbox,
        ClusterHistory,
        RevisionStore,
        ClusterStates,
        StoredSchedules,
        ClusterConditions,
        AgreementStore,
        Receivers,
      ],
      useFactory: (
        outbox: NotificationOutbox,
        history: ClusterHistory,
        revisions: RevisionStore,
        states: ClusterStates,
        schedules: StoredSchedules,
        conditions: ClusterConditions,
        ledger: AgreementStore,
        receivers: Receivers,
      ) => {
        // Whoever puts a rule may see who made changes.
        const view: NewsView = {
          news: (news, taintValues) => renderNews(news, { taintValues, authors: true }).event,
          text: maskText,
        };
        const collector = new NewsCollector(outbox, history, revisions, states, schedules, conditions, ledger, view);
        metrics.addGauge({
          name: 'notifications_waiting',
          help: 'Notifications that wait for their delivery, by cluster; absent while the database is unavailable.',
          labelNames: ['cluster'],
          read: async () => {
            const waiting = await outbox.waiting().catch(() => []);
            return waiting.map(({ cluster, count }) => ({ labels: { cluster }, value: count }));
          },
        });
        return new NotificationWatch(outbox, collector, receivers, {
          clock,
          random: Math.random,
          reports: {
            attempted: (format, outcome) => metrics.countNotification(format, outcome),
            givenUp: (details) => log.warn(details, 'a notification was given up'),
            failed: (error, clusterId) => {
              log.warn({ err: error, clusterId }, 'notifications could not be prepared; the next round tries again');
            },
          },
        });
      },
    },
    {
      provide: FollowWatch,
      inject: [Connections, AddressGuard, TakeSnapshot, TakeDelta, FollowStore, FollowLeases],
      useFactory: (
        connections: Connections,
        guard: AddressGuard,
        snapshots: TakeSnapshot,
        deltas: TakeDelta,
        follows: FollowStore,
        leases: FollowLeases,
      ) => {
        const watch = new FollowWatch(connections, guard, {
          snapshots,
          deltas,
          follows,
          leases,
          clock: { ...realClock, now: () => clock.now().getTime() },
          random: Math.random,
          coalesceMs: config.followCoalesceMs,
          counts: {
            events: (events) => {
              metrics.countFollowEvents(events);
            },
            relist: () => {
              metrics.countRelist();
            },
          },
          failed: (error, cluster) => {
            log.warn({ err: error, cluster }, 'a cluster could not be followed; it is tried again');
          },
        });
        metrics.addGauge({
          name: 'follow_kinds',
          ofProcesses: 'sum',
          help: 'Kinds of the clusters that this replica follows, by cluster and state.',
          labelNames: ['cluster', 'state'],
          read: () => kindsByState(watch.statuses),
        });
        metrics.addGauge({
          name: 'follow_behind_seconds',
          help: 'Time since the last event or bookmark of the kind that is furthest behind, by cluster.',
          labelNames: ['cluster'],
          read: () => secondsBehind(watch.statuses, clock.now()),
        });
        return watch;
      },
    },
    {
      provide: AutomaticDigests,
      inject: [DigestTurns, ClusterStates, KeepFigures, SnapshotWriter],
      useFactory: (turns: DigestTurns, states: ClusterStates, figures: KeepFigures, { underWay }: SnapshotWriter) =>
        new AutomaticDigests(turns, states, figures, {
          maker: { version: DIGEST_CODE, form: IMAGE_FORM, fewestObjects: FEWEST_OBJECTS },
          percent: config.digestPercent,
          clock,
          context: contextOfService,
          snapshotsTaken: (longestMs, signal) => underWay.ended(longestMs, signal),
          failed: (error, cluster) => {
            log.warn(
              { err: error, cluster },
              'digests of a state could not be kept; they are computed when they are asked for',
            );
          },
        }),
    },
    {
      provide: BackgroundWork,
      inject: [
        HeadListener,
        HeadCache,
        ClusterStates,
        StateImages,
        KeptDigests,
        RevisionStore,
        LiveStreams,
        ExpectationWatch,
        AgreementWatch,
        NotificationWatch,
        FollowWatch,
        AutomaticRetention,
        AutomaticExpiry,
        AutomaticApplications,
        AutomaticDigests,
      ],
      useFactory: (
        listener: HeadListener,
        heads: HeadCache,
        states: ClusterStates,
        images: StateImages,
        digests: KeptDigests,
        revisions: RevisionStore,
        streams: LiveStreams,
        expectations: ExpectationWatch,
        agreement: AgreementWatch,
        notifications: NotificationWatch,
        follows: FollowWatch,
        retention: AutomaticRetention,
        expiry: AutomaticExpiry,
        applications: AutomaticApplications,
        digestMaker: AutomaticDigests,
      ) =>
        new BackgroundWork(
          listener,
          new FollowHeads(heads, states, revisions, digests),
          [streams, expectations, agreement, notifications, follows, expiry, applications],
          [expiry, applications],
          streams,
          images,
          [retention, expiry, applications, digestMaker, expectations, agreement, notifications, follows],
          log,
        ),
    },
  ];
}

type BackgroundJob =
  | AutomaticRetention
  | AutomaticExpiry
  | AutomaticApplications
  | AutomaticDigests
  | ExpectationWatch
  | AgreementWatch
  | NotificationWatch
  | FollowWatch;

/** Starts background work with the service, and stops it before the database closes. */
class BackgroundWork implements OnModuleInit, BeforeApplicationShutdown {
  constructor(
    private readonly listener: HeadListener,
    private readonly followHeads: FollowHeads,
    private readonly listeners: readonly { hear(event: HeadEvent): void }[],
    private readonly timed: readonly { lookAtAll(): void }[],
    private readonly streams: LiveStreams,
    private readonly images: StateImages,
    private readonly jobs: readonly BackgroundJob[],
    private readonly log: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    this.listener.subscribe((event) => {
      this.followHeads.hear(event).catch((error: unknown) => {
        this.log.warn({ err: error, ...event }, 'a new head could not be loaded ahead of requests');
      });
      for (const one of this.listeners) one.hear(event);
    });
    this.listener.whenAgain(() => {
      for (const one of this.timed) one.lookAtAll();
    });
    await this.listener.start();
    for (const job of this.jobs) job.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.streams.close();
    await Promise.all([this.listener.close(), ...this.jobs.map((job) => job.stop()), this.images.stop()]);
  }
}
