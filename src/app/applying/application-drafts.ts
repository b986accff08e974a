import type { AppliedRecord } from '../../core/audit/application-record.js';
import { taintsTouched, type TrailDraft } from '../../core/audit/trail-record.js';
import { defined } from '../../core/collections/defined.js';
import type { NodeCounts, NodeInTurn, SettledNode } from '../../storage/taint-trail/application-store.js';
import type { ChangeAuthor } from '../taint-changes/change-details.js';
import type { ApplyOptions, AskedApplication } from './apply-options.js';

const authorIn = ({ name, kind, groups, issuer }: ChangeAuthor) => ({
  username: name,
  kind,
  groups,
  ...(issuer !== null && { issuer }),
});

/** The record that an application was asked for. */
export const startedDraft = (change: string, { by, options }: AskedApplication, at: Date): TrailDraft =>
  applicationDraft(change, by, at, { event: 'started', options });

/** The record that an application ended. */
export const endedDraft = (
  change: string,
  by: ChangeAuthor,
  at: Date,
  end: { readonly event: 'done' | 'stopped' | 'cancelled'; readonly nodes: NodeCounts; readonly message?: string },
): TrailDraft => applicationDraft(change, by, at, end);

function applicationDraft(
  change: string,
  by: ChangeAuthor,
  at: Date,
  more: {
    readonly event: string;
    readonly options?: ApplyOptions;
    readonly nodes?: NodeCounts;
    readonly message?: string;
  },
): TrailDraft {
  const time = at.toISOString();
  return {
    kind: 'application',
    body: { change, at: time, channel: 'api', by: authorIn(by), ...more },
    index: { changeId: change, happenedAt: time, author: by.name, channel: 'api', taints: [] },
  };
}

/** The record of what became of a node. */
export function appliedDraft(
  change: string,
  by: ChangeAuthor,
  { node, uid, attempts, difference }: NodeInTurn,
  settled: SettledNode & { readonly saidBy: AppliedRecord['saidBy'] },
  at: Date,
): TrailDraft {
  const { state, saidBy, code, message, warnings, testedVersion, resourceVersion } = settled;
  const body: AppliedRecord = {
    change,
    node,
    at: at.toISOString(),
    channel: 'api',
    by: authorIn(by),
    outcome: state as AppliedRecord['outcome'],
    saidBy,
    attempts: attempts + 1,
    difference,
    ...defined({
      uid: uid ?? undefined,
      code: code ?? undefined,
      message: message ?? undefined,
      warnings: warnings.length === 0 ? undefined : warnings,
      testedVersion: testedVersion ?? undefined,
      resourceVersion: resourceVersion ?? undefined,
    }),
  };
  return {
    kind: 'applied',
    body: { ...body },
    index: {
      node,
      changeId: change,
      happenedAt: body.at,
      author: by.name,
      channel: 'api',
      taints: taintsTouched(difference),
    },
  };
}
