import { object, enumType } from '../schema.js';

export const MATCH = enumType('TaintKeyMatch', 'Whether an entry is for one key, or for all keys with a prefix.', [
  'exact',
  'prefix',
]);

export const wellKnownTaint = object(
  'WellKnownTaint',
  'A catalogue entry for a taint key, or for all keys with a prefix.',
  {
    key: {
      type: 'identifier',
      description: 'The key or the prefix.',
      example: 'node.kubernetes.io/not-ready',
    },
    match: { type: MATCH, description: 'Whether `key` is a key or a prefix.', example: 'exact' },
    product: { type: 'string', description: 'The product that defines the key.', example: 'Kubernetes' },
    effects: {
      type: 'identifier',
      list: true,
      description: 'The effects that the taint is set with.',
      example: ['NoSchedule'],
    },
    value: {
      type: 'identifier',
      optional: true,
      description: 'The value that the taint is set with, if it is significant.',
    },
    setBy: { type: 'string', description: 'What sets the taint.' },
    when: { type: 'string', description: 'When the taint is set.', example: "the node's Ready condition is False" },
    removedBy: { type: 'string', description: 'What removes the taint, and when.' },
    keptBy: {
      type: 'string',
      optional: true,
      description:
        'The controller that takes the taint away, or puts it back, if somebody else edits it; null if none does.',
    },
    since: { type: 'identifier', optional: true, description: 'First version that sets the taint.' },
    until: {
      type: 'identifier',
      optional: true,
      description: 'Last version that sets the taint; null if current versions do.',
    },
    transient: {
      type: 'boolean',
      description: 'Whether the taint follows the state of the node.',
      example: true,
    },
    legacy: {
      type: 'boolean',
      description: 'Whether the key is obsolete: no longer set, and without special meaning.',
      example: false,
    },
    replacedBy: { type: 'identifier', optional: true, description: 'The key that replaced it.' },
    notes: { type: 'string', optional: true, description: 'Caveats.' },
    source: { type: 'string', description: 'Source of this entry.' },
  },
);
