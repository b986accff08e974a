import { ObjectType } from '@nestjs/graphql';
import { DISRUPTION_KIND_NAMES } from '../../core/disruption/disruption-kinds.js';
import { Shown } from './property.js';
import { wordsType } from './property-type.js';

const KIND = wordsType('DisruptionKindName', 'A way in which Kubernetes takes a pod away.', [...DISRUPTION_KIND_NAMES]);

const CHARACTER = wordsType('DisruptionCharacter', 'Whether somebody decides that a pod goes.', [
  'voluntary',
  'involuntary',
  'either',
]);

const BUDGETS = wordsType('BudgetRespect', 'What a disruption makes of PodDisruptionBudgets.', [
  'respected',
  'preferred',
  'ignored',
]);

@ObjectType('DisruptionKind', { description: 'One of the ways in which Kubernetes takes a pod away, told apart.' })
export class DisruptionKindShape {
  @Shown({ type: KIND, description: 'Which.', example: 'taintEviction' })
  kind!: string;

  @Shown({ type: 'string', description: 'As people call it.', example: 'taint-based eviction' })
  title!: string;

  @Shown({
    type: 'string',
    description: 'The reason of the condition DisruptionTarget.',
    example: 'DeletionByTaintManager',
  })
  reason!: string;

  @Shown({ type: 'string', optional: true, description: "That condition's message; null where it varies." })
  message!: string | null;

  @Shown({ type: 'string', description: 'Who does it.' })
  initiator!: string;

  @Shown({ type: CHARACTER, description: 'Whether somebody decides so.', example: 'either' })
  character!: string;

  @Shown({ type: BUDGETS, description: 'What it makes of budgets.', example: 'ignored' })
  budgets!: string;

  @Shown({ type: 'string', description: 'How long the pod may take to go.' })
  gracePeriod!: string;

  @Shown({ type: 'string', description: "What the pod's priority has to say." })
  priority!: string;

  @Shown({ type: 'boolean', description: "Whether the pod's tolerations matter.", example: true })
  tolerations!: boolean;

  @Shown({ type: 'string', description: "What becomes of the pod's object." })
  leaves!: string;

  @Shown({ type: 'string', description: 'What is often taken for it, or said of it wrongly.' })
  confusion!: string;

  @Shown({ type: 'string', description: 'Where the rule stands.' })
  source!: string;
}

@ObjectType('PodDisruption', { description: "What a pod's condition DisruptionTarget says." })
export class PodDisruptionShape {
  @Shown({ type: KIND, optional: true, description: 'Which kind; null for a reason that is not one of Kubernetes.' })
  kind!: string | null;

  @Shown({ type: 'string', description: 'The reason.', example: 'DeletionByTaintManager' })
  reason!: string;

  @Shown({ type: 'string', description: 'The message.' })
  message!: string;

  @Shown({ type: 'string', optional: true, description: 'When the condition took its present status.' })
  since!: string | null;

  @Shown({
    type: 'boolean',
    description: 'False where it was announced and did not come: after two minutes the condition is set back.',
    example: true,
  })
  stands!: boolean;
}
