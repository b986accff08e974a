import { Connections } from '../app/connections/connections.js';
import { ConnectionKeys } from '../app/connections/connection-keys.js';
import { DryRuns } from '../app/connections/dry-runs.js';
import { GetCluster } from '../app/clusters/get-cluster.js';
import { ApiClient } from '../kube-api/api-client.js';
import { ConnectionStore } from '../storage/connection-store.js';
import { FollowLeases } from '../storage/follow-leases.js';
import { made } from './made.js';

export const CONNECTIONS = [
  made(Connections, GetCluster, ConnectionStore, ConnectionKeys, ApiClient, FollowLeases),
  made(DryRuns, Connections, ApiClient),
];
