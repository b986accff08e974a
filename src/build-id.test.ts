import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIdOf } from './build-id.js';
import { VERSION } from './version.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-placement-build-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('differs between programs of the same version, and is the same for copies of one', async () => {
  const [one, copy, other] = ['one.js', 'copy.js', 'other.js'].map((name) => join(folder, name));
  await writeFile(one!, 'import "./chunk-A.js"');
  await writeFile(copy!, 'import "./chunk-A.js"');
  await writeFile(other!, 'import "./chunk-B.js"');
  expect(buildIdOf(one)).toMatch(new RegExp(`^${VERSION.replaceAll('.', '\\.')}\\+[0-9a-f]{12}$`));
  expect(buildIdOf(copy)).toBe(buildIdOf(one));
  expect(buildIdOf(other)).not.toBe(buildIdOf(one));
});

it('is the version of a program without a file', () => {
  expect(buildIdOf(undefined)).toBe(VERSION);
  expect(buildIdOf(join(folder, 'none.js'))).toBe(VERSION);
});
