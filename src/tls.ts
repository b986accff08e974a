import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { TrustedCertificates } from './app/webhooks/trusted-certificates.js';
import { ConfigError, type TlsConfig } from './config.js';

/** How often the files are looked at: whoever rotates certificates writes new ones long before the old ones end. */
const INTERVAL = 2_000;

/** A certificate with its key, and who may connect. */
export interface TlsMaterial extends SecureContextOptions {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The authorities of clients' certificates; absent: clients need none. */
  readonly ca?: Buffer;
}

/** As far as a server of `node:tls` is used here. */
export interface SecureServer {
  setSecureContext(options: SecureContextOptions): void;
}

/** The service's certificate, read again when its files change. */
export class TlsFiles extends TrustedCertificates {
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly files: TlsConfig,
    /** What is served now. */
    private current: TlsMaterial,
  ) {
    super();
  }

  /** @throws {ConfigError} the files cannot be read, or do not belong together */
  static async open(files: TlsConfig): Promise<TlsFiles> {
    try {
      return new TlsFiles(files, await readMaterial(files));
    } catch (error) {
      throw new ConfigError(`TLS_CERT_FILE, TLS_KEY_FILE or TLS_CLIENT_CA_FILE cannot be used: ${String(error)}`);
    }
  }

  get material(): TlsMaterial {
    return this.current;
  }

  override async bundle(): Promise<string> {
    return readFile(this.files.caFile ?? this.files.certFile, 'utf8');
  }

  /** Lets a server take up new files; what cannot be used is left, and the log says so. */
  follow(server: SecureServer, log: Logger): void {
    let failing = false;
    const look = async (): Promise<void> => {
      try {
        const read = await readMaterial(this.files);
        failing = false;
        if (isSame(read, this.current)) return;
        server.setSecureContext(read);
        this.current = read;
        log.info('the certificate was read again');
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'the new certificate cannot be used; the former one goes on');
        failing = true;
      }
    };
    this.timer = setInterval(() => void look(), INTERVAL).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

/** TLS is spoken by somebody else before this service, or by nobody. */
export class NoCertificates extends TrustedCertificates {
  override bundle(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

async function readMaterial({ certFile, keyFile, clientCaFile }: TlsConfig): Promise<TlsMaterial> {
  const [cert, key, ca] = await Promise.all([
    readFile(certFile),
    readFile(keyFile),
    clientCaFile === undefined ? undefined : readFile(clientCaFile),
  ]);
  const material = { cert, key, ...(ca && { ca }) };
  // Throws where the key is not the certificate's.
  createSecureContext(material);
  return material;
}

const isSame = (a: TlsMaterial, b: TlsMaterial): boolean =>
  a.cert.equals(b.cert) && a.key.equals(b.key) && (a.ca === undefined || b.ca === undefined || a.ca.equals(b.ca));
