import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Before the tests: compiles what has changed, for `importBuilt`. */
export default async function build() {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs']);
}
