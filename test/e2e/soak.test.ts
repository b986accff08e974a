import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runSoak } from '../soak/run-soak.js';

const run = promisify(execFile);

// Several starts of the whole service, on a machine that may be busy with other tests.
jest.setTimeout(240_000);
beforeAll(() => run('node', ['scripts/build.mjs', '--bundle']));

describe('writers and readers of one cluster, over two replicas', () => {
  it('lose nothing, and leave one intact chain, while service and Postgres are killed', async () => {
    const { violations, ...report } = await runSoak({
      stages: [{ seconds: 3 }, { victim: 'service', blows: 2 }, { victim: 'postgres', blows: 1 }],
      pause: 0.5,
      writers: 50,
      readers: 4,
      replicas: 2,
      seed: 1,
    });
    expect(violations).toEqual([]);
    // A soak in which nothing happened would prove little.
    expect(report.kills).toBe(3);
    for (const count of ['acknowledged', 'refused', 'replayed', 'reads', 'records'] as const) {
      expect(report[count]).toBeGreaterThan(5);
    }
  });

  it('can be started by the command, outside of the test runner', async () => {
    await expect(run('node', ['dist/test/soak/run.js', '--only', 'nothing'])).rejects.toThrow(
      '--only: nothing is none of plain, service, postgres',
    );
  });
});
