import { createHash } from 'node:crypto';
import type { OutboxScope, OutboxStep, StoredCondition } from '../../storage/notification-outbox.js';
import type { NewNotification, NotificationEvent, NotificationKind } from './notification-event.js';
import { eventFor, type ToldRule } from './told-rule.js';

/** Something that lasts in a cluster, such as a full quota. */
export interface Condition {
  /** Distinguishes it from others of its kind in the cluster. */
  readonly subject: string;
  /** How it is; another version is told again. */
  readonly version: string;
  readonly news: Pick<NewNotification, 'severity' | 'summary' | 'lines' | 'labels' | 'data'> & {
    readonly object: string | null;
    readonly since: Date;
    /** The summary of its end. */
    readonly end: string;
  };
}

/** The conditions of one kind that a rule tells of. */
export interface ConditionsNow {
  readonly kind: NotificationKind;
  readonly conditions: readonly Condition[];
}

/** The most conditions of a kind that a rule tells of. */
const MOST_CONDITIONS = 1000;
/** How often Alertmanager is told again of what lasts, in milliseconds: it would take it for over otherwise. */
const TOLD_AGAIN_AFTER = 3_600_000;

/** What is stored of a condition that was told. */
interface ToldEvent extends NotificationEvent {
  readonly end: string;
}

/**
 * Tells of conditions that have begun, changed or ended since a rule told of them last. Kinds that were not looked at, and conditions of
 * kinds that the rule no longer tells of, are left alone.
 */
export function conditionStep(
  rule: ToldRule,
  cluster: OutboxScope['cluster'],
  found: readonly ConditionsNow[],
  told: readonly StoredCondition[],
  now: Date,
): Required<OutboxStep> {
  const step = { deliveries: [], told: [], over: [] } as {
    deliveries: OutboxStep['deliveries'][number][];
    told: StoredCondition[];
    over: Pick<StoredCondition, 'ruleId' | 'kind' | 'subject'>[];
  };
  const isAlertmanager = rule.details.format === 'alertmanager';
  for (const { kind, conditions } of found) {
    const before = new Map(
      told.filter((one) => one.ruleId === rule.id && one.kind === kind).map((one) => [one.subject, one]),
    );
    const deliver = (event: NotificationEvent): void => {
      step.deliveries.push({ ruleId: rule.id, kind, event: JSON.stringify(event) });
    };
    for (const condition of conditions.slice(0, MOST_CONDITIONS)) {
      const former = before.get(condition.subject);
      before.delete(condition.subject);
      const isSame = former?.version === condition.version;
      const isDue =
        isAlertmanager && former !== undefined && now.getTime() - former.toldAt.getTime() >= TOLD_AGAIN_AFTER;
      if (isSame && !isDue) continue;
      // Its labels may differ, by which Alertmanager knows an alert.
      if (former !== undefined && !isSame && isAlertmanager) deliver(overEvent(former, now));
      const event = activeEvent(rule, cluster, kind, condition, isSame ? former : undefined, now);
      if (event === undefined) {
        if (former !== undefined) step.over.push(former);
        continue;
      }
      deliver(event);
      const stored: ToldEvent = { ...event, end: condition.news.end };
      const { subject, version } = condition;
      step.told.push({ ruleId: rule.id, kind, subject, version, event: JSON.stringify(stored), toldAt: now });
    }
    for (const former of before.values()) {
      step.over.push(former);
      deliver(overEvent(former, now));
    }
  }
  return step;
}

/** When Alertmanager is to be told again of what lasts after a step, in milliseconds since the epoch. */
export function tellAgainAt(
  { id, details }: ToldRule,
  found: readonly ConditionsNow[],
  before: readonly StoredCondition[],
  { told, over }: Required<OutboxStep>,
): number {
  if (details.format !== 'alertmanager') return Infinity;
  const kinds = new Set<string>(found.map(({ kind }) => kind));
  const nameOf = ({ kind, subject }: Pick<StoredCondition, 'kind' | 'subject'>): string => `${kind} ${subject}`;
  const replaced = new Set([...told, ...over].map(nameOf));
  const lasting = before.filter((one) => one.ruleId === id && kinds.has(one.kind) && !replaced.has(nameOf(one)));
  return Math.min(...[...told, ...lasting].map(({ toldAt }) => toldAt.getTime() + TOLD_AGAIN_AFTER));
}

function activeEvent(
  rule: ToldRule,
  cluster: OutboxScope['cluster'],
  kind: NotificationKind,
  { subject, version, news }: Condition,
  former: StoredCondition | undefined,
  now: Date,
): NotificationEvent | undefined {
  const { object, since, severity, summary, lines, labels, data } = news;
  const began = former === undefined ? since.toISOString() : (JSON.parse(former.event) as ToldEvent).happenedAt;
  return eventFor(rule, cluster, {
    severity,
    summary,
    lines,
    labels,
    data,
    kind,
    key: digest([subject, version, began, former === undefined ? '' : now.toISOString()]),
    status: 'active',
    subject: object,
    happenedAt: began,
    overAt: null,
  });
}

function overEvent({ event: text }: StoredCondition, now: Date): NotificationEvent {
  const { end, ...event } = JSON.parse(text) as ToldEvent;
  return { ...event, id: `${event.id}-over`, status: 'over', overAt: now.toISOString(), summary: end };
}

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
