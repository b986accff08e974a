/** Runs all checks, two at a time, and shows what each said once it has ended. Exits with 1 if one fails. */
import { spawn } from 'node:child_process';

/** The longest first. */
const CHECKS = ['lint', 'benchmarks', 'types', 'format', 'directions', 'dead'];
/** What they say when they have not failed is of no interest. */
const SILENT = ['benchmarks'];
const AT_A_TIME = 2;

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
    child.on('error', (error) => resolve({ code: 1, said: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, said: Buffer.concat(said).toString() }));
  });
}

// Lint and types both need them: not written by two at once.
const types = await run(process.execPath, ['scripts/client-types.mjs']);
if (types.code !== 0) throw new Error(types.said);
const left = [...CHECKS];
let hasFailed = false;
await Promise.all(
  Array.from({ length: AT_A_TIME }, async () => {
    for (let check = left.shift(); check !== undefined; check = left.shift()) {
      const started = performance.now();
      const { code, said } = await run('npm', ['run', '--silent', `check:${check}`]);
      if (code !== 0 || !SILENT.includes(check)) process.stdout.write(said);
      console.log(
        `check:${check}: ${code === 0 ? 'ok' : 'failed'}, ${Math.round((performance.now() - started) / 1000)} s`,
      );
      hasFailed ||= code !== 0;
    }
  }),
);
process.exitCode = hasFailed ? 1 : 0;
