import { defined } from '../../core/collections/defined.js';
import { InputType } from '@nestjs/graphql';
import { taintChangeFields, revertFields } from '../../contract/taint-changes/taint-change-request.js';
import { requestClass } from '../contract/object-classes.js';
import type { ChangeTaintsRequest } from '../../app/taint-changes/change-taints.js';
import type { GivenRecord } from '../../app/taint-changes/check-change-request.js';
import type { RevertTaintChangeRequest } from '../../app/taint-changes/revert-taint-change.js';

@InputType({ isAbstract: true })
export class TaintChangeBody extends requestClass(taintChangeFields) {}

@InputType({ isAbstract: true })
export class RevertBody extends requestClass(revertFields) {}

/** What REST has in headers and GraphQL in its input. */
export interface ChangeConditions {
  readonly ifMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly root: '' | 'input';
}

export function changeTaintsRequest(
  cluster: string,
  body: TaintChangeBody,
  conditions: ChangeConditions,
): ChangeTaintsRequest {
  const { nodes, labelSelector, allNodes, taints, labels, unschedulable, overwrite, perNode, dryRun } = body;
  return {
    cluster,
    targets: defined({ nodes, labelSelector, allNodes }),
    edit: defined({ taints, labels, unschedulable, overwrite }),
    perNode: perNode ?? false,
    dryRun: dryRun ?? false,
    ...recordIn(body),
    ...conditionsIn(conditions),
  };
}

export function revertRequest(
  cluster: string,
  id: string,
  body: RevertBody,
  conditions: ChangeConditions,
): RevertTaintChangeRequest {
  const { force, perNode, dryRun } = body;
  return {
    cluster,
    id,
    force: force ?? false,
    perNode: perNode ?? false,
    dryRun: dryRun ?? false,
    ...recordIn(body),
    ...conditionsIn(conditions),
  };
}

function recordIn(body: TaintChangeBody | RevertBody): GivenRecord {
  const { reason, link, onBehalfOf } = body;
  const expiresAt = 'expiresAt' in body ? body.expiresAt : undefined;
  return defined({ reason, link, onBehalfOf, expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt) });
}

function conditionsIn({ ifMatch, idempotencyKey, root }: ChangeConditions) {
  return { root, ...defined({ ifMatch, idempotencyKey }) };
}
