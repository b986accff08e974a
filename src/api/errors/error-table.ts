import type { ErrorCode } from '../../contract/error-code.js';

export interface ErrorTableRow {
  /** HTTP status of the REST response; GraphQL has it in `extensions.status`. */
  readonly status: number;
  /** The same for every error of this code (RFC 9457 `title`). */
  readonly title: string;
  /** What the error means and what to do, for the documentation. */
  readonly description: string;
}

/** Defines how each error code is presented in REST and GraphQL. */
export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorTableRow>> = {
  'malformed-json': row(
    400,
    'Malformed JSON',
    'The body is not valid JSON; the detail names the line and column of the first error.',
  ),
  'malformed-yaml': row(
    400,
    'Malformed YAML',
    'The body is not valid YAML; the detail names the line and column of the first error.',
  ),
  'body-required': row(400, 'Body required', 'This operation requires a request body.'),
  'body-too-large': row(413, 'Body too large', 'The body exceeds the size limit of this operation.'),
  'body-incomplete': row(
    400,
    'Body incomplete',
    'The connection ended before the whole body arrived; the detail says whether anything was stored.',
  ),
  'unsupported-media-type': row(415, 'Unsupported media type', 'Send one of the content types named in the detail.'),
  'unsupported-text-encoding': row(
    400,
    'Unsupported text encoding',
    'The body is not valid UTF-8; the detail says whether anything was stored.',
  ),
  'malformed-gzip': row(
    400,
    'Malformed gzip',
    'The body is not a gzip stream, or it is damaged; the detail says whether anything was stored.',
  ),
  'not-an-object': row(
    400,
    'Not an object',
    'The body, or an element of a list, is not a Kubernetes object. Nothing was stored.',
  ),
  'api-server-error': row(
    422,
    'API server error',
    'The body contains a Status: the API server rejected the request behind the dump, so the dump is incomplete. Nothing was stored.',
  ),
  'incomplete-list': row(
    422,
    'Incomplete list',
    'A list in the body is only one page, according to its `metadata.continue` or `metadata.remainingItemCount`. Send the ' +
      'whole list. Nothing was stored.',
  ),
  'nothing-to-store': row(
    422,
    'Nothing to store',
    'The body contains no object of a stored kind, nor an empty list of one. If the cluster has no objects of a kind, name ' +
      'the kind in `kinds`. Nothing was stored.',
  ),
  'snapshot-limit-exceeded': row(
    400,
    'Snapshot limit exceeded',
    'The body is nested too deeply, an object in it is too large, it has too many objects, or it decompresses to an ' +
      'excessive size; `errors` names the limit. Nothing was stored.',
  ),
  'audit-events-limit-exceeded': row(
    400,
    'Audit events limit exceeded',
    'The body is nested too deeply, an event in it is too large, it has too many events, or it decompresses to an ' +
      'excessive size; `errors` names the limit, and the detail says what was stored before.',
  ),
  'malformed-url': row(400, 'Malformed URL', 'The path contains an invalid percent-encoding or is too long.'),
  'malformed-http': row(
    400,
    'Malformed HTTP',
    'The data received is not an HTTP request, or its headers are too large.',
  ),
  'request-timeout': row(
    408,
    'Request timeout',
    'The body stopped arriving or arrived too slowly; the detail says whether anything was stored.',
  ),
  'expectation-failed': row(
    417,
    'Expectation failed',
    'The service supports only the expectation 100-continue; omit the Expect header.',
  ),
  'host-not-allowed': row(
    421,
    'Host not allowed',
    'Without authentication, the service accepts only requests for localhost, for the address that it listens on, and for ' +
      'the names in ALLOWED_HOSTS. This protects it against web pages that use DNS rebinding.',
  ),
  'cross-site-request': row(
    403,
    'Cross-site request',
    'The request was sent by a web page of another origin. To allow such pages, add their origin to ALLOWED_ORIGINS.',
  ),
  unauthenticated: row(401, 'Unauthenticated', 'Send a valid token as `Authorization: Bearer`.'),
  forbidden: row(
    403,
    'Forbidden',
    'You do not have permission for this operation; the detail names the missing permission.',
  ),
  'rate-limited': row(429, 'Too many requests', 'You exceeded the rate limit; retry after the time in Retry-After.'),
  'too-many-uploads': row(
    429,
    'Too many uploads',
    'You reached the limit of concurrent uploads of snapshots and audit events; retry after the time in Retry-After.',
  ),
  'too-many-questions': row(
    429,
    'Too many concurrent requests',
    'You reached the limit of waiting requests; retry after the time in Retry-After.',
  ),
  'too-many-streams': row(
    429,
    'Too many streams',
    'You, or this replica, reached the limit of open event streams; the detail says which.',
  ),
  'slow-reader': row(
    408,
    'Slow client',
    'Events arrived faster than the client read them, so the stream was closed. Reconnect and resume from the last id that ' +
      'you received; no events are lost.',
  ),
  'invalid-request': row(
    400,
    'Invalid request',
    'The request is invalid; `errors` lists every invalid field and parameter.',
  ),
  'invalid-object': row(
    422,
    'Invalid Kubernetes object',
    "The API server would reject the object; `errors` has the API server's message for each invalid field.",
  ),
  'admission-refused': row(
    422,
    'Rejected by admission',
    'An admission plugin of the API server would reject the pod; `detail` is the message from Kubernetes.',
  ),
  'invalid-scenario': row(
    422,
    'Invalid scenario',
    'The scenario is too large, or its changes cannot be applied; `errors` lists every error of every change. Errors that ' +
      'kubectl or the API server would report have their original text.',
  ),
  'invalid-continue-token': row(
    400,
    'Invalid continue token',
    'The token or cursor belongs to another list or to other parameters. Start again from the first page.',
  ),
  'not-acceptable': row(
    406,
    'Not acceptable',
    'The response is not available in any media type that `Accept` allows; the detail lists the available ones.',
  ),
  'route-not-found': row(404, 'Route not found', 'Nothing is served at this path; see /docs.'),
  'method-not-allowed': row(
    405,
    'Method not allowed',
    'The path exists, but not for this method; the Allow header lists its methods.',
  ),
  'graphql-syntax': row(400, 'GraphQL syntax error', 'The query is not valid GraphQL.'),
  'graphql-validation': row(400, 'Invalid GraphQL query', 'The query does not match the schema.'),
  'graphql-limit-exceeded': row(
    400,
    'GraphQL limit exceeded',
    'The query is too long, too deep, too wide or too expensive; the message names the limit.',
  ),
  'persisted-query-not-found': row(
    400,
    'Persisted query not found',
    'No query with this hash is cached: send the request again with the query text. GraphQL clients do so automatically.',
  ),
  'persisted-query-not-supported': row(
    400,
    'Persisted query not supported',
    'The service supports only version 1 with a `sha256Hash`: send the query text instead.',
  ),
  'cluster-not-found': row(404, 'Cluster not found', 'There is no cluster with this name, or you may not see it.'),
  'revision-not-found': row(404, 'Revision not found', 'The revision does not exist yet, or retention removed it.'),
  'object-not-found': row(404, 'Object not found', 'The revision has no object with this kind, namespace and name.'),
  'no-snapshot': row(404, 'No snapshot', 'The cluster has no snapshot yet, or none as old as `at`.'),
  'snapshot-too-old': row(
    409,
    'Snapshot too old',
    'The stored state is older than `maxAge` allows; take a new snapshot, or see why its connection brings no changes.',
  ),
  'snapshot-older-than-head': row(
    409,
    'Snapshot older than the head',
    'The snapshot was captured before the newest stored state; set `backfill` to store it in the history.',
  ),
  'too-many-removals': row(
    409,
    'Too many removals',
    'The snapshot lacks more of the stored nodes or pods than may be removed without confirmation; `errors` has the counts ' +
      'and some names. If those objects are gone from the cluster, set `allowRemovals`. Nothing was stored.',
  ),
  'snapshot-aborted': row(
    409,
    'Snapshot aborted',
    'The upload was canceled before it was complete. Nothing was stored.',
  ),
  'delta-out-of-order': row(
    409,
    'Delta out of order',
    'The delta is not the next of its stream, or another stream has replaced it. Read the positions of the deltas, and go on from ' +
      'there or begin a new stream.',
  ),
  'snapshot-needed': row(
    409,
    'Snapshot needed',
    'No snapshot has contained the kinds that `errors` names, so a delta does not say what the other objects of these kinds are. ' +
      'Send a snapshot of them first.',
  ),
  'snapshot-base-gone': row(
    409,
    'Snapshot base removed',
    'The state that the snapshot was compared with no longer exists, for example because the cluster was deleted. Send the snapshot again.',
  ),
  'change-not-found': row(404, 'Taint change not found', 'This service made no change with this id to the cluster.'),
  'trail-not-found': row(
    404,
    'Audit trail not found',
    'No existing or deleted cluster of this name has this id; see /taint-trails.',
  ),
  'record-not-found': row(404, 'Record not found', 'The audit trail of the cluster has no record with this number.'),
  'decision-not-found': row(
    404,
    'Decision not found',
    'No decision has this id, retention removed it, or you may not see its cluster.',
  ),
  'decision-not-replayable': row(
    409,
    'Decision not replayable',
    'The question was too large to be kept, or this version of the service does not know its type.',
  ),
  'case-not-found': row(
    404,
    'Case not found',
    'The cluster has no case with this number, or it was dropped for newer ones.',
  ),
  'case-not-available': row(
    409,
    'Case not available',
    'No case was stored with the disagreement, or it does not disagree any longer once it is masked.',
  ),
  'connection-not-found': row(404, 'Connection not found', 'The cluster is not connected to its API server.'),
  'connections-not-configured': row(
    409,
    'Connections not configured',
    'The service cannot keep or read credentials: see CONNECTION_KEY_FILE in the settings.',
  ),
  'dry-runs-not-allowed': row(
    409,
    'Dry runs not allowed',
    'The connection of the cluster does not allow dry runs; put it again with `dryRuns`.',
  ),
  'apply-not-allowed': row(
    403,
    'Apply not allowed',
    'The service cannot write changes to this cluster for you; `errors` names everything that is missing: your permission `apply`, a connection with `writes`, rules of RBAC.',
  ),
  'resume-gone': row(
    410,
    'Cannot resume',
    'The events after this id are no longer stored: retention removed them, or the cluster was deleted and created again. ' +
      'Read the state of the cluster, and follow it from that revision.',
  ),
  'precondition-failed': row(
    412,
    'Precondition failed',
    'The cluster or node no longer matches `If-Match`; `errors` lists what changed since.',
  ),
  'idempotency-key-reused': row(
    422,
    'Idempotency key reused',
    'The key was used for another request of the same caller. Use a new key for each request.',
  ),
  'idempotency-key-in-use': row(
    409,
    'Idempotency key in use',
    'The first request with this key is still in progress; retry after the time in Retry-After.',
  ),
  'taint-change-refused': row(
    409,
    'Taint change refused',
    "kubectl or the API server would reject the change; `errors` has kubectl's message for each node. Nothing was changed.",
  ),
  'guardrail-refused': row(
    409,
    'Guardrail refused',
    'Guardrails of the cluster refuse the change; `errors` has each of them. Nothing was changed.',
  ),
  'change-not-waiting': row(
    409,
    'Change not waiting',
    'The change does not wait for approval: it was made, rejected, or not approved in time, or it needed no approval.',
  ),
  'approval-not-allowed': row(
    403,
    'Approval not allowed',
    'Somebody else must approve the change: not its author, nor the person on whose behalf it is made, and nobody twice.',
  ),
  'revert-conflict': row(
    409,
    'Revert conflict',
    'The same taints were changed since; `errors` says what changed, and by whom. To override those changes, set `force`. ' +
      'Nothing was changed.',
  ),
  'already-reverted': row(409, 'Already reverted', 'The change was reverted before.'),
  'too-many-changes': row(
    503,
    'Too many changes',
    'Too many concurrent changes are waiting for the cluster; retry after the time in Retry-After.',
  ),
  'database-unavailable': row(
    503,
    'Database unavailable',
    'The database cannot be reached; retry after the time in Retry-After.',
  ),
  'identity-provider-unavailable': row(
    503,
    'Identity provider unavailable',
    'The keys for verifying tokens cannot be fetched; retry after the time in Retry-After.',
  ),
  'too-many-snapshots': row(
    503,
    'Too many snapshots',
    'This replica reached its limit of concurrent uploads of snapshots and audit events; retry after the time in Retry-After.',
  ),
  'json-reader-busy': row(
    503,
    'Too much JSON',
    'Too many large JSON bodies, yours or of all callers, are waiting to be parsed; retry after the time in Retry-After.',
  ),
  'yaml-reader-busy': row(
    503,
    'Too much YAML',
    'Too many YAML bodies are waiting to be parsed; send JSON, or retry after the time in Retry-After.',
  ),
  'shutting-down': row(503, 'Shutting down', 'This replica is shutting down; retry, or use another replica.'),
  'webhook-timeout': row(
    504,
    'Webhook timeout',
    'The response was not ready within the timeout of the API server; the failurePolicy of the webhook decides.',
  ),
  'budget-exceeded': row(
    422,
    'Budget exceeded',
    'The request exceeded its time or size budget; narrow it (fewer nodes, one namespace, a summary).',
  ),
  'answer-too-large': row(
    422,
    'Response too large',
    'The response would exceed the size limit; request less: a smaller limit, fewer nodes or items, or a summary.',
  ),
  cancelled: row(499, 'Client closed request', 'The client closed the connection before the response was sent.'),
  internal: row(500, 'Internal error', 'An unexpected error in the service; the log has it under the request id.'),
};

function row(status: number, title: string, description: string): ErrorTableRow {
  return { status, title, description };
}
