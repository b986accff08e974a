import { restControllers } from './contract/rest-controllers.js';
import { QUESTIONS } from './questions.js';
import { DocsController } from './docs/docs.controller.js';
import { IndexController } from './docs/index.controller.js';
import { GraphiqlController } from './docs/graphiql.controller.js';
import { AdmissionController } from './rest/admission.controller.js';
import { AuditEventsController } from './rest/audit-events.controller.js';
import { ClustersController } from './rest/clusters.controller.js';
import { EventsController } from './rest/events.controller.js';
import { EvictionSchedulesController } from './rest/eviction-schedules.controller.js';
import { DisruptionsController } from './rest/disruptions.controller.js';
import { FindingsController } from './rest/findings.controller.js';
import { HealthController } from './rest/health.controller.js';
import { MetricsController } from './rest/metrics.controller.js';
import { NodesController } from './rest/nodes.controller.js';
import { PlacementsController } from './rest/placements.controller.js';
import { PodsController } from './rest/pods.controller.js';
import { PodRankingsController } from './rest/pod-rankings.controller.js';
import { QuotasController } from './rest/quotas.controller.js';
import { PreemptionsController } from './rest/preemptions.controller.js';
import { ResourcesController } from './rest/resources.controller.js';
import { ScenarioImpactsController } from './rest/scenario-impacts.controller.js';
import { SchedulerConfigurationController } from './rest/scheduler-configuration.controller.js';
import { SchedulingRunsController } from './rest/scheduling-runs.controller.js';
import { SnapshotsController } from './rest/snapshots.controller.js';
import { TaintTrailController } from './rest/taint-trail.controller.js';
import { TaintsController } from './rest/taints.controller.js';
import { WebhooksController } from './rest/webhooks.controller.js';

/** Every REST controller; the OpenAPI document has them in this order. */
export const CONTROLLERS = [
  ...restControllers(QUESTIONS),
  ClustersController,
  SnapshotsController,
  NodesController,
  PodsController,
  TaintsController,
  WebhooksController,
  EventsController,
  EvictionSchedulesController,
  DisruptionsController,
  QuotasController,
  ScenarioImpactsController,
  SchedulingRunsController,
  PreemptionsController,
  ResourcesController,
  FindingsController,
  PlacementsController,
  PodRankingsController,
  AdmissionController,
  SchedulerConfigurationController,
  AuditEventsController,
  TaintTrailController,
  HealthController,
  MetricsController,
  DocsController,
  GraphiqlController,
  IndexController,
];
