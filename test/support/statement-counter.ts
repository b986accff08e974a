import type { countStatements as Count } from './counted-statements.js';
import { importBuilt } from './import-built.js';

/**
 * Counts the statements that the services of `startTestService` send to Postgres while `work` runs. They are sent unchanged. Those services
 * have another copy of the driver than a test.
 */
export const { countStatements } = await importBuilt<{ readonly countStatements: typeof Count }>(
  'test/support/counted-statements.js',
);
