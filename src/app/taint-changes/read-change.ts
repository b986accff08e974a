import { randomUUID } from 'node:crypto';
import type { Caller } from '../../auth/caller.js';
import { PERMISSIONS } from '../../auth/permission.js';
import { defined } from '../../core/collections/defined.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import type { changeTaints, revertTaintChange } from '../../contract/taint-changes/questions.js';
import type { IdempotencyKey } from '../../storage/taint-trail/taint-change-store.js';
import { applyOptionsOf } from '../applying/apply-options.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import type { AskedChange, ChangeAuthor } from './change-details.js';
import type { ChangeRecord, EditToMake, UndoToMake } from './change-to-make.js';
import { checkChange, checkRecord, type GivenRecord } from './check-change-request.js';
import { readPrecondition } from './precondition.js';

/** What a request is read with. */
type Reading = Pick<RequestContext, 'now' | 'caller'> & Partial<Pick<RequestContext, 'access'>>;

/**
 * Parses a request to change taints, as far as possible without the cluster.
 * @throws {InvalidRequestError} with every error in the request
 */
export function readChange(
  request: RequestOf<typeof changeTaints>,
  key: IdempotencyKey | undefined,
  context: Reading,
): EditToMake {
  const { edit, targets } = checkChange(request, context.now);
  const named = 'names' in targets ? targets.names.map(({ name }) => name) : undefined;
  const { nodes, labelSelector, allNodes, perNode = false, expiresAt } = request;
  return {
    ...recordOf(request, key, context),
    action: 'change',
    targets,
    edit,
    request: { ...defined({ nodes, labelSelector, allNodes }), ...editWords(edit), perNode, force: false },
    ...defined({
      precondition: readPrecondition(request.ifMatch, named),
      expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
    }),
  };
}

/**
 * Parses a request to revert a change.
 * @throws {InvalidRequestError} with every error in the request
 */
export function readRevert(
  request: RequestOf<typeof revertTaintChange>,
  key: IdempotencyKey | undefined,
  context: Reading,
): UndoToMake {
  checkRecord(request, context.now);
  const { id, force = false, perNode = false } = request;
  return {
    ...recordOf(request, key, context),
    action: 'revert',
    undoes: id,
    request: { taints: [], labels: [], unschedulable: null, overwrite: true, perNode, force },
    ...defined({ precondition: readPrecondition(request.ifMatch, undefined) }),
  };
}

/** The recorded part of a request, with a new id. The author is the caller, whatever the request contains. */
export function recordOf(
  given: GivenRecord,
  idempotency: IdempotencyKey | undefined,
  { caller, access }: Reading,
): Omit<ChangeRecord, 'request'> {
  const { cluster, dryRun = false, reason = '', link, onBehalfOf, approveBy, apply = false, applyOptions } = given;
  return {
    id: randomUUID(),
    cluster,
    author: authorOf(caller),
    reason,
    dryRun,
    permissions: PERMISSIONS.filter((permission) => access?.may(permission, cluster) === true),
    given: defined(given),
    ...defined({ link, onBehalfOf, idempotency }),
    ...(apply && { application: { options: applyOptionsOf(applyOptions), by: authorOf(caller) } }),
    ...(approveBy !== undefined && { approveBy: new Date(approveBy) }),
  };
}

export const authorOf = ({ name, kind, groups, issuer }: Caller): ChangeAuthor => ({
  name,
  kind,
  groups,
  issuer: issuer ?? null,
});

/** An edit in kubectl's notation. */
function editWords({
  add,
  remove,
  labels,
  unschedulable,
  overwrite,
}: TaintEdit): Pick<AskedChange, 'taints' | 'labels' | 'unschedulable' | 'overwrite'> {
  return {
    taints: [
      ...add.map((taint) => formatTaint(taint)),
      ...remove.map(({ key, effect = '' }) => `${formatTaint({ key, effect })}-`),
    ],
    labels: [
      ...[...(labels?.set ?? [])].map(([key, value]) => `${key}=${value}`),
      ...(labels?.remove ?? []).map((key) => `${key}-`),
    ],
    unschedulable: unschedulable ?? null,
    overwrite,
  };
}
