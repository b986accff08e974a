import type { AgreementStore } from '../../storage/agreement-store.js';
import { ClusterHistory, type HistoryPage } from '../../storage/cluster-history.js';
import {
  NotificationOutbox,
  type NewDelivery,
  type OutboxPlace,
  type OutboxProgress,
  type OutboxScope,
} from '../../storage/notification-outbox.js';
import { RevisionStore } from '../../storage/revision-store.js';
import { evictionDue, type LeavingPod, type WatchedSchedule } from '../live/watched-schedule.js';
import { HistoryFold } from '../live/fold-history.js';
import type { ScheduleWatch } from '../live/schedule-watch.js';
import { ClusterStates } from '../states/cluster-states.js';
import { stateKeyOf } from '../states/state-key.js';
import {
  ClusterConditions,
  nodeLabels,
  signStanding,
  watchedBy,
  type ClusterMoment,
  type SignsWatched,
} from './cluster-conditions.js';
import { forFollowers, historyNews, NOTIFIED_RECORDS, type LabelsOf, type NewsView } from './history-news.js';
import { disagreementNews } from './disagreement-news.js';
import { conditionStep, tellAgainAt } from './lasting-conditions.js';
import type { NewNotification } from './notification-event.js';
import { activeRules, eventFor, tells, type ToldRule } from './told-rule.js';

/** Maximum number of items of each kind in one read. */
const PAGE_LIMITS = { revisions: 200, records: 500 };
const CASES_AT_ONCE = 100;
/** After computing a schedule, the next one is computed no sooner than this multiple of the time that it took. */
const REST = 4;

/** What this process remembers of a cluster. */
interface Memory {
  schedule?: WatchedSchedule;
  /** Before when no schedule of another head is computed. */
  restUntil: number;
  /** What conditions depend on, when they were last looked at. */
  looked: string;
  /** When to look at them again, and when besides looking for signs of life. */
  again: number;
  conditionsAgain: number;
  /** What they came to by the signs of life of the cluster; absent until it is known that all of it was told. */
  signs?: { readonly watched: SignsWatched; readonly standing: string };
  /** When there is something to do besides looking for signs of life. */
  otherAgain: number;
}

interface Telling {
  readonly holder: string;
  readonly scope: OutboxScope;
  readonly rules: readonly ToldRule[];
  readonly moment: ClusterMoment;
}

/** Turns what has happened in a cluster, and what lasts in it, into deliveries. */
export class NewsCollector {
  private readonly memories = new Map<number, Memory>();

  constructor(
    private readonly outbox: NotificationOutbox,
    private readonly history: ClusterHistory,
    private readonly revisions: RevisionStore,
    private readonly states: ClusterStates,
    private readonly schedules: ScheduleWatch,
    private readonly conditions: ClusterConditions,
    private readonly ledger: Pick<AgreementStore, 'after'>,
    private readonly view: NewsView,
  ) {}

  /**
   * Tells of a cluster up to now. The replica must have the lease.
   * @returns when to do so again although nothing happens, in milliseconds since the epoch; undefined if the lease has ended, or the cluster
   *   is gone
   */
  async collect(clusterId: number, holder: string, now: Date): Promise<number | undefined> {
    const scope = await this.outbox.scope(clusterId, now);
    if (scope === undefined) return undefined;
    const head = await this.revisions.head(clusterId);
    const rules = activeRules(scope);
    const watched = watchedBy(rules, head);
    const moment: ClusterMoment = {
      cluster: scope.cluster,
      head,
      signs: await this.conditions.signs(clusterId, watched),
      state: async () => {
        if (head === undefined) return undefined;
        return this.states.get(stateKeyOf(head));
      },
      now,
    };
    const telling = { holder, scope, rules, moment };
    const told = await this.tellHistory(telling);
    if (told === undefined) return undefined;
    const memory = this.memories.get(clusterId) ?? {
      restUntil: 0,
      looked: '',
      again: 0,
      conditionsAgain: 0,
      otherAgain: 0,
    };
    this.memories.set(clusterId, memory);
    const predicted = await this.tellDisagreements(telling, told);
    if (predicted === undefined) return undefined;
    const nextEviction = await this.tellEvictions(telling, predicted, memory);
    if (nextEviction === undefined) return undefined;
    await this.tellConditions(telling, nextEviction.progress, watched, memory);
    memory.otherAgain = Math.min(nextEviction.at, memory.conditionsAgain);
    return Math.min(nextEviction.at, memory.again);
  }

