import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface TestCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface CertificateFiles extends TestCertificate {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Creates a self-signed certificate for this machine. @param name its common name */
export async function testCertificate(name: string): Promise<TestCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-placement-tls-'));
  try {
    const { cert, key } = await certificateIn(folder, name);
    return { cert, key };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The same as files in a folder, named after it. */
export async function certificateIn(folder: string, name: string): Promise<CertificateFiles> {
  const [certFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
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
