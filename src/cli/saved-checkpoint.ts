import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { canonicalJson } from '../core/audit/canonical-json.js';
import { z } from 'zod';

const CHECKPOINT = z.object({
  cluster: z.string().optional(),
  clusterId: z.number().int().optional(),
  sequence: z.number().int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
  at: z.string().optional(),
  signature: z.string().nullish(),
});

/** A response of `GET .../taint-trail/head` that was saved to a file. */
export type SavedCheckpoint = z.infer<typeof CHECKPOINT>;

/** A file with invalid content. */
export class InvalidFile extends Error {
  override readonly name = 'WrongFile';
}

/** @throws {InvalidFile} */
export function readCheckpoint(text: string, file: string): SavedCheckpoint {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidFile(`${file} is not JSON: ${(error as Error).message}`);
  }
  const result = CHECKPOINT.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  throw new InvalidFile(`${file} is not a checkpoint: ${faults.join('; ')}`);
}

/** @throws {InvalidFile} */
export function readPublicKey(pem: string, file: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    throw new InvalidFile(`${file} contains no public key in PEM`);
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new InvalidFile(
    `${file} contains a key of type ${key.asymmetricKeyType ?? 'unknown'}, but checkpoints are signed with Ed25519`,
  );
}

/** Whether the checkpoint was signed with the private key of this key. */
export function isSigned(
  { cluster, clusterId, sequence, hash, at, signature }: SavedCheckpoint,
  key: KeyObject,
): boolean {
  if (signature == null) return false;
  const said = Buffer.from(canonicalJson({ cluster, clusterId, sequence, hash, at }));
  return verify(null, said, key, Buffer.from(signature, 'base64'));
}
