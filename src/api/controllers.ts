import { restControllers } from './contract/rest-controllers.js';
import { QUESTIONS } from './questions.js';
import { DocsController } from './docs/docs.controller.js';
import { IndexController } from './docs/index.controller.js';
import { GraphiqlController } from './docs/graphiql.controller.js';
import { AuditEventsController } from './rest/audit-events.controller.js';
import { EventsController } from './rest/events.controller.js';
import { HealthController } from './rest/health.controller.js';
import { MetricsController } from './rest/metrics.controller.js';
import { ResourcesController } from './rest/resources.controller.js';
import { SnapshotsController } from './rest/snapshots.controller.js';
import { TaintTrailController } from './rest/taint-trail.controller.js';
import { WebhooksController } from './rest/webhooks.controller.js';

/** Every REST controller; the OpenAPI document has them in this order. */
export const CONTROLLERS = [
  ...restControllers(QUESTIONS),
  SnapshotsController,
  WebhooksController,
  EventsController,
  ResourcesController,
  AuditEventsController,
  TaintTrailController,
  HealthController,
  MetricsController,
  DocsController,
  GraphiqlController,
  IndexController,
];
