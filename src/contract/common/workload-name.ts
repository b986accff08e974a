import { object } from '../schema.js';

export const workloadName = object(
  'WorkloadName',
  'The outermost known controller of a pod, or the pod itself if it has none.',
  {
    kind: { type: 'string', description: 'Workload kind.', example: 'Deployment' },
    namespace: { type: 'string', description: 'Workload namespace.', example: 'default' },
    name: { type: 'string', description: 'Workload name.', example: 'web' },
  },
);
