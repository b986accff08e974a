import { afterEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface DigestCode {
  readonly name: string;
  readonly files: readonly string[];
}

async function digestCode(root: string): Promise<DigestCode> {
  const program = `import { digestCode } from './scripts/digest-code.mjs';
    process.stdout.write(JSON.stringify(await digestCode(${JSON.stringify(root)})))`;
  return JSON.parse((await run(process.execPath, ['--input-type=module', '-e', program])).stdout) as DigestCode;
}

const MAKER = `import type { List } from '../findings/list.js';
import type { Store } from '../../storage/store.js';
export class Keep {
  constructor(list: List, store: Store) { this.list = list; this.store = store; }
  run() { return this.store.keep(this.list.run()); }
}
`;

/** A service of which one maker keeps a list in a store, which it knows by their types. */
const SERVICE = {
  'src/app/overview/keep-figures.ts': MAKER.replace(/\w+: (List|Store)/g, (field) => field.split(':')[0]!),
  'src/app/findings/list.ts': `import { rule, type Rule } from '../../core/rule.js';
// The rule decides.
export class List { run() { const found = rule(1); return found; } }
`,
  'src/core/rule.ts': `import { bound } from './bound.js';
export const rule = (count) => count > bound;
export const unused = () => 'unused';
`,
  'src/core/bound.ts': 'export const bound = 1;\n',
  'src/core/rule-text.ts': `export const text = 'why';\n`,
  'src/storage/store.ts': `import { insert } from 'store';
export class Store { keep(list) { return insert('list', list); } }\n`,
  'src/api/view.ts': `import { Keep } from '../app/overview/keep-figures.js';
export const view = new Keep();
`,
  'package-lock.json': `{ "packages": { "node_modules/store": { "version": "1.0.0" }, "node_modules/view": { "version": "2.0.0" } } }`,
  'migrations/index.ts': `export { First } from './1-first.js';\n`,
  'migrations/1-first.ts': `export class First { up() { return 'create'; } }\n`,
};
type Path = keyof typeof SERVICE;

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function nameOf(changes: Partial<Record<Path, (text: string) => string>> = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'kube-placement-digest-code-'));
  folders.push(root);
  for (const [path, former] of Object.entries(SERVICE)) {
    const text = changes[path as Path]?.(former) ?? former;
    if (changes[path as Path] !== undefined && text === former) throw new Error(`nothing was changed in ${path}`);
    const compiled = text.replace(/^import type .*\n/gm, '').replace(/, type \w+/g, '');
    for (const [file, content] of [
      [path, text],
      [join('dist', path.replace(/\.ts$/, '.js')), compiled],
    ] as const) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), content);
    }
  }
  return (await digestCode(root)).name;
}

const replaced =
  (from: string, to: string) =>
  (text: string): string =>
    text.replace(from, to);

describe('the name of the code that makes digests', () => {
  it.each<[string, Path, string, string]>([
    ['the maker', 'src/app/overview/keep-figures.ts', 'this.store.keep', 'this.store.put'],
    ['what the maker is given', 'src/app/findings/list.ts', 'rule(1)', 'rule(2)'],
    ['what that imports', 'src/core/rule.ts', 'count > bound', 'count >= bound'],
    ['what is imported by what is imported', 'src/core/bound.ts', '1', '2'],
    ['what reads and writes the database', 'src/storage/store.ts', `'list'`, `'lists'`],
    ['the name of a class', 'src/storage/store.ts', 'class Store', 'class Stores'],
    ['a package that it imports', 'package-lock.json', '1.0.0', '1.0.1'],
    ['a migration', 'migrations/1-first.ts', 'create', 'alter'],
  ])('differs after a change of %s', async (_, path, from, to) => {
    expect(await nameOf({ [path]: replaced(from, to) })).not.toBe(await nameOf());
  });

  it.each<[string, Path, string, string]>([
    ['what asks the maker', 'src/api/view.ts', 'new Keep()', 'new Keep(1)'],
    ['a package that it does not import', 'package-lock.json', '2.0.0', '2.0.1'],
    ['code that it does not import', 'src/core/rule-text.ts', 'why', 'because'],
    ['a function that nothing calls', 'src/core/rule.ts', `'unused'`, `'unasked'`],
    ['a comment', 'src/app/findings/list.ts', 'decides', 'chooses'],
  ])('stays after a change of %s', async (_, path, from, to) => {
    expect(await nameOf({ [path]: replaced(from, to) })).toBe(await nameOf());
  });
});

describe('the code that makes digests of this service', () => {
  it('is all that reads states, finds and counts in them, and keeps that; and is named in the build', async () => {
    const { name, files } = await digestCode(process.cwd());
    expect(await readFile('dist/src/digest-code.txt', 'utf8')).toBe(name);
    const rules = await readdir('dist/src/core/findings/rules');
    const migrations = await readdir('dist/migrations');
    const wanted = [
      ...rules.map((file) => `src/core/findings/rules/${file}`),
      ...migrations.map((file) => `migrations/${file}`),
      ...['findings/list-findings', 'taints/take-taint-inventory', 'states/kept-digests', 'states/digest-blocks'].map(
        (path) => `src/app/${path}.js`,
      ),
      ...['states/cluster-states', 'states/stored-states', 'states/state-images', 'states/derived-state-cache'].map(
        (path) => `src/app/${path}.js`,
      ),
      ...['reads/read-state', 'reads/resolve-revision', 'reads/rules-of-revision'].map((path) => `src/app/${path}.js`),
      ...['object-reader', 'state-image-store', 'revision-store', 'digest-store', 'fleet-store'].map(
        (path) => `src/storage/${path}.js`,
      ),
      ...['cluster/cluster-state', 'cluster/state-image', 'inventory/taint-inventory'].map(
        (path) => `src/core/${path}.js`,
      ),
    ].filter((path) => path.endsWith('.js'));
    expect(wanted.filter((path) => !files.includes(`dist/${path}`))).toEqual([]);
    expect(files.filter((path) => /^dist\/src\/(api|ingest|wiring|core\/scheduling)\//.test(path))).toEqual([]);
  });
});
