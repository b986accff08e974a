import type { Labels } from '../../core/kubernetes/objects/meta.js';
import { parseSelector, type Selector } from '../../core/kubernetes/label-selector.js';
import type { OutboxScope, QueuedRule } from '../../storage/notification-outbox.js';
import { parseDuration } from '../duration.js';
import type { RuleDetails } from './given-rule.js';
import { detailsOf } from './notification-rules.js';
import {
  isAtLeast,
  type NewNotification,
  type NotificationEvent,
  type NotificationKind,
} from './notification-event.js';

/** A rule as it is applied to what happens in a cluster. */
export interface ToldRule {
  readonly id: number;
  readonly name: string;
  readonly start: QueuedRule['start'];
  readonly since: Date;
  /** When it was last put, in milliseconds since the epoch. */
  readonly changedAt: number;
  readonly details: RuleDetails;
  readonly nodes: Selector | undefined;
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly keys: ReadonlySet<string> | undefined;
  readonly effects: ReadonlySet<string> | undefined;
  readonly staleAfterMs: number;
}

/** The rules that tell of a cluster now: neither disabled nor stopped, and its labels match. */
export function activeRules({ cluster, rules }: OutboxScope): readonly ToldRule[] {
  return rules.flatMap((rule) => {
    const details = detailsOf(rule);
    if (details.disabled || rule.stoppedAt !== null) return [];
    const { nodeSelector, namespaces, taintKeys, effects, staleAfter } = details;
    if (!selectsCluster(details, cluster.labels)) return [];
    return [
      {
        id: rule.id,
        name: rule.name,
        start: rule.start,
        since: rule.since,
        changedAt: rule.changedAt.getTime(),
        details,
        nodes: nodeSelector === null ? undefined : parseSelector(nodeSelector),
        namespaces: setOf(namespaces),
        keys: setOf(taintKeys),
        effects: setOf(effects),
        staleAfterMs: parseDuration(staleAfter)! * 1000,
      },
    ];
  });
}

/** Whether a rule is about a cluster with these labels. */
export const selectsCluster = ({ clusterSelector }: Pick<RuleDetails, 'clusterSelector'>, labels: Labels): boolean =>
  clusterSelector === null || parseSelector(clusterSelector).matches(labels);

const setOf = (values: readonly string[]): ReadonlySet<string> | undefined =>
  values.length === 0 ? undefined : new Set(values);

export const tells = ({ details }: ToldRule, kind: NotificationKind): boolean => details.kinds.includes(kind);

/** The longest event as JSON, in characters; larger ones lose what is not needed to understand them. */
const MOST_CHARACTERS = 64_000;
const MOST_IN_SUMMARY = 1000;

/** An event for the receiver of a rule; undefined if it is not severe enough. */
export function eventFor(
  rule: ToldRule,
  cluster: OutboxScope['cluster'],
  { key, ...news }: NewNotification,
): NotificationEvent | undefined {
  if (!isAtLeast(news.severity, rule.details.minSeverity)) return undefined;
  const summary = news.summary.slice(0, MOST_IN_SUMMARY);
  const id = `c${cluster.id}-r${rule.id}-${news.kind}-${key}`;
  const event: NotificationEvent = { ...news, id, summary, cluster: cluster.name, rule: rule.name };
  if (JSON.stringify(event).length <= MOST_CHARACTERS) return event;
  return { ...event, lines: [], data: { isTruncated: true } };
}
