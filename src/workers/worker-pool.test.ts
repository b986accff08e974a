import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkerPool } from './worker-pool.js';

/** The first worker reports until it hangs, and each that replaces it goes on to. */
const PROGRAM = `
import { existsSync, writeFileSync } from 'node:fs';
const hung = process.env.FOLDER + '/hung';
process.on('message', ({ type }) => type === 'stop' && process.exit(0));
process.send({ type: 'ready' });
setInterval(() => {
  process.send({ type: 'load', utilization: 0, connections: 0 });
  if (existsSync(hung)) return;
  writeFileSync(hung, '');
  for (;;);
}, 50);
`;

let folder: string;
let pool: WorkerPool | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-placement-workers-'));
});
afterEach(async () => {
  await pool?.stop();
  await rm(folder, { recursive: true });
});

it('kills a worker whose event loop stands still, and replaces it', async () => {
  const program = join(folder, 'worker.mjs');
  await writeFile(program, PROGRAM);
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    WorkerPool.start(
      {
        workers: 1,
        workersPerCluster: 1,
        program,
        environment: () => ({ ...process.env, FOLDER: folder }),
        isEncrypted: false,
        shutdownTimeoutMs: 1_000,
        hangsAfterMs: 1_000,
        log: (_level, _details, message) => {
          said.push(message);
          if (message === 'a worker was replaced') resolve();
        },
      },
      { host: '127.0.0.1', port: 0 },
    ).then((started) => {
      pool = started;
    }, reject);
  });
  expect(said).toEqual(['a worker hangs; it is killed', 'a worker ended; it is replaced', 'a worker was replaced']);
});
