import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Before the tests: makes what the client takes from openapi.yaml, and compiles what has changed, for `importBuilt`. */
export default async function build() {
  await run(process.execPath, ['scripts/client-types.mjs']);
  await run(process.execPath, ['scripts/build.mjs']);
}
