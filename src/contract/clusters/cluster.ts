import { object } from '../schema.js';

export const NAME = {
  type: 'identifier',
  description: 'Cluster name, a DNS-1123 subdomain.',
  example: 'eks-prod',
} as const;

export const cluster = object(
  'Cluster',
  'A named Kubernetes cluster whose state is stored.',
  {
    name: NAME,
    labels: { type: 'labels', description: 'Labels to select clusters by.', example: { env: 'prod' } },
    createdAt: {
      type: 'time',
      description: 'When the cluster was created in this service.',
      example: '2026-05-04T03:02:01.000Z',
    },
    headRevision: {
      type: 'integer',
      optional: true,
      description: 'The newest revision; null until a snapshot is stored.',
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
      description: 'New labels, which replace all existing ones; if absent, existing labels stay unchanged.',
      example: { env: 'prod' },
    },
  },
  { restOnly: true },
);

export const deletedCluster = object('DeletedCluster', 'What was deleted with a cluster.', {
  name: NAME,
  revisions: { type: 'integer', description: 'Number of deleted revisions.', example: 7 },
  objectVersions: { type: 'integer', description: 'Number of deleted object versions.', example: 5204 },
});
