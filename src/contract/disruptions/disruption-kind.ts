import { DISRUPTION_KIND_NAMES, DISRUPTION_KINDS } from '../../core/disruption/disruption-kinds.js';
import { object, enumType } from '../schema.js';

export const KIND = enumType('DisruptionKindName', 'A way in which Kubernetes removes a pod.', [
  ...DISRUPTION_KIND_NAMES,
]);

export const CHARACTER = enumType('DisruptionCharacter', 'Whether the removal is deliberate.', [
  'voluntary',
  'involuntary',
  'either',
]);

export const BUDGETS = enumType('BudgetRespect', 'How a disruption treats PodDisruptionBudgets.', [
  'respected',
  'preferred',
  'ignored',
]);

export const disruptionKind = object('DisruptionKind', 'One of the ways in which Kubernetes removes a pod.', {
  kind: { type: KIND, description: 'Kind of disruption.', example: 'taintEviction' },
  title: { type: 'string', description: 'Common name.', example: 'taint-based eviction' },
  reason: {
    type: 'identifier',
    description: 'Reason of the condition DisruptionTarget.',
    example: 'DeletionByTaintManager',
  },
  message: { type: 'string', optional: true, description: 'Message of the condition; null if it varies.' },
  initiator: { type: 'string', description: 'What removes the pod.' },
  character: { type: CHARACTER, description: 'Whether the removal is deliberate.', example: 'either' },
  budgets: { type: BUDGETS, description: BUDGETS.description, example: 'ignored' },
  gracePeriod: { type: 'string', description: 'Grace period of the pod.' },
  priority: { type: 'string', description: "Role of the pod's priority." },
  tolerations: { type: 'boolean', description: "Whether the pod's tolerations matter.", example: true },
  leaves: { type: 'string', description: 'What happens to the pod object.' },
  misconceptions: { type: 'string', description: 'Common misconceptions.' },
  source: { type: 'string', description: 'Source of the rule.' },
});

export const disruptionKindList = object(
  'DisruptionKindList',
  '',
  {
    items: {
      type: disruptionKind,
      list: true,
      description: 'The kinds of disruption.',
      example: DISRUPTION_KINDS.slice(0, 2),
    },
  },
  { restOnly: true },
);

export const podDisruption = object('PodDisruption', 'The condition DisruptionTarget of a pod.', {
  kind: { type: KIND, optional: true, description: 'Kind of disruption; null if the reason is not one of Kubernetes.' },
  reason: { type: 'identifier', description: 'Reason of the condition.', example: 'DeletionByTaintManager' },
  message: { type: 'string', description: 'Message of the condition.' },
  since: { type: 'identifier', optional: true, description: 'Time of the last transition of the condition.' },
  stands: {
    type: 'boolean',
    description: 'False if the disruption was announced but did not happen: the condition is reset after two minutes.',
    example: true,
  },
});
