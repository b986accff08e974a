import { restControllers } from '../contract/rest-controllers.js';
import { QUESTIONS } from '../questions/questions.js';
import { DashboardController } from '../dashboard/dashboard.controller.js';
import { DocsController } from '../docs/docs.controller.js';
import { IndexController } from '../docs/index.controller.js';
import { GraphiqlController } from '../docs/graphiql.controller.js';
import { AuditEventsController } from './audit-events.controller.js';
import { DeltasController } from './deltas.controller.js';
import { EventsController } from './events.controller.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { ResourcesController } from './resources.controller.js';
import { SnapshotsController } from './snapshots.controller.js';
import { TaintTrailController } from './taint-trail.controller.js';
import { SessionController } from '../session/session.controller.js';
import { WebhooksController } from './webhooks.controller.js';

/** All REST controllers, in the order of the OpenAPI document. */
export const CONTROLLERS = [
  ...restControllers(QUESTIONS),
  SnapshotsController,
  DeltasController,
  WebhooksController,
  EventsController,
  ResourcesController,
  AuditEventsController,
  TaintTrailController,
  HealthController,
  MetricsController,
  DashboardController,
  SessionController,
  DocsController,
  GraphiqlController,
  IndexController,
];
