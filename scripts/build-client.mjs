/** Builds the client of clients/typescript into its folder dist/: one module, and declarations. */
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import './client-types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const client = join(root, 'clients', 'typescript');
const built = join(client, 'dist');

await rm(built, { recursive: true, force: true });
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
// Standard output belongs to `npm pack`.
const stdio = ['ignore', 2, 2];
execFileSync(process.execPath, [compiler, '-p', client, '--emitDeclarationOnly'], { stdio });
await build({
  absWorkingDir: client,
  entryPoints: ['src/index.ts'],
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
});
