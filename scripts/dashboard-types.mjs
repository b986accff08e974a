/** Writes the types of the dashboard's questions from openapi.yaml, unless they are newer. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const contract = join(root, 'openapi.yaml');
const types = join(root, 'dashboard', 'src', 'api', 'generated', 'schema.d.ts');

const modified = async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

if ((await modified(types)) < (await modified(contract))) {
  const text = astToString(await openapiTS(await readFile(contract, 'utf8')));
  await mkdir(dirname(types), { recursive: true });
  await writeFile(types, text);
}
