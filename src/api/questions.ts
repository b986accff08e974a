import { DeletePool } from '../app/pools/delete-pool.js';
import { GetPool } from '../app/pools/get-pool.js';
import { ListPools } from '../app/pools/list-pools.js';
import { PlanPool } from '../app/pools/plan-pool.js';
import { declarationErrors, PutPool } from '../app/pools/put-pool.js';
import * as pools from '../contract/pools/questions.js';
import { answeredBy, type AnyAnswered } from './contract/answered-by.js';
import { CLUSTERS } from './questions/clusters.js';
import { FINDINGS } from './questions/findings.js';
import { NODES } from './questions/nodes.js';
import { PLACEMENTS } from './questions/placements.js';
import { PODS } from './questions/pods.js';
import { TAINTS } from './questions/taints.js';
import { OVERVIEWS } from './questions/overviews.js';
import { POD_RANKINGS } from './questions/pod-rankings.js';
import { SCENARIO_IMPACTS } from './questions/scenario-impacts.js';
import { SCHEDULER_CONFIGURATION } from './questions/scheduler-configuration.js';
import { SCHEDULING } from './questions/scheduling.js';
import { DISRUPTION_QUESTIONS } from './questions/disruptions.js';
import { EVICTION_SCHEDULE_QUESTIONS } from './questions/eviction-schedules.js';
import { QUOTA_QUESTIONS } from './questions/quotas.js';
import { RESOURCE_QUESTIONS } from './questions/resources.js';
import { TAINT_CHANGES } from './questions/taint-changes.js';
import { TAINT_TRAIL } from './questions/taint-trail.js';
import { ADMISSION_QUESTIONS } from './questions/admission.js';
import { SNAPSHOTS } from './questions/snapshots.js';

/** Every question of the contract with the use case that answers it: a line each. */
export const QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(pools.listPools, ListPools),
  answeredBy(pools.getPool, GetPool),
  answeredBy(pools.putPool, PutPool, {
    crossFieldErrors: declarationErrors,
    status: ({ outcome, dryRun }) => (outcome === 'created' && !dryRun ? 201 : 200),
  }),
  answeredBy(pools.deletePool, DeletePool),
  answeredBy(pools.planPool, PlanPool),
  ...CLUSTERS,
  ...OVERVIEWS,
  ...NODES,
  ...PODS,
  ...TAINTS,
  ...SCENARIO_IMPACTS,
  ...SCHEDULING,
  ...POD_RANKINGS,
  ...SCHEDULER_CONFIGURATION,
  ...QUOTA_QUESTIONS,
  ...DISRUPTION_QUESTIONS,
  ...EVICTION_SCHEDULE_QUESTIONS,
  ...RESOURCE_QUESTIONS,
  ...TAINT_CHANGES,
  ...TAINT_TRAIL,
  ...FINDINGS,
  ...PLACEMENTS,
  ...SNAPSHOTS,
  ...ADMISSION_QUESTIONS,
];
