import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from './config.js';

/**
 * The key that checkpoints of the trail are signed with; undefined where there is none.
 * @param path a PEM file with an Ed25519 private key, as `openssl genpkey -algorithm ed25519` makes one
 * @throws {ConfigError} without anything of what the file holds
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
    key === undefined ? 'holds no private key in PEM' : `holds a key of type ${key.asymmetricKeyType ?? 'unknown'}`;
  throw new ConfigError(
    `AUDIT_SIGNING_KEY_FILE ${what}; an Ed25519 private key is needed: openssl genpkey -algorithm ed25519`,
  );
}

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
