import type { ErrorCode } from '../../contract/error-code.js';

export interface ErrorTableRow {
  /** The HTTP status of a REST answer with this error; GraphQL carries it in `extensions.status`. */
  readonly status: number;
  /** The same for every error of this code (RFC 9457 `title`). */
  readonly title: string;
  /** What it means and what to do, for the documentation. */
  readonly description: string;
}

/** The one place that says how each error code looks outside, in REST and in GraphQL. */
export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorTableRow>> = {
  'malformed-json': row(400, 'Malformed JSON', 'The body is not JSON; line and column say where it stops being so.'),
  'malformed-yaml': row(400, 'Malformed YAML', 'The body is not YAML; line and column say where it stops being so.'),
  'body-required': row(400, 'Body required', 'This operation needs a body and got none.'),
  'body-too-large': row(413, 'Body too large', 'The body is larger than this operation takes.'),
  'body-incomplete': row(
    400,
    'Body incomplete',
    'The body ended before its announced length; the detail says whether anything was stored.',
  ),
  'unsupported-media-type': row(415, 'Unsupported media type', 'Send one of the content types that the detail names.'),
  'unsupported-text-encoding': row(
    400,
    'Unsupported text encoding',
    'The body is not UTF-8; the detail says whether anything was stored.',
  ),
  'malformed-gzip': row(
    400,
    'Malformed gzip',
    'The body is no gzip stream, or a damaged one; the detail says whether anything was stored.',
  ),
  'not-an-object': row(
    400,
    'Not an object',
    'The body, or an element of a list, is not a Kubernetes object. Nothing was stored.',
  ),
  'api-server-error': row(
    422,
    'Error of the API server',
    'The body holds a Status: the API server refused what was asked of it, and the dump is not complete. Nothing was stored.',
  ),
  'incomplete-list': row(
    422,
    'Incomplete list',
    'A list of the body is one page of several, by its `metadata.continue` or `metadata.remainingItemCount`. Send the whole ' +
      'list. Nothing was stored.',
  ),
  'nothing-to-store': row(
    422,
    'Nothing to store',
    'The body holds no object of a kind that is kept, nor an empty list of one. Name the kinds that the cluster has none of ' +
      'in `kinds`. Nothing was stored.',
  ),
  'snapshot-limit-exceeded': row(
    400,
    'Snapshot limit exceeded',
    'The body is nested too deep, or one object of it is too large, or it has too many, or it unpacks to far more than ' +
      'any dump; `errors` has the limit. Nothing was stored.',
  ),
  'audit-events-limit-exceeded': row(
    400,
    'Audit events limit exceeded',
    'The body is nested too deep, or one event of a list is too large, or there are too many, or it unpacks to far more ' +
      'than any log; `errors` has the limit, the detail says what was stored before.',
  ),
  'malformed-url': row(400, 'Malformed URL', 'The path holds a broken percent-escape or is too long.'),
  'malformed-http': row(400, 'Malformed HTTP', 'What arrived is not an HTTP request, or its head is too large.'),
  'request-timeout': row(
    408,
    'Request timeout',
    'The body stopped arriving; the detail says whether anything was stored.',
  ),
  'expectation-failed': row(
    417,
    'Expectation failed',
    'The service knows only the expectation 100-continue; leave the Expect header out.',
  ),
  'host-not-allowed': row(
    421,
    'Host not allowed',
    'Without authentication the service answers to localhost, to the address that it listens on, and to the names in ' +
      'ALLOWED_HOSTS: another name may be that of a web page which was made to point here.',
  ),
  'cross-site-request': row(
    403,
    'Cross-site request',
    'A web page of another origin sent the request; ALLOWED_ORIGINS names the origins whose pages may.',
  ),
  unauthenticated: row(401, 'Unauthenticated', 'Send a token that is known here, as `Authorization: Bearer`.'),
  forbidden: row(403, 'Forbidden', 'You may see it, but not do this; the detail names the right that is missing.'),
  'rate-limited': row(
    429,
    'Too many requests',
    'You asked more often than you may; try again after the time in Retry-After.',
  ),
  'too-many-uploads': row(
    429,
    'Too many uploads',
    'You are sending as many snapshots and bodies of audit events as one caller may at once; try again after the time in Retry-After.',
  ),
  'too-many-questions': row(
    429,
    'Too many questions at once',
    'As many of your questions and changes as may wait are waiting; try again after the time in Retry-After.',
  ),
  'too-many-streams': row(
    429,
    'Too many streams',
    'You have as many streams of events open as you may, or the replica has; the detail says which.',
  ),
  'slow-reader': row(
    408,
    'Slow reader',
    'Events came faster than you took them, so the stream was ended. Connect again and go on from the id that you have ' +
      'had last: nothing is lost.',
  ),
  'invalid-request': row(400, 'Invalid request', 'Every bad field and parameter is named in `errors`, all at once.'),
  'invalid-object': row(
    422,
    'Invalid Kubernetes object',
    'The API server would refuse the object; `errors` has its own words for every bad field.',
  ),
  'admission-refused': row(
    422,
    'Refused by admission',
    "An admission plugin of the API server would refuse the pod; `detail` is Kubernetes' own message.",
  ),
  'invalid-scenario': row(
    422,
    'Invalid scenario',
    'A change of the scenario cannot be made, or the scenario is too large; `errors` has every fault of every change. ' +
      'What kubectl or the API server would refuse is refused in their words.',
  ),
  'invalid-continue-token': row(
    400,
    'Invalid continue token',
    'The token or cursor is not from this list, or from other parameters. Start again from the first page.',
  ),
  'not-acceptable': row(
    406,
    'Not acceptable',
    'The answer is not served in a media type that `Accept` names; the detail has those that it is served in.',
  ),
  'route-not-found': row(404, 'No such address', 'Nothing is served at this path; see /docs.'),
  'method-not-allowed': row(405, 'Method not allowed', 'The path exists; the Allow header lists its methods.'),
  'graphql-syntax': row(400, 'GraphQL syntax error', 'The query is not GraphQL.'),
  'graphql-validation': row(400, 'Invalid GraphQL query', 'The query does not fit the schema.'),
  'graphql-limit-exceeded': row(
    400,
    'GraphQL limit exceeded',
    'The query is too long, too deep, too wide or too expensive; the message names the limit.',
  ),
  'persisted-query-not-found': row(
    400,
    'Persisted query not found',
    'No query with this hash is kept: send it once more with its text. Clients of GraphQL do so by themselves.',
  ),
  'persisted-query-not-supported': row(
    400,
    'Persisted query not supported',
    'Only version 1 with a `sha256Hash` is: send the text of the query.',
  ),
  'cluster-not-found': row(404, 'No such cluster', 'No cluster of this name is stored.'),
  'revision-not-found': row(404, 'No such revision', 'The revision lies in the future, or retention removed it.'),
  'object-not-found': row(404, 'No such object', 'The revision holds no object of this kind, namespace and name.'),
  'no-snapshot': row(404, 'No snapshot', 'Nothing is stored of the cluster yet, or nothing as old as `at`.'),
  'snapshot-too-old': row(
    409,
    'Snapshot too old',
    'What is stored is older than `maxAge` accepts; take a new snapshot.',
  ),
  'snapshot-older-than-head': row(
    409,
    'Snapshot older than the head',
    'It was captured before what is stored; say `backfill` to store it as past state.',
  ),
  'too-many-removals': row(
    409,
    'Too many removals',
    'The snapshot lacks more of the stored nodes or pods than may be removed without a confirmation; `errors` has how many and some of their ' +
      'names. If they are gone, say `allowRemovals`. Nothing was stored.',
  ),
  'snapshot-aborted': row(409, 'Snapshot aborted', 'The snapshot was given up before its end. Nothing was stored.'),
  'snapshot-base-gone': row(
    409,
    'Snapshot base gone',
    'What the snapshot was compared with is gone, for instance because the cluster was deleted meanwhile. Send it again.',
  ),
  'change-not-found': row(404, 'No such taint change', 'No change of this id was made to the cluster here.'),
  'trail-not-found': row(404, 'No such trail', 'No cluster of this name has or had this id; see /taint-trails.'),
  'record-not-found': row(404, 'No such record', 'The trail of the cluster has no record of this number.'),
  'resume-gone': row(
    410,
    'Cannot be resumed',
    'What came after the id is not stored any more: retention removed it, or the cluster was deleted and made again. ' +
      'Read the state of the cluster, and follow it from its revision.',
  ),
  'precondition-failed': row(
    412,
    'Precondition failed',
    'The cluster, or the node, is not as `If-Match` says any more; `errors` has what changed meanwhile.',
  ),
  'idempotency-key-reused': row(
    422,
    'Idempotency key reused',
    'The key belongs to another request of the same caller. Use a new key for each request.',
  ),
  'idempotency-key-in-use': row(
    409,
    'Idempotency key in use',
    'The first request with this key is still being worked on; try again after the time in Retry-After.',
  ),
  'taint-change-refused': row(
    409,
    'Taint change refused',
    "kubectl or the API server would refuse it; `errors` has the reasons node by node, in kubectl's own words. " +
      'Nothing was changed.',
  ),
  'revert-conflict': row(
    409,
    'Revert conflict',
    'Somebody changed the same taints since; `errors` names what, and who. Say `force` to override it. ' +
      'Nothing was changed.',
  ),
  'already-reverted': row(409, 'Already reverted', 'The change was taken back before.'),
  'too-many-changes': row(
    503,
    'Too many changes',
    'Too many writers want to change the cluster at once; try again after the time in Retry-After.',
  ),
  'database-unavailable': row(503, 'Database unavailable', 'Try again after the time in Retry-After.'),
  'identity-provider-unavailable': row(
    503,
    'Identity provider unavailable',
    'The keys that tokens are checked with cannot be had just now; try again after the time in Retry-After.',
  ),
  'too-many-snapshots': row(
    503,
    'Too many snapshots',
    'As many snapshots and bodies of audit events as can be read at once are being read; try again after the time in Retry-After.',
  ),
  'json-reader-busy': row(
    503,
    'Too much JSON',
    'As many long JSON bodies as may wait, of you or of all callers, are waiting to be read; try again after the time in Retry-After.',
  ),
  'yaml-reader-busy': row(
    503,
    'Too much YAML',
    'As many YAML bodies as may wait are waiting to be read; send JSON, or try again after the time in Retry-After.',
  ),
  'shutting-down': row(503, 'Shutting down', 'This replica is stopping; ask another, or try again.'),
  'webhook-timeout': row(
    504,
    'Webhook timeout',
    'No answer was ready before the API server stops waiting; the failurePolicy of the webhook decides.',
  ),
  'budget-exceeded': row(
    422,
    'Budget exceeded',
    'The question took longer than it may; narrow it (fewer nodes, a namespace, a summary) or raise its budget.',
  ),
  'answer-too-large': row(
    422,
    'Answer too large',
    'The answer would be longer than an answer may be; ask for less: a smaller limit, fewer nodes or items, or a summary of each.',
  ),
  cancelled: row(499, 'Client closed request', 'The caller stopped waiting; nobody reads this answer.'),
  internal: row(500, 'Internal error', 'A fault of the service; the log has it under the request id.'),
};

function row(status: number, title: string, description: string): ErrorTableRow {
  return { status, title, description };
}
