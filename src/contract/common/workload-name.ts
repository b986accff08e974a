import { object } from '../schema.js';

export const workloadName = object(
  'WorkloadName',
  'The outermost known controller of a pod, or the pod itself if it has none.',
  {
    kind: { type: 'identifier', description: 'Workload kind.', example: 'Deployment' },
    namespace: { type: 'identifier', description: 'Workload namespace.', example: 'default' },
    name: { type: 'identifier', description: 'Workload name.', example: 'web' },
  },
);
