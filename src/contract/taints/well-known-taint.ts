import { object, enumType } from '../schema.js';

export const MATCH = enumType('TaintKeyMatch', 'Whether an entry is about one key, or about all with a prefix.', [
  'exact',
  'prefix',
]);

export const wellKnownTaint = object('WellKnownTaint', 'What is known of a taint key, or of every key with a prefix.', {
  key: {
    type: 'string',
    description: 'The key, or the prefix of the keys.',
    example: 'node.kubernetes.io/not-ready',
  },
  match: { type: MATCH, description: 'One key, or a prefix.', example: 'exact' },
  product: { type: 'string', description: 'The product whose key it is.', example: 'Kubernetes' },
  effects: { type: 'string', list: true, description: 'The effects it is set with.', example: ['NoSchedule'] },
  value: { type: 'string', optional: true, description: 'The value it is set with, where it has one that matters.' },
  setBy: { type: 'string', description: 'Who sets it.' },
  when: { type: 'string', description: 'On what occasion.', example: "the node's Ready condition is False" },
  removedBy: { type: 'string', description: 'Who takes it off, and when.' },
  since: { type: 'string', optional: true, description: 'The first version that sets it.' },
  until: { type: 'string', optional: true, description: 'The last version that sets it; null while one does.' },
  transient: { type: 'boolean', description: 'It comes and goes with the state of its node.', example: true },
  legacy: { type: 'boolean', description: 'Nothing sets it any more: it is a string like any other.', example: false },
  replacedBy: { type: 'string', optional: true, description: 'The key that took its place.' },
  notes: { type: 'string', optional: true, description: 'What surprises.' },
  source: { type: 'string', description: 'Where this was read.' },
});
