import { Clock } from '../app/clock.js';
import { GetCluster } from '../app/clusters/get-cluster.js';
import { NotificationRules, Receivers } from '../app/notifications/notification-rules.js';
import { NotificationRuleStore } from '../storage/notification-rule-store.js';
import { made } from './made.js';

export const NOTIFICATIONS = [made(NotificationRules, GetCluster, NotificationRuleStore, Receivers, Clock)];
