import { createHash, randomUUID } from 'node:crypto';
import type { Caller } from '../../auth/caller.js';
import { defined } from '../../core/collections/defined.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { IdempotencyKey } from '../../storage/taint-trail/taint-change-store.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import type { GivenRecord } from './check-change-request.js';
import type { ChangeToMake } from './make-change.js';
import type { ChangeAuthor } from './taint-change-view.js';

/** What every request says that is to change something on the record. */
export interface RecordedRequest extends GivenRecord {
  readonly cluster: string;
  readonly dryRun: boolean;
}

/**
 * What of a request goes into the record as it is, under a new id; its author is the caller, whatever it says.
 * @throws {ServiceError} `forbidden` where the caller may not name somebody else as the one for whom it is made
 */
export function recordedRequest(
  { cluster, dryRun, reason, link, expiresAt, onBehalfOf }: RecordedRequest,
  idempotency: IdempotencyKey | undefined,
  { access, caller }: RequestContext,
): Omit<ChangeToMake, 'action' | 'request' | 'tasks' | 'accept' | 'kubectl'> {
  if (onBehalfOf !== undefined && !access.mayActFor(cluster)) {
    throw new ServiceError(
      'forbidden',
      `${caller.name} may not name somebody else as the one for whom a change of cluster ${cluster} is made.`,
    );
  }
  return {
    id: randomUUID(),
    cluster,
    author: authorOf(caller),
    reason: reason ?? '',
    dryRun,
    ...defined({ link, expiresAt, onBehalfOf, idempotency }),
  };
}

const authorOf = ({ name, kind, groups, issuer }: Caller): ChangeAuthor => ({
  name,
  kind,
  groups,
  issuer: issuer ?? null,
});

/** A key belongs to its caller: names are unique among callers of one kind and one issuer. A dry run makes nothing to repeat. */
export function idempotencyOf(request: RecordedRequest, { kind, issuer = '' }: Caller): IdempotencyKey | undefined {
  const { idempotencyKey, expiresAt, dryRun } = request;
  if (idempotencyKey === undefined || dryRun) return undefined;
  const said = { ...request, idempotencyKey: undefined, expiresAt: expiresAt?.toISOString() };
  const requestHash = createHash('sha256')
    .update(stringifyJson(said, { sortKeys: true }))
    .digest('hex');
  return { key: JSON.stringify([kind, issuer, idempotencyKey]), requestHash };
}
