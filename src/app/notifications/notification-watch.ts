import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Semaphore } from '../../event-loop/semaphore.js';
import type { HeadEvent } from '../../storage/head-notifications.js';
import { NotificationOutbox, type QueueHead } from '../../storage/notification-outbox.js';
import type { Clock } from '../clock.js';
import { ServiceError } from '../errors/service-error.js';
import type { NewsCollector } from './news-collector.js';
import type { NotificationEvent } from './notification-event.js';
import { detailsOf, permissionOf, type Receivers } from './notification-rules.js';
import { ReceiverUnreachable } from './receiver-client.js';
import { afterAttempt, type AfterAttempt } from './retry-policy.js';

/** How often the times are looked at that are remembered, in milliseconds, and how often clusters that nobody tells of. */
const LOOK_EVERY = 1_000;
const LOOKS_PER_SEARCH = 10;
/** How soon receivers are told of a change on the record, in milliseconds. */
const AFTER_A_CHANGE = 100;
/** Delay before the next attempt after a failure of the database, in milliseconds. */
const RETRY_AFTER = 5_000;
/** The most requests to receivers at once. */
const MOST_AT_ONCE = 16;
/** Clusters that are told of at the same time: when the service starts, or a rule is about all, each is looked at. */
const MOST_CLUSTERS = 8;
/** How often a lease is extended while events are collected, in milliseconds. */
const RENEW_EVERY = 10_000;

/** What is logged and counted; never a URL. */
export interface NotificationReports {
  attempted(format: string, outcome: AfterAttempt['outcome']): void;
  givenUp(details: Readonly<Record<string, unknown>>): void;
  failed(error: unknown, clusterId: number | undefined): void;
}

export interface NotificationWatchOptions {
  readonly clock: Clock;
  /** 0 up to 1. */
  readonly random: () => number;
  readonly reports: NotificationReports;
}

interface Alarm {
  readonly at: number;
  readonly isRetry?: true;
}

interface Round {
  again: boolean;
  work: Promise<void>;
}

/**
 * Tells receivers what happens in clusters. Of several replicas, one does this for a cluster: it has a lease. It stores what is to be
 * told, in order, and sends it, one event after another for each rule and cluster, so that a receiver that fails holds up no other one.
 * What was stored and not delivered when a replica dies is delivered by another one when its lease ends.
 */
