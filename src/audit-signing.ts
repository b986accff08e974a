import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from './config.js';

/**
 * Loads the key that signs checkpoints of the trail; undefined if none is configured.
 * @param path a PEM file with an Ed25519 private key, such as `openssl genpkey -algorithm ed25519` creates
 * @throws {ConfigError} without any content of the file
 */
export async function openSigningKey(path: string | undefined): Promise<KeyObject | undefined> {
  if (path === undefined) return undefined;
  let pem: string;
  try {
    pem = await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`AUDIT_SIGNING_KEY_FILE cannot be read: ${(error as Error).message}`);
  }
  const key = privateKeyIn(pem);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  const what =
    key === undefined
      ? 'contains no private key in PEM'
      : `contains a key of type ${key.asymmetricKeyType ?? 'unknown'}`;
  throw new ConfigError(
    `AUDIT_SIGNING_KEY_FILE ${what}. Create an Ed25519 private key with: openssl genpkey -algorithm ed25519`,
  );
}

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