  /**
   * Which of the clusters whose time has come need not be told of again: nothing was to be done but to look for their signs of life, and these
   * make no difference. The signs of all are read together.
   * @returns when to look at each of those again, in milliseconds since the epoch
   */
  async unmoved(clusterIds: readonly number[], now: Date): Promise<ReadonlyMap<number, number>> {
    const again = new Map<number, number>();
    const look = async (id: number): Promise<void> => {
      const memory = this.memories.get(id);
      const signs = memory?.signs;
      if (memory === undefined || signs === undefined || memory.otherAgain <= now.getTime()) return;
      const found = signStanding(signs.watched, await this.conditions.signs(id, signs.watched), now.getTime());
      // It may have been told of meanwhile.
      if (memory.signs === signs && found.standing === signs.standing)
        again.set(id, Math.min(memory.otherAgain, found.again));
    };
    // Those of a place that is lost are told of, which tries again.
    await Promise.all(clusterIds.map((id) => look(id).catch(() => undefined)));
    return again;
  }

  forget(clusterId: number): void {
    this.memories.delete(clusterId);
  }

  /** @returns the progress at the end of the history; undefined if the lease is lost or the cluster is gone */
  private async tellHistory({ holder, scope, rules, moment }: Telling): Promise<OutboxProgress | undefined> {
    const { id } = scope.cluster;
    let progress = scope.progress;
    const start = startOf(scope);
    let place: OutboxPlace = {
      revision: Math.max(progress.revision, start.revision),
      sequence: Math.max(progress.sequence, start.sequence),
      turn: Math.max(progress.turn, start.turn),
    };
    const options = { labelsOf: await this.labelsFor(rules, moment), view: this.view };
    for (;;) {
      const part = await this.nextPart(id, place);
      if (part === undefined) return undefined;
      const deliveries = rules.flatMap((rule) =>
        deliveriesOf(rule, scope.cluster, historyNews(rule, part.page, options)),
      );
      const to = {
        ...progress,
        ...part.end,
        // What is due while no rule tells of it is not told later.
        ...(!rules.some((rule) => tells(rule, 'evictionDue')) && {
          dueRevision: part.end.revision,
          dueUntil: moment.now,
        }),
      };
      const isMoved =
        to.revision !== progress.revision || to.sequence !== progress.sequence || to.turn !== progress.turn;
      if (isMoved) {
        if (!(await this.outbox.advance(id, holder, { from: progress, to, now: moment.now }, { deliveries })))
          return undefined;
        [progress, place] = [to, part.end];
      }
      if (!part.more) return progress;
    }
  }

  /** Labels of nodes, if a rule selects nodes by them. */
  private async labelsFor(rules: readonly ToldRule[], moment: ClusterMoment): Promise<LabelsOf> {
    const needsLabels = rules.some((rule) => rule.nodes !== undefined && tells(rule, 'taintChanged'));
    return needsLabels ? nodeLabels(await moment.state()) : () => undefined;
  }

