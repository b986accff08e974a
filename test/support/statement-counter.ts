import type { countRoundTrips as CountRoundTrips, countStatements as CountStatements } from './counted-statements.js';
import { importBuilt } from './import-built.js';

/**
 * Count the statements, or the round trips, that the services of `startTestService` send to Postgres while `work` runs. They are sent unchanged. Those services
 * have another copy of the driver than a test.
 */
export const { countStatements, countRoundTrips } = await importBuilt<{
  readonly countStatements: typeof CountStatements;
  readonly countRoundTrips: typeof CountRoundTrips;
}>('test/support/counted-statements.js');
