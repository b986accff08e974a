import { object } from '../schema.js';

export const workloadName = object(
  'WorkloadName',
  'The outermost controller that is known, or the pod itself where it has none.',
  {
    kind: { type: 'string', description: 'Its kind.', example: 'Deployment' },
    namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
    name: { type: 'string', description: 'Its name.', example: 'web' },
  },
);
