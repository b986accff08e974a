import { parseArgs } from 'node:util';
import { readMigrationConfig } from '../config.js';
import { reportStartFailure } from '../start-failure.js';
import { distribute } from '../storage/distribute.js';
import { connect } from '../storage/open-database.js';
import { grantToService } from '../storage/service-role.js';

const POOL = { poolSize: 2, statementTimeoutMs: 0 };
const silent = () => undefined;

/** Migrates as the owner of the tables, distributes them with `--citus`, grants the service's role access, and checks it. */
async function main(): Promise<void> {
  const { citus } = parseArgs({ options: { citus: { type: 'boolean', default: false } } }).values;
  const { ownerUrl, serviceUrl } = readMigrationConfig(process.env);
  const applied: string[] = [];
  const owner = await connect(ownerUrl, POOL, (_level, _message, details) => {
    applied.push(...((details?.['migrations'] ?? []) as string[]));
  });
  try {
    console.log(applied.length === 0 ? 'The schema is up to date.' : `Migrated: ${applied.join(', ')}.`);
    if (citus) {
      const distributed = await distribute(owner);
      console.log(
        distributed.length === 0
          ? 'The tables are distributed by cluster.'
          : `Distributed by cluster: ${distributed.length} tables.`,
      );
    }
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
