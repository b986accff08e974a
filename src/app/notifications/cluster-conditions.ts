import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { compare } from '../../core/json/compare.js';
import { knownUsage, resourceStanding } from '../../core/quota/quota-standing.js';
import type { FollowLeases, LastSign } from '../../storage/follow-leases.js';
import type { FollowStore } from '../../storage/follow-store.js';
import type { Revision } from '../../storage/revision.js';
import type { FollowStatus } from '../following/follow-status.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { FindFights } from '../taint-trail/find-fights.js';
import type { LabelsOf } from './history-news.js';
import type { Condition, ConditionsNow } from './lasting-conditions.js';
import type { NotificationSeverity } from './notification-event.js';
import { tells, type ToldRule } from './told-rule.js';

/** What is known of a cluster without a new revision. */
export interface SignsOfLife {
  /** Up to when the head is known to be current, if the cluster is followed; undefined if it is not. */
  readonly currentAt: Date | undefined;
  /** Undefined if it is not to be followed, or if no rule asks. */
  readonly last: LastSign | undefined;
}

/** A cluster at one moment. */
export interface ClusterMoment {
  readonly cluster: { readonly id: number; readonly name: string };
  /** Undefined before the first snapshot. */
  readonly head: Revision | undefined;
  readonly signs: SignsOfLife;
  state(): Promise<ClusterState | undefined>;
  readonly now: Date;
}

/** What lasts, and when to look again although nothing has changed, in milliseconds since the epoch. */
export interface FoundConditions {
  readonly found: readonly ConditionsNow[];
  /** Without what depends on signs of life: see `SignsWatched`. */
  readonly again: number;
}

/** What the conditions of a cluster depend on besides its signs of life and the time, as far as they depend on these. */
export interface SignsWatched {
  /** When its head was captured, in milliseconds since the epoch; undefined before the first snapshot. */
  readonly capturedAt: number | undefined;
  /** After how many milliseconds it is stale, for each rule of `snapshotStale`. */
  readonly staleAfter: readonly number[];
  /** Whether a rule tells of `connectionLost`. */
  readonly lost: boolean;
}

/** What the signs of life of a cluster make of its conditions. */
export interface SignStanding {
  /** Equal as long as there is nothing new to tell. */
  readonly standing: string;
  /** When to look again, in milliseconds since the epoch. */
  readonly again: number;
}

export const watchedBy = (rules: readonly ToldRule[], head: Revision | undefined): SignsWatched => ({
  capturedAt: head?.capturedAt.getTime(),
  staleAfter: rules.filter((rule) => tells(rule, 'snapshotStale')).map(({ staleAfterMs }) => staleAfterMs),
  lost: rules.some((rule) => tells(rule, 'connectionLost')),
});

/** What the conditions `snapshotStale` and `connectionLost` come to. */
export function signStanding(
  { capturedAt, staleAfter, lost }: SignsWatched,
  { currentAt, last }: SignsOfLife,
  now: number,
): SignStanding {
  let again = Infinity;
  const stale: boolean[] = [];
  if (capturedAt !== undefined) {
    for (const after of staleAfter) {
      const staleAt = currentOf(capturedAt, currentAt) + after;
      const isStale = staleAt <= now;
      stale.push(isStale);
      // A sign of life of a followed cluster makes no revision.
      again = Math.min(again, isStale ? now + SIGNS_LOOKED_FOR_EVERY : staleAt);
    }
  }
  let lostVia: string | null = null;
  if (lost) {
    const lostAt = last === undefined ? undefined : heardOf(last) + LOST_AFTER;
    const isLost = lostAt !== undefined && lostAt <= now;
    if (isLost) lostVia = last!.via;
    // A connection that is put wakes nobody.
    const lookAt = isLost ? now + RESTORED_LOOKED_FOR_EVERY : (lostAt ?? now + SIGNS_LOOKED_FOR_EVERY);
    again = Math.min(again, lookAt);
  }
  return { standing: JSON.stringify([stale, lostVia]), again };
}

/** Up to when the stored state is known to be current, in milliseconds since the epoch. */
const currentOf = (capturedAt: number, currentAt: Date | undefined): number =>
  Math.max(capturedAt, currentAt?.getTime() ?? 0);

/** When something was last heard of a cluster that is to be followed, in milliseconds since the epoch. */
function heardOf({ at, status }: LastSign): number {
  const { kinds = [] } = (status ?? {}) as Partial<FollowStatus>;
  const seen = kinds.flatMap(({ lastSeenAt }) => (lastSeenAt === null ? [] : [Date.parse(lastSeenAt)]));
  return Math.max(at.getTime(), seen.length === 0 ? 0 : Math.min(...seen));
}

