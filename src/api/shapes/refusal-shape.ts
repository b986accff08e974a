import { ObjectType } from '@nestjs/graphql';
import type { Plain } from './plain.js';
import { Shown } from './property.js';
import { wordsType } from './property-type.js';

@ObjectType('UnplacedTaint', { description: 'A taint that a pod does not tolerate, and how many nodes carry it.' })
export class UnplacedTaintShape {
  @Shown({ type: 'string', description: 'The taint.', example: 'dedicated=ml:NoSchedule' })
  taint!: string;

  @Shown({ type: 'integer', description: 'Nodes that carry it.', example: 1 })
  nodes!: number;
}

@ObjectType('UnplacedReason', { description: 'A reason counted over all nodes.' })
export class UnplacedReasonShape {
  @Shown({ type: 'string', description: 'The filter.', example: 'NodeResourcesFit' })
  plugin!: string;

  @Shown({ type: 'string', description: 'Stable, for programs.', example: 'InsufficientResource' })
  code!: string;

  @Shown({ type: 'string', description: "Kubernetes' own words.", example: 'Insufficient cpu' })
  message!: string;

  @Shown({ type: 'integer', description: 'Nodes that have it.', example: 1 })
  nodes!: number;

  @Shown({ type: 'integer', description: 'Those where it is of the first failing filter.', example: 1 })
  first!: number;

  @Shown({ type: () => UnplacedTaintShape, list: true, description: 'Of taints: each one.' })
  taints!: readonly Plain<UnplacedTaintShape>[];
}

const PREEMPTION = wordsType(
  'PreemptionTail',
  'Whether the tail about preemption is in the message; none: Kubernetes writes none.',
  ['evaluated', 'notEvaluated', 'none'],
);

/** Why pods found no node; null and empty where they found one. */
@ObjectType({ isAbstract: true })
export abstract class RefusalTextsShape {
  @Shown({
    type: 'string',
    optional: true,
    description: "Kubernetes' own words where no node was found, or what failed; null otherwise.",
    example: '0/1 nodes are available: 1 Insufficient cpu.',
  })
  message!: string | null;

  @Shown({
    type: PREEMPTION,
    optional: true,
    description: 'Whether the message has its tail about preemption; null where a node was found.',
  })
  preemption!: string | null;

  @Shown({ type: () => UnplacedReasonShape, list: true, description: 'The reasons, most frequent first.' })
  reasons!: readonly Plain<UnplacedReasonShape>[];
}
