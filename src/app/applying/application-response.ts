import type { nodeApplication, taintChangeApplication } from '../../contract/taint-changes/application.js';
import type { Response } from '../../contract/schema.js';
import type { WriteResult } from '../../kube-api/taint-writer/taint-writer.js';
import type {
  NodeCounts,
  StoredApplication,
  StoredApplicationNode,
} from '../../storage/taint-trail/application-store.js';
import type { ChangeAuthor } from '../taint-changes/change-details.js';
import type { ApplyOptions } from './apply-options.js';

export type NodeApplicationResponse = Response<typeof nodeApplication>;

/** An application with the number of its nodes in each state. */
export interface CountedApplication {
  readonly application: Omit<StoredApplication, 'clusterId' | 'changeId'>;
  readonly counts: NodeCounts;
}

export function applicationResponse({
  application,
  counts,
}: CountedApplication): Response<typeof taintChangeApplication> {
  const { state, askedAt, askedBy, options, message, nextAt, endedAt } = application;
  const by = askedBy as ChangeAuthor;
  return { state, askedAt, by, options: options as ApplyOptions, counts, message, nextAt, endedAt };
}

export function nodeApplicationResponse({
  state,
  code,
  message,
  warnings,
  attempts,
  testedVersion,
  resourceVersion,
  changedAt,
}: StoredApplicationNode): NodeApplicationResponse {
  return { state, code, message, warnings, attempts, testedVersion, resourceVersion, at: changedAt };
}

/** The result of a dry run. */
export function dryRunResponse(result: WriteResult, at: Date): NodeApplicationResponse {
  const { outcome, code, message, warnings } = result;
  const state =
    outcome === 'admitted' || outcome === 'unchanged' || outcome === 'refused' ? outcome : ('failed' as const);
  const resourceVersion = 'resourceVersion' in result ? result.resourceVersion : null;
  return { state, code, message, warnings, attempts: 1, testedVersion: null, resourceVersion, at };
}
