import { DISRUPTION_KIND_NAMES, DISRUPTION_KINDS } from '../../core/disruption/disruption-kinds.js';
import { object, enumType } from '../schema.js';

export const KIND = enumType('DisruptionKindName', 'A way in which Kubernetes takes a pod away.', [
  ...DISRUPTION_KIND_NAMES,
]);

export const CHARACTER = enumType('DisruptionCharacter', 'Whether somebody decides that a pod goes.', [
  'voluntary',
  'involuntary',
  'either',
]);

export const BUDGETS = enumType('BudgetRespect', 'What a disruption makes of PodDisruptionBudgets.', [
  'respected',
  'preferred',
  'ignored',
]);

export const disruptionKind = object(
  'DisruptionKind',
  'One of the ways in which Kubernetes takes a pod away, told apart.',
  {
    kind: { type: KIND, description: 'Which.', example: 'taintEviction' },
    title: { type: 'string', description: 'As people call it.', example: 'taint-based eviction' },
    reason: {
      type: 'string',
      description: 'The reason of the condition DisruptionTarget.',
      example: 'DeletionByTaintManager',
    },
    message: { type: 'string', optional: true, description: "That condition's message; null where it varies." },
    initiator: { type: 'string', description: 'Who does it.' },
    character: { type: CHARACTER, description: 'Whether somebody decides so.', example: 'either' },
    budgets: { type: BUDGETS, description: 'What it makes of budgets.', example: 'ignored' },
    gracePeriod: { type: 'string', description: 'How long the pod may take to go.' },
    priority: { type: 'string', description: "What the pod's priority has to say." },
    tolerations: { type: 'boolean', description: "Whether the pod's tolerations matter.", example: true },
    leaves: { type: 'string', description: "What becomes of the pod's object." },
    confusion: { type: 'string', description: 'What is often taken for it, or said of it wrongly.' },
    source: { type: 'string', description: 'Where the rule stands.' },
  },
);

export const disruptionKindList = object(
  'DisruptionKindList',
  '',
  {
    items: {
      type: disruptionKind,
      list: true,
      description: 'The kinds.',
      example: DISRUPTION_KINDS.slice(0, 2),
    },
  },
  { restOnly: true },
);

export const podDisruption = object('PodDisruption', "What a pod's condition DisruptionTarget says.", {
  kind: { type: KIND, optional: true, description: 'Which kind; null for a reason that is not one of Kubernetes.' },
  reason: { type: 'string', description: 'The reason.', example: 'DeletionByTaintManager' },
  message: { type: 'string', description: 'The message.' },
  since: { type: 'string', optional: true, description: 'When the condition took its present status.' },
  stands: {
    type: 'boolean',
    description: 'False where it was announced and did not come: after two minutes the condition is set back.',
    example: true,
  },
});