/** For how long a fight is told of after its last turn, in milliseconds. */
const FIGHT_LASTS = 3_600_000;

/** How long a connection is silent before it is lost, in milliseconds, and how often it is looked whether it is restored. */
const LOST_AFTER = 3 * 60_000;
const RESTORED_LOOKED_FOR_EVERY = 15_000;
/** The most kinds that a lost connection names with their errors. */
const MOST_KINDS = 10;

/** How often it is looked whether a stale state is current again, in milliseconds. */
const SIGNS_LOOKED_FOR_EVERY = 60_000;

/** Finds what lasts in a cluster. */
export class ClusterConditions {
  constructor(
    private readonly derived: DerivedStateCache,
    private readonly fights: FindFights,
    private readonly follows: Pick<FollowStore, 'currentAt'>,
    private readonly leases: Pick<FollowLeases, 'lastSign'>,
  ) {}

  /** The signs of life of a cluster, as far as rules ask; those of several that are asked for at once are read together. */
  async signs(clusterId: number, { lost }: SignsWatched): Promise<SignsOfLife> {
    const [currentAt, last] = await Promise.all([
      this.follows.currentAt(clusterId),
      lost ? this.leases.lastSign(clusterId) : undefined,
    ]);
    return { currentAt: currentAt ?? undefined, last };
  }

  async of(rule: ToldRule, moment: ClusterMoment): Promise<FoundConditions> {
    const found: ConditionsNow[] = [];
    let again = Infinity;
    if (tells(rule, 'snapshotStale') && moment.head !== undefined) {
      const { head, signs, now } = moment;
      const since = new Date(currentOf(head.capturedAt.getTime(), signs.currentAt));
      const staleAt = since.getTime() + rule.staleAfterMs;
      const isStale = staleAt <= now.getTime();
      found.push({ kind: 'snapshotStale', conditions: isStale ? [staleSnapshot(rule, head, since, staleAt)] : [] });
    }
    if (tells(rule, 'connectionLost')) found.push({ kind: 'connectionLost', conditions: lostConnection(moment) });
    if (tells(rule, 'quotaAtRisk')) found.push({ kind: 'quotaAtRisk', conditions: await this.quotas(rule, moment) });
    if (tells(rule, 'taintFight')) {
      const conditions = await this.foughtTaints(rule, moment);
      for (const { lastAt } of conditions) again = Math.min(again, lastAt + FIGHT_LASTS);
      found.push({ kind: 'taintFight', conditions });
    }
    return { found, again };
  }

  private async quotas(rule: ToldRule, moment: ClusterMoment): Promise<readonly Condition[]> {
    const { head, now } = moment;
    const state = await moment.state();
    if (state === undefined || head === undefined) return [];
    const { usages } = await this.derived.quotaUsages(state, now.getTime());
    const slices = new TimeSlices();
    const conditions: Condition[] = [];
    for (const usage of usages) {
      if (slices.due()) await slices.pause();
      const { namespace = '', name } = usage.quota.metadata;
      if (rule.namespaces?.has(namespace) === false) continue;
      for (const resource of usage.resources()) {
        const { standing, taken, percent } = resourceStanding(knownUsage(resource, state), rule.details.quotaThreshold);
        const severity = QUOTA_SEVERITY.get(standing);
        if (severity === undefined) continue;
        const what = `${resource.resource} of ResourceQuota ${namespace}/${name}`;
        const [used, hard] = [taken?.toString() ?? null, resource.hard.toString()];
        conditions.push({
          subject: `${namespace}/${name}/${resource.resource}`,
          version: standing,
          news: {
            object: `namespaces/${namespace}/resourcequotas/${name}`,
            since: head.capturedAt,
            severity,
            summary: `${what} is ${STANDING_TEXT.get(standing)!}: ${used ?? '?'} of ${hard} used`,
            end: `${what} is below ${rule.details.quotaThreshold} % again`,
            lines: [],
            labels: { namespace, resourcequota: name, resource: resource.resource },
            data: {
              quota: { namespace, name, resource: resource.resource, standing, used, hard, percent: percent ?? null },
              revision: head.number,
            },
          },
        });
      }
    }
    return conditions.sort((a, b) => compare(a.subject, b.subject));
  }

