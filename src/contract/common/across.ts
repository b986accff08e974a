import { MAX_CLUSTERS } from '../limits.js';
import { DEFAULT_PAGE_SIZE } from '../page.js';

/** Members of every question to several clusters; its pages list clusters. */
export const ACROSS_MEMBERS = {
  clusterSelector: {
    type: 'string',
    optional: true,
    syntax: 'labelSelector',
    description: 'Label selector for clusters, in kubectl syntax. Default: all clusters.',
    example: 'env=prod',
  },
  perCluster: {
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: 1000,
    defaultsTo: DEFAULT_PAGE_SIZE,
    description: 'Maximum number of items per cluster; query the cluster itself for the rest.',
  },
} as const;

export const ACROSS_LIMIT = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MAX_CLUSTERS,
  defaultsTo: DEFAULT_PAGE_SIZE,
  description: 'Maximum number of clusters per page.',
} as const;
