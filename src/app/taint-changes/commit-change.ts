import { ruleSubject } from '../../core/audit/rule-subject.js';
import { taintsTouched, type TrailDraft } from '../../core/audit/trail-record.js';
import { defined } from '../../core/collections/defined.js';
import type { GuardrailResult } from '../../core/guardrails/guardrail.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import type { TaintEffects } from '../../core/taint-effects/taint-effects.js';
import {
  type ChangedNode,
  type TaintChangeToCommit,
  TaintChangeStore,
} from '../../storage/taint-trail/taint-change-store.js';
import { startedDraft } from '../applying/application-drafts.js';
import type { PlannedRule } from '../device-taint-changes/plan-rule.js';
import { TimeSlices } from '../states/time-slices.js';
import type { ChangeAuthor, ChangeDetails } from './change-details.js';
import type { ChangeToMake, MadeChange, Moment, PlannedChange } from './change-to-make.js';
import { HeadForUpdate } from './head-for-update.js';
import type { EditedNode } from './node-outcome.js';

/** Stores a planned change with its records, as the next revision of its cluster. */
export class CommitChange {
  constructor(
    private readonly head: HeadForUpdate,
    private readonly store: TaintChangeStore,
  ) {}

  /**
   * @throws {HeadMoved} plan it again
   * @throws {AlreadyDone} another request used the key, or handled the expiry
   * @throws {AskedMoved} somebody else decided on it meanwhile
   * @throws what `checkInTime` throws
   */
  async run(planned: PlannedChange, { now, checkInTime }: Moment): Promise<MadeChange> {
    const details = detailsOf(planned);
    const settled = this.head.committing(planned.head);
    try {
      const committed = await this.store.commit(await toCommit(planned, details, now), checkInTime);
      // A change of taints is no change of settings.
      const { declaredVersion, apiServerVersion } = planned.head.revision;
      const revision = { ...committed.made, declaredVersion, apiServerVersion };
      this.head.advanced(planned.head, { revision, state: planned.plan.after });
      return { ...planned, committed: { ...committed, details } };
    } catch (error) {
      // If the database connection was lost, the change may have been stored.
      this.head.moved(planned.head);
      throw error;
    } finally {
      settled();
    }
  }
}

async function toCommit(planned: PlannedChange, details: ChangeDetails, madeAt: Date): Promise<TaintChangeToCommit> {
  const { change, head, plan, rule } = planned;
  const effectOn = effectsByNode(plan.effects);
  const { id, action, author, expiresAt, idempotency, application } = change;
  const undoes = undoneBy(change);
  const settlesExpiryOf = action === 'expiry' ? undoes : undefined;
  return {
    id,
    clusterId: head.cluster.id,
    action,
    madeAt,
    author: author.name,
    head: head.revision.number,
    ...defined({ idempotency, undoes, expiresAt, settlesExpiryOf, approval: change.approval?.step }),
    nodes: await new TimeSlices().map(plan.edited, (node) => ({
      after: node.after,
      difference: node.difference,
      ...defined({ labels: node.labels }),
      draft: draftOfSubject(change, nodeChanged(node, effectOn), madeAt),
    })),
    ...(rule && {
      rule: {
        subject: ruleSubject(rule.effects.rule),
        difference: rule.difference,
        ...defined({ labels: rule.labels }),
        draft: draftOfSubject(change, ruleChanged(rule), madeAt),
      },
    }),
    request: draftOfRequest(change, details, planned, madeAt),
    details,
    outcomes: plan.outcomes,
    ...(application && {
      application: {
        askedAt: madeAt,
        askedBy: application.by,
        options: application.options,
        draft: startedDraft(id, application, madeAt),
      },
    }),
  };
}

const undoneBy = (change: ChangeToMake): string | undefined => ('undoes' in change ? change.undoes : undefined);

/** What is stored of a planned change besides its columns. */
export function detailsOf({ change, plan, kubectl, guardrails, rule }: PlannedChange): ChangeDetails {
  const { author, onBehalfOf, reason, link, request, approval } = change;
  const counts = { changed: 0, unchanged: 0, refused: 0 };
  for (const { outcome } of plan.outcomes) counts[outcome] += 1;
  return {
    by: author,
    onBehalfOf: onBehalfOf ?? null,
    reason,
    link: link ?? null,
    request,
    kubectl,
    counts,
    effects: plan.effects,
    guardrails,
    ...(rule !== undefined && { deviceTaintRule: rule.effects }),
    ...(rule?.edit.featureGates !== undefined && { featureGates: rule.edit.featureGates }),
    ...(approval !== undefined && { approval: approval.recorded }),
  };
}

