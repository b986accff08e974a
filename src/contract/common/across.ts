import { MOST_CLUSTERS } from '../limits.js';
import { DEFAULT_PAGE_SIZE } from '../page.js';

/** What every question to several clusters takes: a page is one of clusters. */
export const ACROSS_MEMBERS = {
  clusterSelector: {
    type: 'string',
    optional: true,
    description: "Only clusters with these labels, in kubectl's syntax; all by default.",
    example: 'env=prod',
  },
  perCluster: {
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: 1000,
    defaultsTo: DEFAULT_PAGE_SIZE,
    description: 'At most so many items of each cluster; the cluster alone tells the others.',
  },
} as const;

export const ACROSS_LIMIT = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MOST_CLUSTERS,
  defaultsTo: DEFAULT_PAGE_SIZE,
  description: 'At most so many clusters in this page.',
} as const;
