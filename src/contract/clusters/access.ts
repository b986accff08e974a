import { PERMISSIONS } from '../../auth/permission.js';
import { enumType, object } from '../schema.js';
import { changeAuthor } from '../taint-changes/change-author.js';
import { NAME } from './cluster.js';

const PERMISSION = enumType('Permission', 'A permission for a cluster; roles have the same names.', PERMISSIONS);

export const clusterAccess = object('ClusterAccess', 'What the caller may do with a cluster.', {
  cluster: { ...NAME, example: 'example' },
  caller: { type: changeAuthor, description: 'The caller, as changes would name it.' },
  permissions: {
    type: PERMISSION,
    list: true,
    description: 'The permissions that the caller has for the cluster.',
    example: ['read', 'evaluate', 'change'],
  },
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
});
