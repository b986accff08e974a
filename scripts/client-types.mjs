/** Writes what the client takes from openapi.yaml, its types and a class for each error code, unless they are newer. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const contract = join(root, 'openapi.yaml');
const folder = join(root, 'clients', 'typescript', 'src', 'generated');
const files = ['schema.ts', 'errors.ts'].map((name) => join(folder, name));

const modified = async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

/** `cluster-not-found` has the class `ClusterNotFoundError`. */
const classOf = (code) => `${code.replaceAll(/(?:^|-)(.)/g, (_, letter) => letter.toUpperCase())}Error`;

function errorClasses(codes) {
  return [
    "import { ServiceError } from '../service-error.js';",
    ...codes.map(
      (code) => `
/** \`${code}\` */
export class ${classOf(code)} extends ServiceError<'${code}'> {
  override readonly name = '${classOf(code)}';
}`,
    ),
    '',
    '/** The class of each error code. */',
    'export const ERROR_CLASSES = {',
    ...codes.map((code) => `  '${code}': ${classOf(code)},`),
    '} as const;',
    '',
  ].join('\n');
}

const oldest = Math.min(...(await Promise.all(files.map(modified))));
if (oldest < Math.max(await modified(contract), await modified(fileURLToPath(import.meta.url)))) {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const { parse } = await import('yaml');
  const text = await readFile(contract, 'utf8');
  await mkdir(folder, { recursive: true });
  await writeFile(files[0], astToString(await openapiTS(text)));
  await writeFile(files[1], errorClasses(parse(text).components.schemas.ErrorCode.enum));
}
