import { object } from '../schema.js';
import { NAME } from './cluster.js';

const missingForApply = object('MissingForApply', 'Something without which changes cannot be written to the cluster.', {
  code: { type: 'identifier', description: 'Stable code.', example: 'writes-not-allowed' },
  message: {
    type: 'string',
    description: 'What is missing.',
    example: 'the connection of cluster example is read only: put it again with writes',
  },
});

export const clusterAccess = object(
  'ClusterAccess',
  'What decides on changes that the caller makes, besides permissions.',
  {
    cluster: { ...NAME, example: 'example' },
    onBehalfOf: {
      type: 'boolean',
      description: 'Whether a change may name the person for whom it is made.',
      example: false,
    },
    taintValues: {
      type: 'boolean',
      description: 'Whether the caller sees the values of taints and tolerations; otherwise they are `***`.',
      example: true,
    },
    missingForApply: {
      type: missingForApply,
      list: true,
      optional: true,
      description:
        'What is missing for the caller to have changes of nodes written to the cluster: the permission, a connection with `writes`, permissions of its user; null unless `apply` is asked.',
      example: null,
    },
    missingForDeviceTaintRules: {
      type: missingForApply,
      list: true,
      optional: true,
      description: 'The same for changes of DeviceTaintRules.',
      example: null,
    },
  },
);
