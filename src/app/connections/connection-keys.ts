import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ServiceError } from '../errors/service-error.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Key {
  /** The first digits of its hash. */
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts credentials with AES-256-GCM. The keys are in a file, one in a line, in base64: the first one encrypts, every one decrypts. The
 * file is read each time, so that keys can be rotated without a restart.
 */
export class ConnectionKeys {
  constructor(private readonly file: string | undefined) {}

  /**
   * @param owner bound to the text: it can be decrypted only for the same owner
   * @throws {ServiceError} `connections-not-configured`
   */
  async seal(text: string, owner: string): Promise<string> {
    const [key] = await this.keys();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key!.bytes, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(owner));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${key!.id}.${Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64')}`;
  }

  /** @throws {ServiceError} `connections-not-configured`, also if the key is gone */
  async open(sealed: string, owner: string): Promise<string> {
    const [id, text = ''] = sealed.split('.');
    const key = (await this.keys()).find((one) => one.id === id);
    if (key === undefined) {
      throw notConfigured(
        `The credentials were encrypted with a key that is no longer in CONNECTION_KEY_FILE. Put the connection again.`,
      );
    }
    const bytes = Buffer.from(text, 'base64');
    const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const rest = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(rest), decipher.final()]).toString();
    } catch {
      throw notConfigured(
        'The stored credentials were changed, or belong to another cluster. Put the connection again.',
      );
    }
  }

  private async keys(): Promise<readonly Key[]> {
    if (this.file === undefined) {
      throw notConfigured(
        'The service has no key to encrypt credentials with: set CONNECTION_KEY_FILE to a file with 32 random bytes in base64 (openssl rand -base64 32).',
      );
    }
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      throw notConfigured('CONNECTION_KEY_FILE cannot be read.', error);
    }
    const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
    const keys = lines.map((line): Key => {
      const bytes = Buffer.from(line, 'base64');
      return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 16), bytes };
    });
    if (keys.length === 0 || keys.some(({ bytes }) => bytes.length !== KEY_BYTES)) {
      throw notConfigured(
        'CONNECTION_KEY_FILE must have keys of 32 bytes in base64, one in a line (openssl rand -base64 32).',
      );
    }
    return keys;
  }
}

const notConfigured = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('connections-not-configured', message, { cause });
