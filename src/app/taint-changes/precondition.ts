import { defined } from '../../core/collections/defined.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import type { ChangeSince, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { type ErrorDetail, ServiceError } from '../errors/service-error.js';
import { nodeVersion } from '../nodes/node-version.js';
import { nodeNamed } from './plan-nodes.js';
import type { Working } from './head-for-update.js';

/** What a writer has seen: a revision of the cluster, or the content of the one node that it is about to change. */
export type Precondition = readonly ({ readonly revision: number } | { readonly version: string })[];

const TAG = /^"([^"]*)"$/;
/** The ETag of an answer of ours, see etag.ts: the revision comes first. */
const OWN_TAG = /^W\/"([1-9][0-9]{0,9})-[\w-]{22}"$/;

/**
 * Reads `If-Match`: `"7"` is a revision, and so is the ETag of an answer that rests on it; `"<32 hexadecimal digits>"` the
 * version of a node, `*` whatever there is; of several one must hold. That an ETag of ours is a weak one says that its answer's
 * age may differ, not what it rests on: here it counts like a strong one, which RFC 9110 (section 13.1.1) would not have. Undefined when there is nothing to hold.
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
      refuse('must be "<revision>" or "<version of a node>", in double quotes, or the ETag of an answer');
    if (/^[1-9][0-9]{0,9}$/.test(tag)) return { revision: Number(tag) };
    if (!/^[0-9a-f]{32}$/.test(tag)) refuse(`"${tag.slice(0, 100)}" is neither a revision nor the version of a node`);
    if (nodes?.length !== 1) refuse('the version of a node can only be asked for in a change of one node, by its name');
    return { version: tag };
  });
}

/** Changes that are told to a writer who comes too late. */
const MOST_TOLD = 50;

/** @throws {ServiceError} `precondition-failed`, with what changed meanwhile */
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
  const changes = await store.changesSince(cluster.id, from, MOST_TOLD);
  const what = byRevision
    ? `Cluster ${cluster.name} is at revision ${revision.number} now, not ${since}.`
    : known === undefined
      ? `There is no node ${JSON.stringify(node)}.`
      : `Node ${JSON.stringify(node)} has changed: its version is "${version}" now.`;
  throw new ServiceError('precondition-failed', what, { details: changes.map(told) });
}

const told = (change: ChangeSince): ErrorDetail => ({
  code: 'changed-since',
  kind: 'Node',
  name: change.node,
  message: describeChange(change),
});

/** A change of a node in a few words: `alice (api) added a=b:NoSchedule at revision 9`. */
export function describeChange({ revision, author, channel, content }: ChangeSince): string {
  const { difference } = parseJson(content) as unknown as { readonly difference: TaintDifference | null };
  const what = difference === null ? 'wrote its taints' : describeDifference(difference);
  return `${author ?? 'somebody'} (${channel}) ${what} at revision ${revision}`;
}

/** A difference in a few words: `added a=b:NoSchedule, removed c:NoExecute, cordoned`. */
function describeDifference({ added, removed, changed, cordon }: TaintDifference): string {
  const parts = [
    ...added.map((taint) => `added ${formatTaint(taint)}`),
    ...changed.map(({ after }) => `changed ${formatTaint(after)}`),
    ...removed.map((taint) => `removed ${formatTaint(taint)}`),
    ...(cordon === undefined ? [] : [cordon]),
  ];
  return parts.length === 0 ? 'changed labels alone' : parts.join(', ');
}
