import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { documentedFetch } from '../support/documented-fetch.js';

const run = promisify(execFile);

jest.setTimeout(120_000);

interface Instruction {
  readonly name: string;
  readonly words: readonly string[];
}

/** The instructions of a Dockerfile, one list a stage. */
function stagesOf(dockerfile: string): Instruction[][] {
  const stages: Instruction[][] = [];
  for (const line of dockerfile.replaceAll('\\\n', '').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [name, ...words] = line.split(' ');
    if (name === 'FROM') stages.push([]);
    stages.at(-1)!.push({ name: name!, words });
  }
  return stages;
}

/** Copies what a COPY names from the build context to the folder that replaces the image's working directory. */
async function copy(
  sources: readonly string[],
  target: string,
  image: string,
  ignored: readonly string[],
): Promise<void> {
  for (const source of sources) {
    const into = target.endsWith('/') ? join(image, target, basename(source)) : join(image, target);
    await cp(source, into, {
      recursive: true,
      filter: (path) => !ignored.includes(relative(process.cwd(), path === source ? join(process.cwd(), path) : path)),
    });
  }
}

interface Deployment {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly args: string[] }[] } };
  };
}

let image: string;
const folders: string[] = [];
let postgres: TestPostgres;

/** Goes through the first stage of the Dockerfile without Docker; the packages are those that are installed here. */
beforeAll(async () => {
  postgres = await startTestPostgres();
  image = await mkdtemp(join(tmpdir(), 'kube-placement-image-'));
  const ignored = (await readFile('.dockerignore', 'utf8')).trim().split('\n');
  expect(ignored.filter((pattern) => /[*?!]/.test(pattern))).toEqual([]);
  for (const { name, words } of stagesOf(await readFile('Dockerfile', 'utf8'))[0]!) {
    if (name === 'COPY') await copy(words.slice(0, -1), words.at(-1)!, image, ignored);
    if (name !== 'RUN') continue;
    for (const command of words.join(' ').split(' && ')) {
      if (command === 'npm ci') await symlink(join(process.cwd(), 'node_modules'), join(image, 'node_modules'));
      else await run('sh', ['-c', command], { cwd: image });
    }
  }
});
afterAll(async () => {
  await postgres.stop();
  for (const folder of [image, ...folders]) await rm(folder, { recursive: true, force: true });
});

