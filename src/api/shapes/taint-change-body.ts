import { InputType } from '@nestjs/graphql';
import type { ChangeTaintsRequest } from '../../app/taint-changes/change-taints.js';
import type { GivenRecord } from '../../app/taint-changes/check-change-request.js';
import type { RevertTaintChangeRequest } from '../../app/taint-changes/revert-taint-change.js';
import { defined } from '../../core/collections/defined.js';
import { Given } from './property.js';
import { EditNodesBody } from './scenario-body.js';

const DRY_RUN = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Only say what would happen: the same code runs, and nothing is stored.',
} as const;

const PER_NODE = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Leave out nodes that refuse it and say why, instead of all nodes or none.',
} as const;

const REASON = {
  type: 'string',
  optional: true,
  description: 'Why, for the record. Required unless it is a dry run.',
  example: 'The ML team moves in, see OPS-17',
} as const;

const LINK = {
  type: 'string',
  optional: true,
  description: 'Where more is to be read: an http or https address, such as that of a ticket.',
  example: 'https://tickets.example.com/OPS-17',
} as const;

const ON_BEHALF_OF = {
  type: 'string',
  optional: true,
  description:
    'For whom it is made, where that is another than the caller; needs the right to name somebody. The author is the ' +
    'caller in any case.',
} as const;

@InputType('TaintChangeFields', { isAbstract: true })
export class TaintChangeBody extends EditNodesBody {
  @Given(PER_NODE)
  perNode?: boolean;

  @Given(DRY_RUN)
  dryRun?: boolean;

  @Given(REASON)
  reason?: string;

  @Given(LINK)
  link?: string;

  @Given({
    type: 'time',
    optional: true,
    description: 'When to take it back, by itself and on the record.',
  })
  expiresAt?: string | Date;

  @Given(ON_BEHALF_OF)
  onBehalfOf?: string;
}

@InputType('RevertFields', { isAbstract: true })
export class RevertBody {
  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Take it back even where somebody changed the same since.',
  })
  force?: boolean;

  @Given(PER_NODE)
  perNode?: boolean;

  @Given(DRY_RUN)
  dryRun?: boolean;

  @Given(REASON)
  reason?: string;

  @Given(LINK)
  link?: string;

  @Given(ON_BEHALF_OF)
  onBehalfOf?: string;
}

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