function draftOfRequest(
  change: ChangeToMake,
  details: ChangeDetails,
  planned: Pick<PlannedChange, 'plan' | 'rule'>,
  at: Date,
): TrailDraft {
  const { id, action, author, expiresAt } = change;
  const { onBehalfOf, reason, link, request, counts, effects, guardrails = [] } = details;
  return {
    kind: 'request',
    body: {
      change: id,
      action,
      at: at.toISOString(),
      channel: 'api',
      by: recordedAuthor(author),
      ...(onBehalfOf !== null && { onBehalfOf }),
      reason,
      ...(link !== null && { link }),
      ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
      ...defined({ undoes: undoneBy(change) }),
      request,
      nodes: counts,
      effects,
      ...recordedRule(details),
      ...(guardrails.length > 0 && { guardrails: guardrails.map(recordedGuardrail) }),
    },
    index: {
      changeId: id,
      happenedAt: at.toISOString(),
      author: author.name,
      channel: 'api',
      taints: touchedBy(planned),
    },
  };
}

/** What a record of the trail says of a guardrail. */
export const recordedGuardrail = ({ rule, outcome, message }: GuardrailResult) => ({
  rule,
  outcome,
  ...(message !== null && { message }),
});

/** The taints that a change concerns, once each. */
export function touchedBy({ plan, rule }: Pick<PlannedChange, 'plan' | 'rule'>): readonly Taint[] {
  if (rule !== undefined) return taintsTouched(rule.difference);
  const touched = new Map<string, Taint>();
  for (const { difference } of plan.edited) {
    for (const taint of taintsTouched(difference)) {
      const { key, value, effect, timeAdded } = taint;
      touched.set(JSON.stringify([key, value, effect, timeAdded]), taint);
    }
  }
  return [...touched.values()];
}

/** What a change does to a node, or to a DeviceTaintRule. */
interface ChangedSubject extends Pick<ChangedNode, 'difference' | 'labels'> {
  /** The name of the node; for a rule see `ruleSubject`. */
  readonly subject: string;
  readonly uid: string | undefined;
  readonly effect: EffectOnNode;
}

const nodeChanged = (
  { before, difference, labels }: EditedNode,
  effectOn: (node: string) => EffectOnNode,
): ChangedSubject => ({
  subject: before.metadata.name,
  uid: before.metadata.uid,
  difference,
  ...defined({ labels }),
  effect: effectOn(before.metadata.name),
});

function ruleChanged({ difference, labels, uid, effects: { rule, evictions } }: PlannedRule): ChangedSubject {
  const { now, after, cancelled } = evictions;
  const effect = { evictions: { now, after, never: 0, cancelled }, pods: [] };
  return { subject: ruleSubject(rule), uid, difference, ...defined({ labels }), effect };
}

function draftOfSubject(
  { id, author, onBehalfOf, reason, link }: ChangeToMake,
  { subject, uid, difference, labels, effect }: ChangedSubject,
  at: Date,
): TrailDraft {
  const when = { kind: 'point', at: at.toISOString() };
  return {
    kind: 'change',
    body: {
      change: id,
      node: subject,
      ...defined({ uid }),
      difference,
      ...defined({ labels }),
      when,
      channel: 'api',
      by: recordedAuthor(author),
      ...defined({ onBehalfOf }),
      reason,
      ...defined({ link }),
      status: 'recorded',
      effect,
    },
    index: {
      node: subject,
      changeId: id,
      happenedAt: when.at,
      author: author.name,
      channel: 'api',
      taints: taintsTouched(difference),
    },
  };
}

/** What the record of a request says of a rule; the record of the rule has its taint and its devices. */
export function recordedRule({ deviceTaintRule }: ChangeDetails) {
  if (deviceTaintRule === undefined) return {};
  const { rule, outcome, devices, evictions } = deviceTaintRule;
  const { now, after, cancelled } = evictions;
  return { deviceTaintRule: { rule, outcome, devices: devices.total, now, after, cancelled } };
}

/** The author as records of the trail name one. */
export const recordedAuthor = ({ name, kind, groups, issuer }: ChangeAuthor) => ({
  username: name,
  kind,
  groups,
  ...(issuer !== null && { issuer }),
});

type PodEffect = TaintEffects['evictions']['pods']['items'][number];
type EffectOnNode =
  | { readonly evictions: string }
  | { readonly evictions: Readonly<Record<PodEffect['when'], number>>; readonly pods: readonly PodEffect[] };

/** The pods of a node that are evicted or stay; absent if there are too many to list in the record of the request. */
function effectsByNode({ evictions: { pods } }: TaintEffects): (node: string) => EffectOnNode {
  if (pods.items.length < pods.total) return () => ({ evictions: 'see the record of the request' });
  const byNode = new Map<string, PodEffect[]>();
  for (const pod of pods.items) {
    const own = byNode.get(pod.node);
    if (own === undefined) byNode.set(pod.node, [pod]);
    else own.push(pod);
  }
  return (node) => {
    const own = byNode.get(node) ?? [];
    const counts = { now: 0, after: 0, never: 0, cancelled: 0 };
    for (const { when } of own) counts[when] += 1;
    return { evictions: counts, pods: own };
  };
}
