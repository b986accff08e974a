import { Clock } from '../app/clock.js';
import { GetCluster } from '../app/clusters/get-cluster.js';
import { ClusterConditions } from '../app/notifications/cluster-conditions.js';
import { NotificationDeliveries } from '../app/notifications/notification-deliveries.js';
import { NotificationRules, Receivers } from '../app/notifications/notification-rules.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { FindFights } from '../app/taint-trail/find-fights.js';
import { FollowLeases } from '../storage/follow-leases.js';
import { FollowStore } from '../storage/follow-store.js';
import { NotificationOutbox } from '../storage/notification-outbox.js';
import { NotificationRuleStore } from '../storage/notification-rule-store.js';
import { made } from './made.js';

export const NOTIFICATIONS = [
  made(NotificationRules, GetCluster, NotificationRuleStore, Receivers, Clock),
  made(NotificationDeliveries, GetCluster, NotificationOutbox),
  made(ClusterConditions, DerivedStateCache, FindFights, FollowStore, FollowLeases),
];
