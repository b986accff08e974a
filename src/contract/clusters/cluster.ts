import { object } from '../schema.js';

export const NAME = { type: 'string', description: 'The name: a DNS-1123 subdomain.', example: 'eks-prod' } as const;

export const cluster = object(
  'Cluster',
  'A named Kubernetes cluster whose state is stored.',
  {
    name: NAME,
    labels: { type: 'labels', description: 'What clusters are selected by.', example: { env: 'prod' } },
    createdAt: {
      type: 'time',
      description: 'When the cluster was first named here.',
      example: '2026-05-04T03:02:01.000Z',
    },
    headRevision: {
      type: 'integer',
      optional: true,
      description: 'The newest revision; null while no snapshot was stored.',
      example: 7,
    },
  },
  { hasGlobalId: true },
);

export const putClusterInput = object(
  'PutCluster',
  '',
  {
    labels: {
      type: 'labels',
      optional: true,
      description: 'All labels from now on; absent leaves those of an existing cluster as they are.',
      example: { env: 'prod' },
    },
  },
  { restOnly: true },
);

export const deletedCluster = object('DeletedCluster', 'What went with a deleted cluster.', {
  name: NAME,
  revisions: { type: 'integer', description: 'How many revisions were removed.', example: 7 },
  objectVersions: { type: 'integer', description: 'How many versions of objects were removed.', example: 5204 },
});
