import { enumType, object } from '../schema.js';
import { taint } from './taint.js';

export const CORDON_CHANGE = enumType('CordonChange', 'What happened to the cordon of a node.', [
  'cordoned',
  'uncordoned',
]);

export const changedTaint = object(
  'ChangedTaint',
  'A taint whose value or time changed; its key and effect are the same.',
  {
    before: { type: taint, description: 'The taint before the change.' },
    after: { type: taint, description: 'The taint after the change.' },
  },
);

export const taintDifference = object(
  'TaintDifference',
  'Changes of the taints and the cordon of a node. A taint with another effect is another taint.',
  {
    added: { type: taint, list: true, description: 'Added taints.' },
    removed: { type: taint, list: true, description: 'Removed taints.', example: [] },
    changed: { type: changedTaint, list: true, description: 'Changed taints.', example: [] },
    cordon: {
      type: CORDON_CHANGE,
      optional: true,
      description: '`cordoned` or `uncordoned`; null if unchanged.',
      example: null,
    },
  },
);

export const setLabel = object('SetLabel', 'A label that was added or has a new value.', {
  key: { type: 'identifier', description: 'The label key.', example: 'dedicated' },
  before: {
    type: 'identifier',
    optional: true,
    description: 'Value before the change; null for a new label.',
    example: null,
  },
  after: { type: 'identifier', description: 'Value after the change.', example: 'ml' },
});

export const removedLabel = object('RemovedLabel', 'A label that was removed.', {
  key: { type: 'identifier', description: 'The label key.', example: 'dedicated' },
  before: { type: 'identifier', description: 'Value before the change.', example: 'ml' },
});

export const labelDifference = object('LabelDifference', 'Changes of the labels of a node.', {
  set: { type: setLabel, list: true, description: 'Labels that were added or have a new value.' },
  removed: { type: removedLabel, list: true, description: 'Labels that were removed.' },
});