  private async foughtTaints(
    rule: ToldRule,
    moment: ClusterMoment,
  ): Promise<readonly (Condition & { readonly lastAt: number })[]> {
    const { cluster, now } = moment;
    const from = new Date(now.getTime() - 24 * FIGHT_LASTS).toISOString();
    const { signal } = new AbortController();
    const { fights } = await this.fights.run({ cluster: cluster.name, from, root: '' }, { signal });
    const labelsOf = rule.nodes === undefined ? undefined : nodeLabels(await moment.state());
    return fights.flatMap(({ last, first, ...fight }) => {
      const lastAt = Date.parse(last);
      if (lastAt + FIGHT_LASTS <= now.getTime()) return [];
      const { node, key, effect, writers, turns } = fight;
      if (rule.keys?.has(key ?? UNSCHEDULABLE) === false || rule.effects?.has(effect ?? 'NoSchedule') === false)
        return [];
      const labels = labelsOf?.(node);
      if (labelsOf !== undefined && (labels === undefined || !rule.nodes!.matches(labels))) return [];
      const what = key === null ? 'the cordon' : `taint ${key}:${effect ?? ''}`;
      const names = writers.map(({ name }) => name ?? 'somebody unknown');
      return [
        {
          subject: `${node}/${key ?? ''}/${effect ?? ''}`,
          version: names.join(),
          lastAt,
          news: {
            object: `nodes/${node}`,
            since: new Date(first),
            severity: 'warning' as const,
            summary: `${names.slice(0, 3).join(' and ')} undo each other’s changes of ${what} on ${node}: ${turns} times`,
            end: `The fight about ${what} on ${node} has ended`,
            lines: writers.map(({ name, changes }) => `${name ?? 'somebody unknown'}: ${changes} changes`),
            labels: { node, ...(key !== null && { taint_key: key }), ...(effect !== null && { effect }) },
            data: { taintFight: { first, last, ...fight } },
          },
        },
      ];
    });
  }
}

/**
 * A connection that follows its cluster is lost when nothing was heard over it for a while: bookmarks come each minute. So is an agent,
 * which sends its positions.
 */
function lostConnection({ signs: { last }, now }: ClusterMoment): readonly Condition[] {
  if (last === undefined) return [];
  const heardAt = heardOf(last);
  if (heardAt + LOST_AFTER > now.getTime()) return [];
  const { message = null, kinds = [] } = (last.status ?? {}) as Partial<FollowStatus>;
  const silent = kinds.filter(({ state }) => state === 'retrying');
  const at = new Date(heardAt).toISOString();
  const { via } = last;
  const condition: Condition = {
    subject: 'connection',
    version: via === 'agent' ? via : '',
    news: {
      object: null,
      since: new Date(heardAt),
      severity: 'critical',
      summary: `${LOST[via]}: no sign of life since ${at}`,
      end: LOST[via].replace(' is ', ' is no longer '),
      lines: [
        ...(message === null ? [] : [message]),
        ...silent.slice(0, MOST_KINDS).map(({ kind, message: why }) => `${kind}: ${why ?? 'retrying'}`),
      ],
      labels: {},
      data: { connection: { via, lastSignAt: at, message, retrying: silent.map(({ kind }) => kind) } },
    },
  };
  return [condition];
}

const LOST = {
  connection: 'The connection to the cluster is lost',
  agent: 'The agent of the cluster is silent',
} as const;

/** The taint that follows a cordon. */
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

const QUOTA_SEVERITY: ReadonlyMap<string, NotificationSeverity> = new Map([
  ['atRisk', 'info'],
  ['full', 'warning'],
  ['over', 'warning'],
]);

const STANDING_TEXT: ReadonlyMap<string, string> = new Map([
  ['atRisk', 'at risk'],
  ['full', 'used up'],
  ['over', 'exceeded'],
]);

function staleSnapshot(
  { details: { staleAfter } }: ToldRule,
  head: Revision,
  current: Date,
  staleAt: number,
): Condition {
  const [capturedAt, currentAt] = [head.capturedAt.toISOString(), current.toISOString()];
  return {
    subject: 'snapshot',
    version: '',
    news: {
      object: null,
      since: new Date(staleAt),
      severity: 'warning',
      summary: `The stored state is older than ${staleAfter}: revision ${head.number}, current at ${currentAt}`,
      end: `The stored state is no older than ${staleAfter} again`,
      lines: [],
      labels: {},
      data: { snapshot: { revision: head.number, capturedAt, currentAt, staleAfter } },
    },
  };
}

/** The labels of nodes of a state. */
export function nodeLabels(state: ClusterState | undefined): LabelsOf {
  return (name) => {
    const index = state?.nodes.indexOf(name) ?? -1;
    return index < 0 ? undefined : state!.nodes.labels(index);
  };
}
