import { readMigrationConfig } from '../config.js';
import { reportStartFailure } from '../start-failure.js';
import { connect } from '../storage/open-database.js';
import { grantToService } from '../storage/service-role.js';

const POOL = { poolSize: 2, statementTimeoutMs: 0 };
const silent = () => undefined;

/** Migrates as the owner of the tables, grants the service's role access, and checks it. */
async function main(): Promise<void> {
  const { ownerUrl, serviceUrl } = readMigrationConfig(process.env);
  const applied: string[] = [];
  const owner = await connect(ownerUrl, POOL, (_level, _message, details) => {
    applied.push(...((details?.['migrations'] ?? []) as string[]));
  });
  try {
    console.log(applied.length === 0 ? 'The schema is up to date.' : `Migrated: ${applied.join(', ')}.`);
    const { role, created } = await grantToService(owner, serviceUrl);
    const service = await connect(serviceUrl, POOL, silent);
    await service.dataSource.destroy();
    const made = created ? ', which was created,' : '';
    console.log(
      `The role ${role}${made} owns nothing and may use the tables; it can only read the audit trail and append to it.`,
    );
  } finally {
    await owner.dataSource.destroy();
  }
}

main().catch((error: unknown) => {
  reportStartFailure(error);
  process.exitCode = 1;
});
