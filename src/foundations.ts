import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { AllowedMethods } from './api/http/allowed-methods.js';
import type { Clock } from './app/clock.js';
import type { TrustedCertificates } from './app/webhooks/trusted-certificates.js';
import type { ServiceMetrics } from './app/service-metrics.js';
import type { ServiceConfig } from './config.js';
import type { Database } from './storage/database.js';

/** What the service is composed of that must be there before it. */
export interface Foundations {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: ServiceMetrics;
  readonly database: Database;
  readonly allowedMethods: AllowedMethods;
  /** What checkpoints of the trail are signed with. */
  readonly signingKey: KeyObject | undefined;
  /** What API servers that call this service are to trust. */
  readonly certificates: TrustedCertificates;
}
