import type { cluster } from '../../contract/clusters/cluster.js';
import type { Response } from '../../contract/schema.js';
import type { Cluster } from '../../storage/cluster-store.js';

export function renderCluster({ name, labels, createdAt, headRevision }: Cluster): Response<typeof cluster> {
  return { name, labels, createdAt, headRevision: headRevision === 0 ? null : headRevision };
}
