import { defined } from '../../core/collections/defined.js';
import { parseJson } from '../../core/json/lossless-json.js';
import { ruleOf } from '../../core/audit/rule-subject.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import type { ChangeSince, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { type ErrorDetail, ServiceError } from '../errors/service-error.js';
import { nodeVersion } from '../../storage/taint-trail/node-row.js';
import { nodeNamed } from './plan-nodes.js';
import type { Working } from './head-for-update.js';

/** The state that a writer has seen: a revision of the cluster, or the content of the single node to change. */
export type Precondition = readonly ({ readonly revision: number } | { readonly version: string })[];

const TAG = /^"([^"]*)"$/;
/** An ETag of this service, see etag.ts: it starts with the revision. */
const OWN_TAG = /^W\/"([1-9][0-9]{0,9})-[\w-]{22}"$/;

/**
 * Parses `If-Match`: `"7"` is a revision, and so is the ETag of a response based on it; `"<32 hexadecimal digits>"` is
 * the version of a node; `*` matches anything; of several, one must match. The service's ETags are weak because the age
 * in a response may differ, not the revision that it is based on. Contrary to RFC 9110 (section 13.1.1), they are
 * therefore compared like strong ones. Returns undefined if there is no precondition.
 * @throws {InvalidRequestError}
 */
export function readPrecondition(
  text: string | undefined,
  nodes: readonly string[] | undefined,
): Precondition | undefined {
  if (text === undefined || text.trim() === '*') return undefined;
  const refuse = (message: string): never => {
    throw new InvalidRequestError([{ field: 'If-Match', code: 'invalid', message }]);
  };
  return text.split(',').map((part) => {
    const own = OWN_TAG.exec(part.trim())?.[1];
    if (own !== undefined) return { revision: Number(own) };
    const tag =
      TAG.exec(part.trim())?.[1] ??
      refuse('must be "<revision>" or "<version of a node>", in double quotes, or the ETag of a response');
    if (/^[1-9][0-9]{0,9}$/.test(tag)) return { revision: Number(tag) };
    if (!/^[0-9a-f]{32}$/.test(tag)) refuse(`"${tag.slice(0, 100)}" is neither a revision nor the version of a node`);
    if (nodes?.length !== 1)
      refuse('a node version is only allowed in a change of a single node that is named in nodes');
    return { version: tag };
  });
}

/** Maximum number of changes to report to a writer. */
const MAX_LISTED_CHANGES = 50;

/** @throws {ServiceError} `precondition-failed`, with the changes since */
export async function checkPrecondition(
  wanted: Precondition,
  { cluster, revision, state }: Working,
  node: string | undefined,
  store: TaintChangeStore,
): Promise<void> {
  const known = node === undefined ? undefined : nodeNamed(state, node);
  const version = known === undefined ? undefined : nodeVersion(known);
  if (wanted.some((one) => ('revision' in one ? one.revision === revision.number : one.version === version))) return;
  const since = Math.min(...wanted.map((one) => ('revision' in one ? one.revision : Infinity)));
  const byRevision = since !== Infinity;
  const from = byRevision ? { revision: since } : { revision: 0, ...defined({ node }) };
  const changes = await store.changesSince(cluster.id, from, MAX_LISTED_CHANGES);
  const what = byRevision
    ? `Cluster ${cluster.name} is now at revision ${revision.number}, not ${since}.`
    : known === undefined
      ? `Node ${JSON.stringify(node)} does not exist.`
      : `Node ${JSON.stringify(node)} has changed: its version is now "${version}".`;
  throw new ServiceError('precondition-failed', what, { details: changes.map(told) });
}

function told(change: ChangeSince): ErrorDetail {
  const rule = ruleOf(change.node);
  const subject = rule === undefined ? { kind: 'Node', name: change.node } : { kind: 'DeviceTaintRule', name: rule };
  return { code: 'changed-since', ...subject, message: describeChange(change) };
}

/** Describes a change of a node: `alice (api) added a=b:NoSchedule at revision 9`. */
export function describeChange({ revision, author, channel, content }: ChangeSince): string {
  const { difference } = parseJson(content) as unknown as { readonly difference: TaintDifference | null };
  const what = difference === null ? 'wrote its taints' : describeDifference(difference);
  return `${author ?? 'somebody'} (${channel}) ${what} at revision ${revision}`;
}

/** Describes a difference: `added a=b:NoSchedule, removed c:NoExecute, cordoned`. */
function describeDifference({ added, removed, changed, cordon }: TaintDifference): string {
  const parts = [
    ...added.map((taint) => `added ${formatTaint(taint)}`),
    ...changed.map(({ after }) => `changed ${formatTaint(after)}`),
    ...removed.map((taint) => `removed ${formatTaint(taint)}`),
    ...(cordon === undefined ? [] : [cordon]),
  ];
  return parts.length === 0 ? 'changed only labels' : parts.join(', ');
}
