import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCertificate, type TestCertificate } from '../../test/support/certificates.js';
import { readLocalKubeconfig } from './local-kubeconfig.js';

let folder: string;
let certificate: TestCertificate;
beforeAll(async () => {
  [folder, certificate] = await Promise.all([mkdtemp(join(tmpdir(), 'local-kubeconfig-')), testCertificate('client')]);
  await mkdir(join(folder, 'pki'));
  await writeFile(join(folder, 'pki/ca.crt'), certificate.cert);
  await writeFile(join(folder, 'pki/client.crt'), certificate.cert);
  await writeFile(join(folder, 'pki/client.key'), certificate.key);
  await writeFile(join(folder, 'token'), 'from-file\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const configOf = (user: object, { name = 'a', cluster = {} }: { name?: string; cluster?: object } = {}): object => ({
  kind: 'Config',
  'current-context': name,
  contexts: [{ name, context: { cluster: name, user: name } }],
  clusters: [{ name, cluster: { server: `https://${name}.example:6443`, ...cluster } }],
  users: [{ name, user }],
});

let written = 0;
async function fileOf(config: object): Promise<string> {
  const file = join(folder, `config-${++written}`);
  await writeFile(file, JSON.stringify(config));
  return file;
}

const ENVIRONMENT = { env: { PATH: process.env['PATH'] }, isInteractive: false };
const read = async (config: object, context?: string) =>
  readLocalKubeconfig({ file: await fileOf(config), context }, ENVIRONMENT);

const API_VERSION = 'client.authentication.k8s.io/v1';
/** A plugin that prints what a script of Node says. */
const plugin = (script: string, rest: object = {}): object => ({
  exec: { apiVersion: API_VERSION, command: process.execPath, args: ['-e', script], ...rest },
});
const printing = (status: object, rest: object = {}): string =>
  `console.log(${JSON.stringify(JSON.stringify({ kind: 'ExecCredential', apiVersion: API_VERSION, status, ...rest }))})`;

describe('a kubeconfig with files', () => {
  it('has their contents, by paths relative to it', async () => {
    const config = configOf(
      { 'client-certificate': 'pki/client.crt', 'client-key': 'pki/client.key' },
      { cluster: { 'certificate-authority': 'pki/ca.crt' } },
    );
    expect((await read(config)).apiServer).toEqual({
      server: 'https://a.example:6443',
      ca: certificate.cert.toString(),
      user: { kind: 'certificate', certificate: certificate.cert.toString(), key: certificate.key.toString() },
    });
  });

  it('has the token of its tokenFile rather than its token', async () => {
    const { apiServer } = await read(configOf({ tokenFile: 'token', token: 'stale' }));
    expect(apiServer.user).toEqual({ kind: 'token', token: 'from-file' });
  });

  it('names a file that cannot be read', async () => {
    await expect(read(configOf({ tokenFile: 'absent' }))).rejects.toThrow(/tokenFile: ENOENT.*absent/);
  });

  it('of $KUBECONFIG are merged: the first entry of a name counts, and files that do not exist are left out', async () => {
    const first = await fileOf(configOf({ token: 'first' }));
    const second = await fileOf({ ...configOf({ token: 'second' }), ...configOf({ token: 'b' }, { name: 'b' }) });
    const KUBECONFIG = [join(folder, 'absent'), first, second].join(':');
    const environment = { env: { KUBECONFIG }, isInteractive: false };
    expect((await readLocalKubeconfig({}, environment)).apiServer.user).toEqual({ kind: 'token', token: 'first' });
    expect(await readLocalKubeconfig({ context: 'b' }, environment)).toMatchObject({
      context: 'b',
      apiServer: { user: { token: 'b' } },
    });
    const absent = { env: { KUBECONFIG: `${join(folder, 'x')}:${join(folder, 'y')}` }, isInteractive: false };
    await expect(readLocalKubeconfig({}, absent)).rejects.toThrow('exists');
  });
});

describe('an exec plugin', () => {
  it('gives a token and when it expires', async () => {
    const status = { token: 'of-plugin', expirationTimestamp: '2026-06-01T00:00:00Z' };
    expect(await read(configOf(plugin(printing(status))))).toMatchObject({
      apiServer: { user: { kind: 'token', token: 'of-plugin' } },
      expires: new Date('2026-06-01T00:00:00Z'),
    });
  });

  it('gives a client certificate', async () => {
    const status = { clientCertificateData: certificate.cert.toString(), clientKeyData: certificate.key.toString() };
    expect((await read(configOf(plugin(printing(status))))).apiServer.user).toMatchObject({ kind: 'certificate' });
  });

  it('gets its environment, and the cluster if it wants to know', async () => {
    const script = `
      const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      const token = [process.env.REGION, spec.interactive, spec.cluster.server, spec.cluster.config.audience].join('|');
      console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${API_VERSION}', status: { token } }))`;
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }];
    const user = plugin(script, { env: [{ name: 'REGION', value: 'eu' }], provideClusterInfo: true });
    const { apiServer } = await read(configOf(user, { cluster: { extensions } }));
    expect(apiServer.user).toEqual({ kind: 'token', token: 'eu|false|https://a.example:6443|x' });
  });

  it('is found by a path relative to the kubeconfig', async () => {
    const file = join(folder, 'pki/plugin');
    await writeFile(
      file,
      `#!/bin/sh\nexec ${process.execPath} -e '${printing({ token: 'relative' }).replaceAll("'", `'\\''`)}'\n`,
    );
    await chmod(file, 0o755);
    const user = { exec: { apiVersion: API_VERSION, command: './pki/plugin' } };
    expect((await read(configOf(user))).apiServer.user).toEqual({ kind: 'token', token: 'relative' });
  });

  it.each<[string, object, RegExp]>([
    [
      'is not there',
      { exec: { apiVersion: API_VERSION, command: 'no-such-plugin', installHint: 'Get it.' } },
      /no-such-plugin: not found\. Get it\./,
    ],
    ['fails', plugin('process.exit(3)'), /failed with exit code 3/],
    ['prints no JSON', plugin('console.log("hello")'), /its output is not JSON/],
    [
      'answers in another version',
      plugin(printing({ token: 'x' }, { apiVersion: 'client.authentication.k8s.io/v1beta1' })),
      /not an ExecCredential of/,
    ],
    ['gives nothing', plugin(printing({})), /no token and no certificate/],
    ['gives half a pair', plugin(printing({ clientKeyData: 'x' })), /a certificate or a key, not both/],
    ['is of an old version', plugin('', { apiVersion: 'client.authentication.k8s.io/v1alpha1' }), /apiVersion must be/],
    ['must ask the user', plugin('', { interactiveMode: 'Always' }), /there is no terminal/],
  ])('that %s is an error that says so', async (_, user, message) => {
    await expect(read(configOf(user))).rejects.toThrow(message);
  });
});

describe('a kubeconfig that cannot be used', () => {
  it('is refused with everything that is wrong', async () => {
    const config = configOf({ username: 'x' }, { cluster: { server: 'http://a', 'insecure-skip-tls-verify': true } });
    await expect(read(config)).rejects.toThrow(/insecure-skip-tls-verify[^]*clusters\.0\.cluster\.server[^]*username/);
    await expect(read(config, 'other')).rejects.toThrow('has no context "other"');
    await expect(readLocalKubeconfig({ file: join(folder, 'none') }, ENVIRONMENT)).rejects.toThrow(/none.*ENOENT/);
  });
});
