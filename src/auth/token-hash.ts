import { createHash, randomBytes } from 'node:crypto';

/** Generates a token: 256 random bits with a prefix that secret scanners can detect. */
export function newToken(): string {
  return `kpt_${randomBytes(32).toString('base64url')}`;
}

/**
 * The stored form of a token. A fast hash is sufficient: slow ones protect passwords, which can be guessed, unlike 256
 * random bits.
 */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
