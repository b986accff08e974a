import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { TrustedCertificates } from './app/webhooks/trusted-certificates.js';
import { ConfigError, type TlsConfig } from './config.js';

/** Interval for checking the files, in milliseconds: certificates are rotated long before they expire. */
const INTERVAL = 2_000;

/** A certificate with its key, and the client CAs. */
export interface TlsMaterial extends SecureContextOptions {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The CAs of client certificates; absent: clients need no certificate. */
  readonly ca?: Buffer;
}

/** The used part of the interface of a `node:tls` server. */
export interface SecureServer {
  setSecureContext(options: SecureContextOptions): void;
}

/** The service's certificate, which is reloaded when its files change. */
export class TlsFiles extends TrustedCertificates {
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly files: TlsConfig,
    /** The certificate in use. */
    private current: TlsMaterial,
  ) {
    super();
  }

  /** @throws {ConfigError} the files cannot be read, or do not match */
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

  /** Reloads changed files for a server; invalid files are ignored with a log message. */
  follow(server: SecureServer, log: Logger): void {
    let failing = false;
    const look = async (): Promise<void> => {
      try {
        const read = await readMaterial(this.files);
        failing = false;
        if (isSame(read, this.current)) return;
        server.setSecureContext(read);
        this.current = read;
        log.info('the certificate was reloaded');
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'the new certificate is invalid; the previous one stays in use');
        failing = true;
      }
    };
    this.timer = setInterval(() => void look(), INTERVAL).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

/** For a service that does not serve TLS itself. */
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
  // Throws if the key does not match the certificate.
  createSecureContext(material);
  return material;
}

const isSame = (a: TlsMaterial, b: TlsMaterial): boolean =>
  a.cert.equals(b.cert) && a.key.equals(b.key) && (a.ca === undefined || b.ca === undefined || a.ca.equals(b.ca));