describe('the container image', () => {
  it('builds from the files that the Dockerfile copies, migrates and serves', async () => {
    // Elsewhere, Node would find the packages that are installed here.
    const second = await mkdtemp(join(tmpdir(), 'kube-placement-second-'));
    folders.push(second);
    const instructions = stagesOf(await readFile('Dockerfile', 'utf8'))[1]!;
    for (const { name, words } of instructions) {
      if (name === 'COPY') expect(words).toEqual(['--from=build', '/service/image', './']);
    }
    await cp(join(image, 'image'), second, { recursive: true });
    const ownerUrl = await postgres.createEmptyDatabase();
    const serviceUrl = ownerUrl.replace(/\/\/[^@]*@/, '//image_service:secret@');
    const env = { PATH: process.env['PATH'], MIGRATION_DATABASE_URL: ownerUrl, DATABASE_URL: serviceUrl };
    const compose = parse(await readFile('docker-compose.yml', 'utf8')) as Compose;
    // The entry point of the image is node.
    const migrate = compose.services['migrate']!.command!;
    expect((await run(process.execPath, migrate, { cwd: second, env })).stdout).toContain('Migrated:');

    const command = instructions.find(({ name }) => name === 'CMD')!.words.join(' ');
    const service = spawn(process.execPath, JSON.parse(command) as string[], {
      cwd: second,
      env: { ...env, PORT: '0', HOST: '127.0.0.1', DATABASE_CONNECT_TIMEOUT_MS: '60000' },
    });
    const ended = once(service, 'close');
    let log = '';
    const url = await new Promise<string>((resolve, reject) => {
      service.once('close', () => reject(new Error(log)));
      for (const stream of [service.stdout, service.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          log += chunk.toString();
          const ready = /"url":"(http:[^"]+)"/.exec(log);
          if (ready !== null) resolve(ready[1]!);
        });
      }
    });
    for (const path of ['/readyz', '/docs', '/api/v1/clusters', '/metrics', '/openapi.json'])
      expect([path, (await documentedFetch(url + path)).status]).toEqual([path, 200]);
    for (const page of ['/docs', '/graphiql', '/ui/']) {
      const text = await (await documentedFetch(url + page)).text();
      const files = [...text.matchAll(/(?:src|href)="([^"#]+\.(?:js|css))"/g)].map(([, file]) => file!);
      expect([page, files.length > 1]).toEqual([page, true]);
      for (const file of files) {
        const { status } = await fetch(new URL(file, url + page));
        expect([file, status]).toEqual([file, 200]);
      }
    }
    const query = await documentedFetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ clusters { nodes { name } } }' }),
    });
    expect(query.status).toBe(200);
    // The agent is the same image with other arguments.
    const agent = parse(await readFile('deploy/agent/deployment.yaml', 'utf8')) as Deployment;
    const [program, subcommand] = agent.spec.template.spec.containers[0]!.args;
    const help = await run(process.execPath, [program!, subcommand!, '--help'], { cwd: second, env });
    expect(help.stdout).toContain('--token-file');
    const health = instructions.find(({ name }) => name === 'HEALTHCHECK')!.words.join(' ');
    const [, ...check] = JSON.parse(health.slice(health.indexOf('['))) as string[];
    await run(process.execPath, check, { env: { PORT: new URL(url).port } });
    service.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
    await expect(run(process.execPath, check, { env: { PORT: new URL(url).port } })).rejects.toMatchObject({ code: 1 });
  });

  it('has no shell, no root, and a bill of materials of the packages that run', async () => {
    const dockerfile = await readFile('Dockerfile', 'utf8');
    const instructions = stagesOf(dockerfile)[1]!;
    expect(instructions[0]!.words[0]).toMatch(/distroless\/.*:nonroot$/);
    expect(instructions.find(({ name }) => name === 'USER')!.words).toEqual(['65532:65532']);
    expect(instructions.filter(({ name }) => ['RUN', 'SHELL'].includes(name))).toEqual([]);
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as {
      version: string;
      dependencies: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    expect(dockerfile).toContain(`\nARG VERSION=${manifest.version}\n`);
    const bill = JSON.parse(await readFile(join(image, 'image/sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    const listed = bill.components.map(({ name, version }) => `${name}@${version}`);
    const own = Object.entries(manifest.dependencies).map(([name, version]) => `${name}@${version}`);
    expect(listed).toEqual(expect.arrayContaining(own));
    expect(listed.filter((one) => /^(jest|eslint)@/.test(one))).toEqual([]);
    const files = await readdir(join(image, 'image'), { recursive: true });
    expect(files.filter((file) => file.endsWith('.sh'))).toEqual([]);
  });
});

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly command?: string[]; readonly ports?: string[]; readonly environment?: object }>
  >;
}

describe('docker-compose.yml', () => {
  it('publishes ports on loopback only and contains no password', async () => {
    const text = await readFile('docker-compose.yml', 'utf8');
    const { services } = parse(text) as Compose;
    const ports = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(ports).toEqual(['127.0.0.1:3000:3000']);
    const variables = [...text.matchAll(/\$\{(\w+)([^}]*)\}/g)].map(([, name, rule]) => [name, rule!.slice(0, 2)]);
    expect(variables.filter(([name]) => name!.endsWith('PASSWORD'))).not.toHaveLength(0);
    for (const [name, rule] of variables) if (name!.endsWith('PASSWORD')) expect(rule).toBe(':?');
    for (const [, password] of text.matchAll(/:\/\/\w+:([^@]+)@/g)) expect(password).toMatch(/^\$\{/);
  });
});
