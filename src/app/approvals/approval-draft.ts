import type { TrailDraft } from '../../core/audit/trail-record.js';
import type { ChangeAuthor, ChangeDetails } from '../taint-changes/change-details.js';
import type { PlannedChange } from '../taint-changes/change-to-make.js';
import { recordedAuthor, recordedGuardrail, recordedRule, touchedBy } from '../taint-changes/commit-change.js';

export type ApprovalStep = 'asked' | 'askedAgain' | 'approved' | 'rejected' | 'expired';

interface Step {
  readonly step: ApprovalStep;
  readonly change: string;
  readonly by: ChangeAuthor;
  readonly reason: string;
  readonly at: Date;
  /** What the change would do, where that is new. */
  readonly preview?: {
    readonly details: ChangeDetails;
    readonly planned: Pick<PlannedChange, 'plan' | 'rule'>;
    readonly approveBy: Date;
    readonly apply: boolean;
  };
}

/** The record of a step of a change that needs approval. */
export function approvalDraft({ step, change, by, reason, at, preview }: Step): TrailDraft {
  const happenedAt = at.toISOString();
  return {
    kind: 'approval',
    body: {
      change,
      step,
      at: happenedAt,
      channel: 'api',
      by: recordedAuthor(by),
      reason,
      ...(preview !== undefined && previewBody(preview)),
    },
    index: {
      changeId: change,
      happenedAt,
      author: by.name,
      channel: 'api',
      taints: preview === undefined ? [] : touchedBy(preview.planned),
    },
  };
}

function previewBody({ details, approveBy, apply }: NonNullable<Step['preview']>) {
  const { onBehalfOf, link, request, counts, effects, guardrails = [] } = details;
  return {
    ...(onBehalfOf !== null && { onBehalfOf }),
    ...(link !== null && { link }),
    approveBy: approveBy.toISOString(),
    apply,
    request,
    nodes: counts,
    effects,
    ...recordedRule(details),
    guardrails: guardrails.map(recordedGuardrail),
  };
}
