import { createHash, randomBytes } from 'node:crypto';

/** A new token: 256 random bits behind a word by which scanners for leaked secrets can find it. */
export function newToken(): string {
  return `kpt_${randomBytes(32).toString('base64url')}`;
}

/**
 * What is kept of a token. A plain fast hash is right here: slow ones are for passwords, which can be guessed; nobody
 * tries 2^256 tokens.
 */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
