import { AcrossClusters } from '../app/across-clusters.js';
import { CheckApplicable } from '../app/applying/check-applicable.js';
import { DeleteCluster } from '../app/clusters/delete-cluster.js';
import { GetCluster } from '../app/clusters/get-cluster.js';
import { ListClusters } from '../app/clusters/list-clusters.js';
import { PutCluster } from '../app/clusters/put-cluster.js';
import { ReadAccess } from '../app/clusters/read-access.js';
import { HeadCache } from '../app/reads/head-cache.js';
import { ClusterStore } from '../storage/cluster-store.js';
import { NotificationRuleStore } from '../storage/notification-rule-store.js';
import { made } from './made.js';

export const CLUSTERS = [
  made(PutCluster, ClusterStore, HeadCache, NotificationRuleStore),
  made(GetCluster, ClusterStore),
  made(ReadAccess, GetCluster, CheckApplicable),
  made(ListClusters, ClusterStore),
  made(DeleteCluster, ClusterStore, HeadCache),
  made(AcrossClusters, ClusterStore),
];