export class NotificationWatch {
  private readonly rounds = new Map<number, Round>();
  private readonly queues = new Map<string, Round>();
  /** When to look at a cluster again although nothing happens, and whether because that failed. */
  private readonly alarms = new Map<number, Alarm>();
  /** When to try queues again whose receiver failed, or permits no more. Those of another replica that ended are searched for. */
  private readonly postponed = new Map<string, { readonly clusterId: number; readonly at: number }>();
  /** Clusters to look at after changes on the record. */
  private readonly soon = new Map<number, NodeJS.Timeout>();
  private readonly slots = new Semaphore(MOST_AT_ONCE);
  private readonly clusterSlots = new Semaphore(MOST_CLUSTERS);
  private readonly holder = randomUUID();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private looks = 0;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly outbox: NotificationOutbox,
    private readonly collector: Pick<NewsCollector, 'collect' | 'forget' | 'unmoved'>,
    private readonly receivers: Pick<Receivers, 'open' | 'send'>,
    private readonly options: NotificationWatchOptions,
  ) {
    setMaxListeners(MOST_AT_ONCE, this.stopping.signal);
  }

  hear(event: HeadEvent): void {
    const { type, clusterId } = event;
    if (type === 'deleted') {
      this.alarms.delete(clusterId);
      this.collector.forget(clusterId);
    } else if (type === 'head' && event.isMadeHere === true) this.wakeSoon(clusterId);
    else if (type !== 'current' && type !== 'connection') this.wake(clusterId);
  }

  start(): void {
    this.timer = setInterval(() => {
      this.looking ??= this.look().finally(() => {
        this.looking = undefined;
      });
    }, LOOK_EVERY).unref();
  }

  /** Resolves after what is under way, which is interrupted; an event whose request was interrupted is sent again. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    for (const timer of this.soon.values()) clearTimeout(timer);
    this.stopping.abort();
    await this.looking;
    await Promise.all([...this.rounds.values()].map(({ work }) => work));
    await Promise.all([...this.queues.values()].map(({ work }) => work));
    // Without a database the leases end by themselves.
    await this.outbox.release(this.holder, () => undefined).catch(() => undefined);
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private now(): Date {
    return this.options.clock.now();
  }

  /** Looks for clusters with something to do of which no notification came. */
  private async look(): Promise<void> {
    const now = this.now();
    const failed = (error: unknown): void => {
      if (!this.isStopped) this.options.reports.failed(error, undefined);
    };
    const clusters = new Set<number>();
    const due = new Map([...this.alarms].filter(([, { at }]) => at <= now.getTime()));
    for (const [queue, { clusterId, at }] of this.postponed) {
      if (at > now.getTime()) continue;
      this.postponed.delete(queue);
      clusters.add(clusterId);
    }
    for (const id of clusters) this.wake(id);
    await this.lookAtSigns(due, now);
    if (this.looks++ % LOOKS_PER_SEARCH !== 0) return;
    try {
      for (const id of await this.outbox.waitingClusters(this.holder, now, failed)) this.wake(id);
    } catch (error) {
      failed(error);
    }
  }

  /** Wakes the clusters whose time has come, without those that have nothing new but the time. */
  private async lookAtSigns(due: ReadonlyMap<number, Alarm>, now: Date): Promise<void> {
    const asked = [...due].filter(([, { isRetry }]) => isRetry !== true).map(([id]) => id);
    const unmoved = asked.length === 0 ? undefined : await this.collector.unmoved(asked, now);
    for (const [id, alarm] of due) {
      // It may have been looked at meanwhile.
      if (this.alarms.get(id) !== alarm) continue;
      const again = unmoved?.get(id);
      if (again === undefined) this.wake(id);
      else this.alarms.set(id, { at: again });
    }
  }

  /** A change on the record is answered first, and several at once are told of together. */
  private wakeSoon(clusterId: number): void {
    if (this.isStopped || this.soon.has(clusterId)) return;
    const timer = setTimeout(() => {
      this.soon.delete(clusterId);
      this.wake(clusterId);
    }, AFTER_A_CHANGE).unref();
    this.soon.set(clusterId, timer);
  }

  private wake(clusterId: number): void {
    if (this.isStopped) return;
    run(this.rounds, clusterId, () => this.round(clusterId));
  }

  private async round(clusterId: number): Promise<void> {
    if (this.isStopped) return;
    let leave: (() => void) | undefined;
    try {
      this.alarms.delete(clusterId);
      if (!(await this.outbox.isToldOf(clusterId))) return;
      leave = await this.clusterSlots.take();
      if (this.isStopped || !(await this.outbox.lease(clusterId, this.holder, this.now()))) return;
      const renewal = setInterval(() => {
        this.outbox.lease(clusterId, this.holder, this.now()).catch((error: unknown) => {
          this.options.reports.failed(error, clusterId);
        });
      }, RENEW_EVERY).unref();
      try {
        // Before new events are collected, so that what failed to be collected holds up none that waits.
        await this.deliver(clusterId);
        const again = await this.collector.collect(clusterId, this.holder, this.now());
        // The lease may have ended while this process was held up: it is told of with a new one.
        if (again === undefined) this.wake(clusterId);
        else if (again !== Infinity) this.alarms.set(clusterId, { at: again });
      } finally {
        clearInterval(renewal);
      }
      await this.deliver(clusterId);
    } catch (error) {
      if (this.isStopped) return;
      this.options.reports.failed(error, clusterId);
      this.alarms.set(clusterId, { at: this.now().getTime() + RETRY_AFTER, isRetry: true });
    } finally {
      leave?.();
    }
  }

  /** Starts to send what waits in the queues of a cluster. */
  private async deliver(clusterId: number): Promise<void> {
    const now = this.now();
    const heads = await this.outbox.heads(clusterId, now);
    await this.outbox.clearTimes(clusterId, now);
    for (const { rule } of heads) {
      run(this.queues, queueOf(rule.id, clusterId), () => this.drain(clusterId, rule.id));
    }
  }

  /** Sends the events of one queue one after another, until one fails. */
  private async drain(clusterId: number, ruleId: number): Promise<void> {
    try {
      for (;;) {
        const release = await this.slots.take();
        try {
          if (this.isStopped || !(await this.outbox.lease(clusterId, this.holder, this.now()))) return;
          const [head] = await this.outbox.heads(clusterId, this.now(), ruleId);
          if (head === undefined || !(await this.attempt(head))) return;
        } finally {
          release();
        }
      }
    } catch (error) {
      if (this.isStopped) return;
      this.options.reports.failed(error, clusterId);
      this.alarms.set(clusterId, { at: this.now().getTime() + RETRY_AFTER, isRetry: true });
    }
  }

  /** @returns whether the next event may be sent */
  private async attempt(head: QueueHead): Promise<boolean> {
    const { delivery, rule, failures: former } = head;
    const { format } = detailsOf(rule);
    const answer = await this.send(head);
    if (this.isStopped && answer.status === undefined) return false;
    const { status, error } = answer;
    const at = this.now();
    const failures = status !== undefined && status >= 200 && status < 300 ? 0 : former + 1;
    const after = afterAttempt({
      status,
      retryAfter: answer.retryAfter,
      attempts: delivery.attempts + 1,
      failures,
      waitingSince: delivery.waitingSince,
      now: at,
      random: this.options.random(),
    });
    const notBefore = 'notBefore' in after ? after.notBefore : nextAllowed(permissionOf(rule)?.allowedRate, at);
    await this.outbox.record(head, {
      at,
      status: status ?? null,
      error,
      outcome: after.outcome,
      notBefore: notBefore > at ? notBefore : null,
      failures,
    });
    if (notBefore > at) {
      this.postponed.set(queueOf(rule.id, delivery.clusterId), {
        clusterId: delivery.clusterId,
        at: notBefore.getTime(),
      });
    }
    this.options.reports.attempted(format, after.outcome);
    if (after.outcome === 'givenUp' || after.outcome === 'gone') {
      const { id, clusterId, kind } = delivery;
      this.options.reports.givenUp({ delivery: id, rule: rule.name, clusterId, kind, status, error });
    }
    return after.outcome !== 'gone' && notBefore <= at;
  }

  private async send({ delivery, rule }: QueueHead): Promise<{
    readonly status: number | undefined;
    readonly retryAfter: string | undefined;
    readonly error: string | null;
  }> {
    const failed = (error: string) => ({ status: undefined, retryAfter: undefined, error });
    try {
      const receiver = await this.receivers.open(rule);
      const event = JSON.parse(delivery.event) as NotificationEvent;
      const { format } = detailsOf(rule);
      const { signal } = this.stopping;
      const { status, retryAfter } = await this.receivers.send(receiver, event, format, this.now(), signal);
      return { status, retryAfter, error: status >= 200 && status < 300 ? null : `the receiver answered ${status}` };
    } catch (error) {
      if (error instanceof ReceiverUnreachable || error instanceof ServiceError) return failed(error.message);
      throw error;
    }
  }
}

const queueOf = (ruleId: number, clusterId: number): string => `${ruleId} ${clusterId}`;

/** When the next event may be sent to a receiver that permits so many in a minute. */
const nextAllowed = (rate: number | null | undefined, at: Date): Date =>
  typeof rate === 'number' ? new Date(at.getTime() + Math.ceil(60_000 / rate)) : at;

/** Runs work for a key once at a time, and again if it was requested meanwhile. */
function run<Key>(running: Map<Key, Round>, key: Key, work: () => Promise<void>): void {
  const known = running.get(key);
  if (known !== undefined) {
    known.again = true;
    return;
  }
  const round: Round = { again: true, work: Promise.resolve() };
  running.set(key, round);
  round.work = (async () => {
    while (round.again) {
      round.again = false;
      await work();
    }
    running.delete(key);
  })();
}
