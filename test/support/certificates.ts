import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface TestCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Creates a self-signed certificate for this machine. @param name its common name */
export async function testCertificate(name: string): Promise<TestCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-placement-tls-'));
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  await run('openssl', [
    'req',
    '-x509',
    ...curve,
    '-nodes',
    '-days',
    '2',
    '-keyout',
    keyFile,
    '-out',
    certFile,
    ...subject,
  ]);
  return { certFile, keyFile, cert: await readFile(certFile), key: await readFile(keyFile) };
}
