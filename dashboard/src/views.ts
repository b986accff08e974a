import { lazy, type ComponentType } from 'react';

/** A view of one cluster: one decision each. */
export interface ClusterView {
  /** The last segment of its path. */
  readonly path: string;
  readonly title: string;
  /** Loaded when it is first opened. */
  readonly Page: ComponentType;
}

/** What links and the search lead to; the navigation does not have it, because it is about one node. */
export const NODE_VIEW: ClusterView = {
  path: 'node',
  title: 'Node',
  Page: lazy(() => import('./views/node/node-view.js')),
};

/** The views of a cluster, in the order of the navigation. The first is the cluster's own page. */
export const CLUSTER_VIEWS: readonly ClusterView[] = [
  { path: 'overview', title: 'Cluster', Page: lazy(() => import('./views/cluster/cluster-view.js')) },
  { path: 'pending', title: 'Pending', Page: lazy(() => import('./views/pending/pending-view.js')) },
  { path: 'matrix', title: 'Taint matrix', Page: lazy(() => import('./views/matrix/matrix-view.js')) },
  { path: 'explorer', title: 'Placement', Page: lazy(() => import('./views/explorer/explorer-view.js')) },
  { path: 'what-if', title: 'What if', Page: lazy(() => import('./views/what-if/what-if-view.js')) },
  { path: 'changes', title: 'Change taints', Page: lazy(() => import('./views/changes/changes-view.js')) },
  { path: 'trail', title: 'Trail', Page: lazy(() => import('./views/trail/trail-view.js')) },
  { path: 'evictions', title: 'Evictions and drains', Page: lazy(() => import('./views/evictions/evictions-view.js')) },
  { path: 'capacity', title: 'Capacity and quota', Page: lazy(() => import('./views/capacity/capacity-view.js')) },
  { path: 'upgrade', title: 'Upgrade', Page: lazy(() => import('./views/upgrade/upgrade-view.js')) },
];
