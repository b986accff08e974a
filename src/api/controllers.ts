import { DocsController } from './docs/docs.controller.js';
import { ClustersController } from './rest/clusters.controller.js';
import { HealthController } from './rest/health.controller.js';
import { MetricsController } from './rest/metrics.controller.js';
import { SnapshotsController } from './rest/snapshots.controller.js';

/** Every REST controller; the OpenAPI document has them in this order. */
export const CONTROLLERS = [
  ClustersController,
  SnapshotsController,
  HealthController,
  MetricsController,
  DocsController,
];
