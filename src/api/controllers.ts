import { restControllers } from './contract/rest-controllers.js';
import { QUESTIONS } from './questions.js';
import { DocsController } from './docs/docs.controller.js';
import { IndexController } from './docs/index.controller.js';
import { GraphiqlController } from './docs/graphiql.controller.js';
import { AdmissionController } from './rest/admission.controller.js';
import { AuditEventsController } from './rest/audit-events.controller.js';
import { EventsController } from './rest/events.controller.js';
import { FindingsController } from './rest/findings.controller.js';
import { HealthController } from './rest/health.controller.js';
import { MetricsController } from './rest/metrics.controller.js';
import { PlacementsController } from './rest/placements.controller.js';
import { ResourcesController } from './rest/resources.controller.js';
import { SnapshotsController } from './rest/snapshots.controller.js';
import { TaintChangesController } from './rest/taint-changes.controller.js';
import { TaintTrailController } from './rest/taint-trail.controller.js';
import { TaintTrailsController } from './rest/taint-trails.controller.js';
import { TrailEvidenceController } from './rest/trail-evidence.controller.js';
import { WebhooksController } from './rest/webhooks.controller.js';

/** Every REST controller; the OpenAPI document has them in this order. */
export const CONTROLLERS = [
  ...restControllers(QUESTIONS),
  SnapshotsController,
  TaintChangesController,
  WebhooksController,
  EventsController,
  ResourcesController,
  FindingsController,
  PlacementsController,
  AdmissionController,
  AuditEventsController,
  TaintTrailController,
  TrailEvidenceController,
  TaintTrailsController,
  HealthController,
  MetricsController,
  DocsController,
  GraphiqlController,
  IndexController,
];
