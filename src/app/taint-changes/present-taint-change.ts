import { ruleSubject } from '../../core/audit/rule-subject.js';
import { ApplicationStore } from '../../storage/taint-trail/application-store.js';
import type { StoredAskedChange } from '../../storage/taint-trail/asked-change-store.js';
import { type StoredTaintChange, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import {
  nodeApplicationResponse,
  type CountedApplication,
  type NodeApplicationResponse,
} from '../applying/application-response.js';
import type { AskedApplication } from '../applying/apply-options.js';
import { outcomesOf, previewOf } from '../approvals/asked-change.js';
import { askedResponse } from '../approvals/asked-change-response.js';
import type { RuleEffects } from '../device-taint-changes/plan-rule.js';
import { basisOf } from '../reads/basis.js';
import { type ResolvedRevision, ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import { mapInSlices } from '../states/map-in-slices.js';
import { TimeSlices } from '../states/time-slices.js';
import type { ChangeDetails } from './change-details.js';
import { type ChangeAnswer, isRepeated, type MadeChange, type RepeatedChange } from './change-to-make.js';
import type { NodeOutcome } from './node-outcome.js';
import { nodeChangeResponse, NO_STATUSES, taintChangeResponse } from './taint-change-response.js';
import { type EffectsView, taintEffectsResponse } from './taint-effects-response.js';

export interface WantedChange {
  readonly cluster: string;
  /** Of its effects; both by default. */
  readonly view?: EffectsView | undefined;
  /** What the API server said in dry runs, by node, or by the `ruleSubject` of a rule. */
  readonly tried?: ReadonlyMap<string, NodeApplicationResponse> | undefined;
}

/** Maximum number of nodes in a response: some megabytes. */
const MAX_NODES = 1000;

/** The nodes for a response, rejected ones first. */
export function nodesShown<Outcome extends Pick<NodeOutcome, 'outcome'>>(
  all: readonly Outcome[],
): { readonly shown: readonly Outcome[]; readonly nodesOmitted: number } {
  if (all.length <= MAX_NODES) return { shown: all, nodesOmitted: 0 };
  const refused = all.filter(({ outcome }) => outcome === 'refused');
  const others = all.filter(({ outcome }) => outcome !== 'refused');
  return { shown: [...refused, ...others].slice(0, MAX_NODES), nodesOmitted: all.length - MAX_NODES };
}

/** Renders a change: one that was just made, or a stored one. */
export class PresentTaintChange {
  constructor(
    private readonly store: TaintChangeStore,
    private readonly applications: ApplicationStore,
    private readonly resolveRevision: ResolveRevision,
  ) {}

  async run(
    { cluster, view, tried }: WantedChange,
    made: MadeChange | RepeatedChange,
    context: RequestContext,
  ): Promise<ChangeAnswer> {
    if (!isRepeated(made)) return made.kept ?? madeResponse(made, view, tried, context);
    if ('repeatedAnswer' in made) {
      context.withheld.addSource(made.repeatedAnswer);
      return { ...made.repeatedAnswer, replayed: true };
    }
    const repeated =
      'repeated' in made
        ? await this.stored({ cluster, view }, made.repeated, context)
        : await this.asked({ cluster, view }, made.repeatedAsked, context);
    return { ...repeated, replayed: true };
  }

  /** A change that was asked and not made. */
  async asked(
    { cluster, view }: WantedChange,
    asked: StoredAskedChange,
    context: RequestContext,
  ): Promise<ChangeAnswer> {
    const { now } = context;
    const resolved = await this.revisionOf(cluster, asked.revision, now);
    const { details } = previewOf(asked);
    const { shown, nodesOmitted } = nodesShown(outcomesOf(asked));
    return {
      basis: basisOf(resolved, now, context.nextDecisionId()),
      dryRun: false,
      change: askedResponse(asked, now),
      nodes: shown.map((outcome) => nodeChangeResponse(outcome)),
      nodesOmitted,
      kubectl: details.kubectl,
      effects: taintEffectsResponse(details.effects, view),
      deviceTaintRule: ruleResponse(details.deviceTaintRule, undefined),
      guardrails: details.guardrails ?? [],
      replayed: false,
    };
  }

  /** Retention may have removed the revision of a change; then the head. */
  private revisionOf(cluster: string, revision: number, now: Date): Promise<ResolvedRevision> {
    return this.resolveRevision
      .resolve(cluster, { revision }, now)
      .catch(() => this.resolveRevision.resolve(cluster, {}, now));
  }

  /** A change in its current state. */
  async stored(
    { cluster, view, tried }: WantedChange,
    change: StoredTaintChange,
    context: RequestContext,
  ): Promise<ChangeAnswer> {
    const { now } = context;
    const { clusterId, id, revision } = change;
    const [outcomes, intents, statuses, applied, resolved] = await Promise.all([
      this.store.outcomes(clusterId, id),
      this.store.nodesOf(clusterId, id),
      this.store.statusCounts(clusterId, [id]),
      this.applications.whole(clusterId, id),
      this.revisionOf(cluster, revision, now),
    ]);
    const known = new Map(intents.map((intent) => [intent.node, intent]));
    const written = tried ?? new Map(applied?.nodes.map((node) => [node.node, nodeApplicationResponse(node)]));
    const details = change.details as ChangeDetails;
    const { shown, nodesOmitted } = nodesShown(outcomes as readonly NodeOutcome[]);
    return {
      basis: basisOf(resolved, now, context.nextDecisionId()),
      dryRun: false,
      change: taintChangeResponse(change, details, statuses.get(id) ?? NO_STATUSES, applied),
      nodes: shown.map((outcome) => nodeChangeResponse(outcome, known.get(outcome.node), written.get(outcome.node))),
      nodesOmitted,
      kubectl: details.kubectl,
      effects: taintEffectsResponse(details.effects, view),
      deviceTaintRule: ruleResponse(details.deviceTaintRule, written),
      guardrails: details.guardrails ?? [],
      replayed: false,
    };
  }
}

/** Renders a change that was just computed, and made unless it is a dry run, as a read would return it now. */
async function madeResponse(
  { change, head, plan, kubectl, rule, guardrails, committed, asked }: MadeChange,
  view: EffectsView | undefined,
  tried: WantedChange['tried'],
  context: RequestContext,
): Promise<ChangeAnswer> {
  const { now } = context;
  const slices = new TimeSlices();
  const made = committed && { number: committed.revision, unconfirmedNodes: committed.unconfirmedNodes };
  const { outcomes, edited, effects } = plan;
  const { shown, nodesOmitted } = nodesShown(outcomes);
  return {
    basis: basisOf({ ...head, revision: { ...head.revision, ...made } }, now, context.nextDecisionId()),
    dryRun: change.dryRun,
    change:
      asked !== undefined
        ? askedResponse(asked, now)
        : committed === undefined
          ? null
          : changeJustMade({ change, committed }, rule === undefined ? edited.length : 1, now),
    nodes: await mapInSlices(shown, slices, (outcome) =>
      nodeChangeResponse(
        outcome,
        committed !== undefined && outcome.outcome === 'changed' ? { status: 'recorded', saidBy: null } : undefined,
        tried?.get(outcome.node) ??
          (committed !== undefined && outcome.outcome === 'changed' && change.application !== undefined
            ? WAITING
            : undefined),
      ),
    ),
    nodesOmitted,
    kubectl,
    effects: taintEffectsResponse(effects, view),
    deviceTaintRule: ruleResponse(rule?.effects, tried ?? (committed && change.application && { get: () => WAITING })),
    guardrails,
    replayed: false,
  };
}

/** @param written what became of it in the cluster */
function ruleResponse(
  rule: RuleEffects | undefined,
  written: Pick<ReadonlyMap<string, NodeApplicationResponse>, 'get'> | undefined,
): ChangeAnswer['deviceTaintRule'] {
  if (rule === undefined) return null;
  const { notLoaded = [] } = rule;
  return { ...rule, notLoaded, application: written?.get(ruleSubject(rule.rule)) ?? null };
}

function changeJustMade(
  { change, committed }: Required<Pick<MadeChange, 'change' | 'committed'>>,
  nodes: number,
  madeAt: Date,
): ChangeAnswer['change'] {
  const { id, action, expiresAt } = change;
  const { revision, sequence, details } = committed;
  const facts = {
    id,
    revision,
    sequence,
    madeAt,
    action,
    undoes: 'undoes' in change ? change.undoes : null,
    undoneBy: null,
    expiresAt: expiresAt ?? null,
    expiry: expiresAt === undefined ? null : ('pending' as const),
  };
  const { application } = change;
  return taintChangeResponse(
    facts,
    details,
    { ...NO_STATUSES, recorded: nodes },
    application && justAsked(application, nodes, madeAt),
  );
}

const WAITING: NodeApplicationResponse = {
  state: 'waiting',
  code: null,
  message: null,
  warnings: [],
  attempts: 0,
  testedVersion: null,
  resourceVersion: null,
  at: null,
};

function justAsked({ by, options }: AskedApplication, waiting: number, askedAt: Date): CountedApplication {
  return {
    application: { state: 'running', askedAt, askedBy: by, options, nextAt: askedAt, endedAt: null, message: null },
    counts: { waiting, writing: 0, written: 0, unchanged: 0, refused: 0, failed: 0, unknown: 0 },
  };
}