  /**
   * The history after a place up to where no change is cut in two: the records of a change may take several pages.
   * @returns undefined if the cluster is gone
   */
  private async nextPart(
    clusterId: number,
    from: OutboxPlace,
  ): Promise<{ readonly page: HistoryPage; readonly end: OutboxPlace; readonly more: boolean } | undefined> {
    const fold = new HistoryFold(from);
    const pages: HistoryPage[] = [];
    for (;;) {
      const page = await this.history.page(clusterId, fold.place, PAGE_LIMITS, NOTIFIED_RECORDS);
      if (page === undefined) return undefined;
      fold.feed({ ...page, records: page.records.map(forFollowers) });
      pages.push(page);
      const more = page.moreRecords || page.moreRevisions || page.moreTurns === true;
      const { revision, sequence, turn = 0 } = fold.yielded;
      if (more && sequence === from.sequence && revision === from.revision && turn === from.turn) continue;
      const isWithin = (record: { readonly sequence: number }): boolean => record.sequence <= sequence;
      return {
        page: {
          revisions: pages.flatMap(({ revisions }) => revisions.filter((one) => one.revision <= revision)),
          records: pages.flatMap(({ records }) => records.filter(isWithin)),
          turns: pages.flatMap(({ turns = [] }) => turns.filter((one) => one.turn <= turn)),
          moreRevisions: false,
          moreRecords: false,
        },
        end: { revision, sequence, turn },
        more,
      };
    }
  }

  /** @returns the progress at the end of the ledger; undefined if the lease is lost */
  private async tellDisagreements(
    { holder, scope, rules, moment: { now } }: Telling,
    progress: OutboxProgress,
  ): Promise<OutboxProgress | undefined> {
    const { cluster } = scope;
    let from = progress;
    for (;;) {
      const cases = await this.ledger.after(cluster.id, from.caseNumber, CASES_AT_ONCE);
      const last = cases.at(-1);
      if (last === undefined) return from;
      const deliveries = rules
        .filter((rule) => tells(rule, 'disagreement'))
        .flatMap((rule) => {
          const later = cases.filter(
            ({ revision, namespace }) => revision > rule.start.revision && rule.namespaces?.has(namespace) !== false,
          );
          return deliveriesOf(
            rule,
            cluster,
            later.map((one) => disagreementNews(rule, one, this.view)),
          );
        });
      const to = { ...from, caseNumber: last.number };
      if (!(await this.outbox.advance(cluster.id, holder, { from, to, now }, { deliveries }))) return undefined;
      from = to;
    }
  }

  /** @returns the progress, and when the next evictions are due; undefined if the lease is lost */
  private async tellEvictions(
    { holder, scope, rules, moment: { now, head, ...moment } }: Telling,
    progress: OutboxProgress,
    memory: Memory,
  ): Promise<{ readonly progress: OutboxProgress; readonly at: number } | undefined> {
    const telling = rules.filter((rule) => tells(rule, 'evictionDue'));
    const { id } = scope.cluster;
    const time = now.getTime();
    if (telling.length === 0 || head === undefined) {
      delete memory.schedule;
      return { progress, at: Infinity };
    }
    const schedule = await this.scheduleOf(id, head.number, time, memory);
    // The revision may be removed meanwhile.
    if (schedule === undefined) return { progress, at: time };
    const until = progress.dueUntil.getTime();
    const { dueRevision } = progress;
    const former = dueRevision === schedule.revision ? schedule : await this.schedules.of(id, dueRevision);
    const due = schedule.due(time, { former, until });
    const next = Math.min(
      schedule.nextAfter(time) ?? Infinity,
      schedule.revision === head.number ? Infinity : memory.restUntil,
    );
    if (due.length === 0 && dueRevision === schedule.revision) return { progress, at: next };
    const needsLabels = telling.some(({ nodes }) => nodes !== undefined);
    const labelsOf = due.length > 0 && needsLabels ? nodeLabels(await moment.state()) : () => undefined;
    const deliveries = telling.flatMap((rule) => {
      const isNew = ({ at }: LeavingPod): boolean =>
        schedule.revision > rule.start.revision || at > rule.since.getTime();
      const pods = due.filter((pod) => isNew(pod) && concerns(rule, pod, labelsOf));
      const key = `${schedule.revision}-${time}`;
      return pods.length === 0 ? [] : deliveriesOf(rule, scope.cluster, [evictionNews(schedule.revision, pods, key)]);
    });
    const to = { ...progress, dueRevision: schedule.revision, dueUntil: now };
    if (!(await this.outbox.advance(id, holder, { from: progress, to, now }, { deliveries }))) return undefined;
    return { progress: to, at: next };
  }

