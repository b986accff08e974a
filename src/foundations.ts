import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { AllowedMethods } from './api/http/allowed-methods.js';
import type { BrowserSessions } from './api/session/browser-sessions.js';
import type { Clock } from './app/clock.js';
import type { TrustedCertificates } from './app/webhooks/trusted-certificates.js';
import type { ReplicaProcesses } from './app/replica-processes.js';
import type { ServiceMetrics } from './app/service-metrics.js';
import type { ServiceConfig } from './config.js';
import type { Database } from './storage/database.js';

/** The dependencies that are created before the application. */
export interface Foundations {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: ServiceMetrics;
  readonly database: Database;
  readonly processes: ReplicaProcesses;
  readonly allowedMethods: AllowedMethods;
  /** The key that signs checkpoints of the trail. */
  readonly signingKey: KeyObject | undefined;
  /** Absent if people cannot log in with a browser. */
  readonly browsers: BrowserSessions | undefined;
  /** The CA bundle for API servers that call this service. */
  readonly certificates: TrustedCertificates;
}
