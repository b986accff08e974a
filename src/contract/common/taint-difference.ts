import { enumType, object } from '../schema.js';
import { taint } from './taint.js';

export const CORDON_CHANGE = enumType('CordonChange', 'What happened to the cordon of a node.', [
  'cordoned',
  'uncordoned',
]);

export const changedTaint = object(
  'ChangedTaint',
  'A taint that stayed under its key and effect, with another value or time.',
  {
    before: { type: taint, description: 'As it was.' },
    after: { type: taint, description: 'As it is since.' },
  },
);

export const taintDifference = object(
  'TaintDifference',
  'What happened to the taints and the cordon of a node. Another effect is another taint.',
  {
    added: { type: taint, list: true, description: 'Taints that were added.' },
    removed: { type: taint, list: true, description: 'Taints that were removed.', example: [] },
    changed: { type: changedTaint, list: true, description: 'Taints that were changed.', example: [] },
    cordon: {
      type: CORDON_CHANGE,
      optional: true,
      description: '`cordoned` or `uncordoned`; null where the cordon stayed as it was.',
      example: null,
    },
  },
);

export const setLabel = object('SetLabel', 'A label that is new or has another value.', {
  key: { type: 'string', description: 'Its key.', example: 'dedicated' },
  before: { type: 'string', optional: true, description: 'Its value before; null for a new one.', example: null },
  after: { type: 'string', description: 'Its value since.', example: 'ml' },
});

export const removedLabel = object('RemovedLabel', 'A label that is gone.', {
  key: { type: 'string', description: 'Its key.', example: 'dedicated' },
  before: { type: 'string', description: 'Its value before.', example: 'ml' },
});

export const labelDifference = object('LabelDifference', 'What happened to the labels of a node.', {
  set: { type: setLabel, list: true, description: 'Labels that are new or have another value.' },
  removed: { type: removedLabel, list: true, description: 'Labels that are gone.' },
});
