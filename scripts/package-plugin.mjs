/**
 * Packages the kubectl plugin: as a single executable (https://nodejs.org/api/single-executable-applications.html) in an archive with its
 * license and SHA-256, as a manifest for krew, and as an npm package.
 *
 *   npm run package-plugin -- [--node FILE]... [--out FOLDER] [--uri ADDRESS]
 *
 * Without --node, the executable is for the platform of the Node.js that runs this. --node names executables of the same version of Node.js
 * for others. The manifest has every archive of this version in the folder, so that each platform can be packaged where it is at home: the
 * executable for macOS must be signed there (`codesign --sign - FILE`).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { inject } from 'postject';
import { archiveFor, executableFor, krewManifest } from './krew-manifest.mjs';
import { platformOf } from './node-platform.mjs';
import { tar } from './tar.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: [process.execPath] },
    out: { type: 'string', default: join(root, 'dist', 'packages') },
    uri: { type: 'string', default: `https://github.com/kube-placement/kube-placement/releases/download/v${version}` },
  },
});
const out = resolve(values.out);
const uri = values.uri.replace(/\/$/, '');

/** Node.js looks for it, to see whether there is anything to run. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--plugin', '--executable'], { stdio: 'inherit' });
await mkdir(out, { recursive: true });
const own = platformOf(await readFile(process.execPath));
const work = await mkdtemp(join(tmpdir(), 'package-plugin-'));
try {
  for (const node of values.node) await packageFor(node);
} finally {
  await rm(work, { recursive: true, force: true });
}
execFileSync('npm', ['pack', '--silent', '--pack-destination', out, join(root, 'dist', 'plugin')], {
  stdio: 'inherit',
});

const archives = [];
for (const name of (await readdir(out)).sort()) {
  const [, os, arch] = /_([a-z]+)_([a-z0-9]+)\.tar\.gz$/.exec(name) ?? [];
  if (os === undefined || name !== archiveFor(version, os, arch)) continue;
  archives.push({ os, arch, uri: `${uri}/${name}`, sha256: sha256(await readFile(join(out, name))) });
}
await writeFile(join(out, 'placement.yaml'), krewManifest(version, archives));
console.log(`${out}: ${(await readdir(out)).sort().join(', ')}`);

async function packageFor(node) {
  const program = await readFile(node);
  const platform = platformOf(program);
  if (platform === undefined) throw new Error(`${node} is no executable of a known platform`);
  if (!program.includes(process.version)) throw new Error(`${node} is not Node.js ${process.version}, as this is`);
  const isOwn = platform.os === own?.os && platform.arch === own.arch;
  const executable = join(work, executableFor(platform.os));
  await writeFile(executable, program);
  await chmod(executable, 0o755);
  await inject(executable, 'NODE_SEA_BLOB', await blob(isOwn), {
    sentinelFuse: FUSE,
    ...(platform.os === 'darwin' && { machoSegmentName: 'NODE_SEA' }),
  });
  const name = archiveFor(version, platform.os, platform.arch);
  const ofPlugin = async (file, mode) => ({
    name: file,
    content: await readFile(join(root, 'dist', 'plugin', file)),
    mode,
  });
  const archive = gzipSync(
    tar([
      { name: executableFor(platform.os), content: await readFile(executable), mode: 0o755 },
      await ofPlugin('kubectl_complete-placement', 0o755),
      await ofPlugin('LICENSE', 0o644),
    ]),
  );
  await writeFile(join(out, name), archive);
  await writeFile(join(out, `${name}.sha256`), `${sha256(archive)}  ${name}\n`);
}

/** Compiled code only runs on the platform on which it was compiled. */
async function blob(useCodeCache) {
  const output = join(work, `blob-${useCodeCache}`);
  const config = join(work, 'config.json');
  const main = join(root, 'dist', 'executable', 'kubectl-placement.cjs');
  await writeFile(config, JSON.stringify({ main, output, useCodeCache, disableExperimentalSEAWarning: true }));
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  return readFile(output);
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
