import type { AnyAnswered } from '../contract/answered-by.js';
import { DECISION_QUESTIONS } from './decisions.js';
import { DELTA_QUESTIONS } from './deltas.js';
import { DEVICE_QUESTIONS } from './devices.js';
import { DEVICE_TAINT_CHANGE_QUESTIONS } from './device-taint-changes.js';
import { GATE_QUESTIONS } from './gates.js';
import { POOL_QUESTIONS } from './pools.js';
import { CLUSTER_QUESTIONS } from './clusters.js';
import { CONNECTION_QUESTIONS } from './connections.js';
import { AGREEMENT_QUESTIONS } from './agreement.js';
import { EXPECTATION_QUESTIONS } from './expectations.js';
import { FINDING_QUESTIONS } from './findings.js';
import { GUARDRAIL_QUESTIONS } from './guardrails.js';
import { LIVE_QUESTIONS } from './live.js';
import { NOTIFICATION_QUESTIONS } from './notifications.js';
import { NODE_QUESTIONS } from './nodes.js';
import { PLACEMENT_QUESTIONS } from './placements.js';
import { POD_QUESTIONS } from './pods.js';
import { TAINT_QUESTIONS } from './taints.js';
import { OVERVIEW_QUESTIONS } from './overviews.js';
import { POD_RANKING_QUESTIONS } from './pod-rankings.js';
import { SCENARIO_IMPACT_QUESTIONS } from './scenario-impacts.js';
import { SCHEDULER_CONFIGURATION_QUESTIONS } from './scheduler-configuration.js';
import { VERSION_QUESTIONS } from './versions.js';
import { SCHEDULING_QUESTIONS } from './scheduling.js';
import { DISRUPTION_QUESTIONS } from './disruptions.js';
import { EVICTION_SCHEDULE_QUESTIONS } from './eviction-schedules.js';
import { QUOTA_QUESTIONS } from './quotas.js';
import { RESOURCE_QUESTIONS } from './resources.js';
import { TAINT_CHANGE_QUESTIONS } from './taint-changes.js';
import { TAINT_TRAIL_QUESTIONS } from './taint-trail.js';
import { ADMISSION_QUESTIONS } from './admission.js';
import { SEARCH_QUESTIONS } from './search.js';
import { SESSION_QUESTIONS } from './sessions.js';
import { SNAPSHOT_QUESTIONS } from './snapshots.js';

/** All questions of the contract with the use cases that answer them, one line for each topic. */
export const QUESTIONS: readonly AnyAnswered[] = [
  ...POOL_QUESTIONS,
  ...CLUSTER_QUESTIONS,
  ...CONNECTION_QUESTIONS,
  ...NOTIFICATION_QUESTIONS,
  ...LIVE_QUESTIONS,
  ...SESSION_QUESTIONS,
  ...SEARCH_QUESTIONS,
  ...OVERVIEW_QUESTIONS,
  ...NODE_QUESTIONS,
  ...DEVICE_QUESTIONS,
  ...POD_QUESTIONS,
  ...TAINT_QUESTIONS,
  ...SCENARIO_IMPACT_QUESTIONS,
  ...SCHEDULING_QUESTIONS,
  ...POD_RANKING_QUESTIONS,
  ...SCHEDULER_CONFIGURATION_QUESTIONS,
  ...VERSION_QUESTIONS,
  ...QUOTA_QUESTIONS,
  ...DISRUPTION_QUESTIONS,
  ...EVICTION_SCHEDULE_QUESTIONS,
  ...RESOURCE_QUESTIONS,
  ...TAINT_CHANGE_QUESTIONS,
  ...DEVICE_TAINT_CHANGE_QUESTIONS,
  ...TAINT_TRAIL_QUESTIONS,
  ...GUARDRAIL_QUESTIONS,
  ...EXPECTATION_QUESTIONS,
  ...AGREEMENT_QUESTIONS,
  ...FINDING_QUESTIONS,
  ...PLACEMENT_QUESTIONS,
  ...DECISION_QUESTIONS,
  ...GATE_QUESTIONS,
  ...SNAPSHOT_QUESTIONS,
  ...DELTA_QUESTIONS,
  ...ADMISSION_QUESTIONS,
];