  private async scheduleOf(
    clusterId: number,
    head: number,
    now: number,
    memory: Memory,
  ): Promise<WatchedSchedule | undefined> {
    const known = memory.schedule;
    if (known !== undefined && (known.revision === head || now < memory.restUntil)) return known;
    const started = performance.now();
    const schedule = await this.schedules.of(clusterId, head);
    memory.restUntil = now + (performance.now() - started) * REST;
    if (schedule !== undefined) memory.schedule = schedule;
    return schedule;
  }

  private async tellConditions(
    { holder, scope, rules, moment }: Telling,
    progress: OutboxProgress,
    watched: SignsWatched,
    memory: Memory,
  ): Promise<void> {
    const { id } = scope.cluster;
    const time = moment.now.getTime();
    const looked = JSON.stringify([
      moment.head?.number ?? 0,
      progress.sequence,
      rules.map((rule) => [rule.id, rule.changedAt]),
    ]);
    if (looked === memory.looked && time < memory.again) return;
    delete memory.signs;
    const told = await this.outbox.conditions(id);
    let again = Infinity;
    for (const rule of rules) {
      const { found, again: next } = await this.conditions.of(rule, moment);
      again = Math.min(again, next);
      const step = conditionStep(rule, scope.cluster, found, told, moment.now);
      again = Math.min(again, tellAgainAt(rule, found, told, step));
      if (step.deliveries.length === 0 && step.over.length === 0) continue;
      const places = { from: progress, to: progress, now: moment.now };
      if (!(await this.outbox.advance(id, holder, places, step))) return;
    }
    const { standing, again: signsAgain } = signStanding(watched, moment.signs, time);
    [memory.looked, memory.again, memory.conditionsAgain] = [looked, Math.min(again, signsAgain), again];
    memory.signs = { watched, standing };
  }
}

/** The place from which at least one rule tells of a cluster. */
function startOf({ rules }: OutboxScope): OutboxPlace {
  const least = (of: (place: OutboxPlace) => number): number => Math.min(...rules.map(({ start }) => of(start)));
  return {
    revision: least(({ revision }) => revision),
    sequence: least(({ sequence }) => sequence),
    turn: least(({ turn }) => turn),
  };
}

function deliveriesOf(
  rule: ToldRule,
  cluster: OutboxScope['cluster'],
  news: readonly NewNotification[],
): readonly NewDelivery[] {
  return news.flatMap((one) => {
    const event = eventFor(rule, cluster, one);
    return event === undefined ? [] : [{ ruleId: rule.id, kind: one.kind, event: JSON.stringify(event) }];
  });
}

function concerns(rule: ToldRule, { namespace, node }: LeavingPod, labelsOf: LabelsOf): boolean {
  if (rule.namespaces?.has(namespace) === false) return false;
  if (rule.nodes === undefined) return true;
  const labels = labelsOf(node);
  return labels !== undefined && rule.nodes.matches(labels);
}

function evictionNews(revision: number, pods: readonly LeavingPod[], key: string): NewNotification {
  const due = evictionDue(revision, pods);
  const named = due.pods.map(({ namespace, name, node }) => `${namespace}/${name} from ${node}`);
  const [only] = due.pods;
  return {
    kind: 'evictionDue',
    key,
    severity: 'warning',
    status: 'happened',
    subject: due.podCount === 1 ? `namespaces/${only!.namespace}/pods/${only!.name}` : null,
    happenedAt: due.at,
    overAt: null,
    summary: due.podCount === 1 ? `Pod ${named[0]!} is evicted now` : `${due.podCount} pods are evicted now`,
    lines: due.podCount === 1 ? [] : [...named, ...(due.podCount > named.length ? ['...'] : [])],
    labels: due.podCount === 1 ? { namespace: only!.namespace, pod: only!.name, node: only!.node } : {},
    data: { evictionDue: due },
  };
}
