import type { Caller } from '../../auth/caller.js';
import type { Permission } from '../../auth/permission.js';
import type { GuardrailOutcome } from '../../core/guardrails/guardrail.js';
import { without } from '../../core/collections/without.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { changeDeviceTaints } from '../../contract/device-taint-changes/questions.js';
import type { changeTaints, revertTaintChange } from '../../contract/taint-changes/questions.js';
import type { StoredAskedChange } from '../../storage/taint-trail/asked-change-store.js';
import { readRuleChange } from '../device-taint-changes/read-rule-change.js';
import type { RequestContext } from '../request-context.js';
import type { ChangeAuthor, ChangeDetails, RecordedApproval, RecordedVote } from '../taint-changes/change-details.js';
import type { RuleEffects } from '../device-taint-changes/plan-rule.js';
import type { ChangeToMake, PlannedChange } from '../taint-changes/change-to-make.js';
import { detailsOf } from '../taint-changes/commit-change.js';
import type { NodeOutcome } from '../taint-changes/node-outcome.js';
import { readChange, readRevert } from '../taint-changes/read-change.js';
import type { RequestOf } from '../request-of.js';

/** The request of a change that waits, from which it is read again. */
export interface AskedRequest {
  readonly action: 'change' | 'revert';
  readonly given: JsonObject;
  readonly by: ChangeAuthor;
  readonly permissions: readonly Permission[];
  /** RFC 3339; null without a time limit. */
  readonly expiresAt: string | null;
  readonly undoes: string | null;
}

/** What a change that waits would do. */
export interface AskedPreview {
  readonly details: ChangeDetails;
  /** Why it waits again; null at first. */
  readonly note: string | null;
}

export const requestOf = (asked: StoredAskedChange): AskedRequest => asked.asked as AskedRequest;
/** What it would do to each node; not known of a change in a list. */
export const outcomesOf = (asked: StoredAskedChange): readonly NodeOutcome[] =>
  asked.outcomes as readonly NodeOutcome[];
export const previewOf = (asked: StoredAskedChange): AskedPreview => asked.preview as AskedPreview;

export const requestToStore = (change: ChangeToMake): AskedRequest => ({
  action: change.action === 'revert' ? 'revert' : 'change',
  given: change.given!,
  by: change.author,
  permissions: change.permissions,
  expiresAt: change.expiresAt?.toISOString() ?? null,
  undoes: 'undoes' in change ? change.undoes : null,
});

export const previewToStore = (planned: PlannedChange, note: string | null = null): AskedPreview => ({
  details: detailsOf(planned),
  note,
});

/** A change that waits as it is to be made: by its author, on whatever state the cluster has now. */
export function changeAgain(asked: StoredAskedChange, approvers: readonly ChangeAuthor[]): ChangeToMake {
  const { permissions } = requestOf(asked);
  // As when it was asked: what was valid then is what is to be approved.
  const read = readAgain(asked, { now: asked.askedAt, caller: askerOf(asked) });
  return { ...without(read, 'precondition'), id: asked.id, dryRun: false, permissions, approvers } as ChangeToMake;
}

function readAgain(asked: StoredAskedChange, reading: Pick<RequestContext, 'now' | 'caller'>): ChangeToMake {
  const { action, given } = requestOf(asked);
  const request: unknown = given;
  if (action === 'revert') return readRevert(request as RequestOf<typeof revertTaintChange>, undefined, reading);
  return previewOf(asked).details.deviceTaintRule === undefined
    ? readChange(request as RequestOf<typeof changeTaints>, undefined, reading)
    : readRuleChange(request as RequestOf<typeof changeDeviceTaints>, undefined, reading);
}

/** The caller who asked for a change. */
export function askerOf(asked: StoredAskedChange): Caller {
  const { name, kind, groups, issuer } = requestOf(asked).by;
  return { name, kind: kind === 'service' ? 'token' : kind, groups, ...(issuer !== null && { issuer }) };
}

/** What was said about a change that waits, and whether it counts. */
export const votesOf = ({ votes, round }: StoredAskedChange): readonly RecordedVote[] =>
  votes.map(({ decision, details, round: given, saidAt }) => {
    const { by, reason } = details as { readonly by: ChangeAuthor; readonly reason: string };
    return { decision, by, reason, at: saidAt.toISOString(), counts: decision === 'reject' || given === round };
  });

export const approvalOf = (asked: StoredAskedChange, votes = votesOf(asked)): RecordedApproval => ({
  askedAt: asked.askedAt.toISOString(),
  approveBy: asked.approveBy.toISOString(),
  apply: requestOf(asked).given['apply'] === true,
  votes,
});

/** How bad an outcome is, without the approvals that the change has. */
const SEVERITY: Readonly<Record<GuardrailOutcome, number>> = {
  holds: 0,
  warned: 1,
  approved: 2,
  approvalNeeded: 2,
  refused: 3,
};

/**
 * Why a change does worse than its approvers know: a guardrail has a worse outcome, or a node changes or a device is tainted that was
 * not. Undefined if it does not.
 */
export function worseThan(asked: StoredAskedChange, { guardrails, plan, rule }: PlannedChange): string | undefined {
  const before = new Map((previewOf(asked).details.guardrails ?? []).map((result) => [result.rule, result]));
  const worse = guardrails.filter(
    ({ rule, outcome }) => SEVERITY[outcome] > SEVERITY[before.get(rule)?.outcome ?? 'holds'],
  );
  const knownNodes = new Set(
    outcomesOf(asked)
      .filter(({ outcome }) => outcome === 'changed')
      .map(({ node }) => node),
  );
  const more = plan.edited.map(({ before: node }) => node.metadata.name).filter((name) => !knownNodes.has(name));
  const reasons = [
    ...worse.map(({ rule, message }) => `${rule}: ${message ?? 'does not hold'}`),
    ...moreDevices(previewOf(asked).details.deviceTaintRule, rule?.effects),
    ...(more.length > 0
      ? [
          `${more.length} more ${more.length === 1 ? 'node' : 'nodes'} would change: ${more.slice(0, MOST_NAMED).join(', ')}`,
        ]
      : []),
  ];
  return reasons.length === 0 ? undefined : reasons.join('; ').slice(0, MOST_CHARACTERS);
}

/** Devices beyond those that are listed are counted. */
function moreDevices(known: RuleEffects | undefined, now: RuleEffects | undefined): readonly string[] {
  if (known === undefined || now === undefined) return [];
  const nameOf = ({ driver, pool, name }: RuleEffects['devices']['items'][number]): string =>
    `${driver}/${pool}/${name}`;
  const before = new Set(known.devices.items.map(nameOf));
  const isWhole = known.devices.items.length === known.devices.total;
  const more = isWhole ? now.devices.items.map(nameOf).filter((name) => !before.has(name)) : [];
  const count = isWhole
    ? now.devices.total - (now.devices.items.length - more.length)
    : now.devices.total - known.devices.total;
  if (count <= 0) return [];
  const named = more.length === 0 ? '' : `: ${more.slice(0, MOST_NAMED).join(', ')}`;
  return [`${count} more ${count === 1 ? 'device' : 'devices'} would be covered${named}`];
}

const MOST_NAMED = 5;
const MOST_CHARACTERS = 2000;
