import { object } from '../schema.js';

export const placementTaint = object('PlacementTaint', 'A taint of a node.', {
  key: { type: 'identifier', description: 'Taint key.', example: 'gpu' },
  value: { type: 'string', taintValue: true, description: 'Taint value; empty if there is none.', example: 'true' },
  effect: { type: 'identifier', description: 'Taint effect.', example: 'NoSchedule' },
  text: { type: 'string', description: 'The taint as kubectl prints it.', example: 'gpu=true:NoSchedule' },
  implied: {
    type: 'boolean',
    description: 'Whether the taint represents the cordon of the node (`spec.unschedulable`) and is not set on it.',
    example: false,
  },
  wellKnown: {
    type: 'string',
    optional: true,
    description: 'For a well-known key: what sets the taint and when, and what removes it.',
    example: null,
  },
});
