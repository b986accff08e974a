import { object } from '../schema.js';

export const workloadName = object(
  'WorkloadName',
  'The outermost known controller of a pod, or the pod itself if it has none.',
  {
    kind: { type: 'word', description: 'Workload kind.', example: 'Deployment' },
    namespace: { type: 'word', description: 'Workload namespace.', example: 'default' },
    name: { type: 'word', description: 'Workload name.', example: 'web' },
  },
);
