import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { archiveFiles, krewFaults, type KrewPlatform } from './krew-rules.js';

const run = promisify(execFile);

/** The value of an expression in a module of the scripts, as JSON. */
async function valueOf(script: string, expression: string): Promise<unknown> {
  const program = `import * as its from './scripts/${script}.mjs'; process.stdout.write(JSON.stringify(${expression}))`;
  return JSON.parse((await run(process.execPath, ['--input-type=module', '-e', program])).stdout);
}

describe('the packages of the kubectl plugin', () => {
  it('have a manifest that krew takes, with an archive for each platform', async () => {
    const archives = ['linux', 'darwin', 'windows'].map((os) => ({
      os,
      arch: 'arm64',
      uri: `https://example.com/${os}.tar.gz`,
      sha256: createHash('sha256').update(os).digest('hex'),
    }));
    const manifest = parse(
      (await valueOf('krew-manifest', `its.krewManifest('1.2.3', ${JSON.stringify(archives)})`)) as string,
    ) as { spec: { platforms: readonly KrewPlatform[] } };
    expect(krewFaults(manifest)).toEqual([]);
    expect(manifest.spec.platforms.map(({ selector, bin }) => [selector, bin])).toEqual([
      [{ matchLabels: { os: 'linux', arch: 'arm64' } }, 'kubectl-placement'],
      [{ matchLabels: { os: 'darwin', arch: 'arm64' } }, 'kubectl-placement'],
      [{ matchLabels: { os: 'windows', arch: 'arm64' } }, 'kubectl-placement.exe'],
    ]);
  });

  it('are for the platform of an executable of Node.js', async () => {
    const machO = [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1];
    const headers = [
      [0x7f, 0x45, 0x4c, 0x46, 2, 1, ...Array<number>(12).fill(0), 0xb7, 0],
      machO,
      [...Buffer.from('#!/bin/sh\n')],
    ];
    expect(
      await valueOf(
        'node-platform',
        `${JSON.stringify(headers)}.map((one) => its.platformOf(Buffer.from(one)) ?? null)`,
      ),
    ).toEqual([{ os: 'linux', arch: 'arm64' }, { os: 'darwin', arch: 'arm64' }, null]);
  });

  it('hold no framework and no database', async () => {
    await run(process.execPath, ['scripts/build.mjs', '--plugin']);
    expect(JSON.parse(await readFile('dist/plugin-packages.json', 'utf8'))).toEqual([
      '@opentelemetry/api',
      'commander',
      'yaml',
    ]);
  }, 120_000);
});

const makesPackages = process.env['KUBEBUILDER_ASSETS'] !== undefined;
if (!makesPackages) process.stderr.write('skipped: the packages themselves; KUBEBUILDER_ASSETS is not set\n');

(makesPackages ? describe : describe.skip)('npm run package-plugin', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plugin-packages-'));
    await run(process.execPath, ['scripts/package-plugin.mjs', '--out', folder, '--uri', 'https://example.com/v1/']);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('makes an archive that krew unpacks, in which the executable runs without Node.js', async () => {
    const manifest = parse(await readFile(join(folder, 'placement.yaml'), 'utf8')) as {
      spec: { platforms: readonly KrewPlatform[] };
    };
    expect(krewFaults(manifest)).toEqual([]);
    const { uri, sha256, bin } = manifest.spec.platforms[0]!;
    const name = uri.replace('https://example.com/v1/', '');
    const archive = await readFile(join(folder, name));
    expect(createHash('sha256').update(archive).digest('hex')).toBe(sha256);
    expect(await readFile(join(folder, `${name}.sha256`), 'utf8')).toBe(`${sha256}  ${name}\n`);
    const files = archiveFiles(gunzipSync(archive));
    expect([...files].map(([file, { mode }]) => [file, mode])).toEqual([
      [bin, 0o755],
      ['kubectl_complete-placement', 0o755],
      ['LICENSE', 0o644],
    ]);
    await run('tar', ['-xzf', join(folder, name), '-C', folder]);
    const { stdout } = await run(join(folder, bin), ['explain', 'node.kubernetes.io/not-ready', '-o', 'json'], {
      env: {},
    });
    expect(JSON.parse(stdout)).toMatchObject({ key: 'node.kubernetes.io/not-ready' });
  }, 60_000);

  it('makes an npm package with both commands', async () => {
    const prefix = join(folder, 'prefix');
    await run('npm', [
      'install',
      '--global',
      '--offline',
      '--prefix',
      prefix,
      join(folder, 'kubectl-placement-0.1.0.tgz'),
    ]);
    const env = { ...process.env, PATH: `${join(prefix, 'bin')}:${process.env['PATH']}` };
    const { stdout } = await run(join(prefix, 'bin', 'kubectl_complete-placement'), ['wh'], { env });
    expect(stdout).toMatch(/^why\t/);
  }, 60_000);
});
