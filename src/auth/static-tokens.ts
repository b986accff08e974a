import { timingSafeEqual } from 'node:crypto';
import type { TokenEntry } from './auth-file.js';
import type { Caller } from './caller.js';
import { tokenHash } from './token-hash.js';

/** The tokens of the auth file. */
export class StaticTokens {
  private readonly known: readonly { readonly hash: Buffer; readonly caller: Caller }[];

  constructor(entries: readonly TokenEntry[]) {
    this.known = entries.map(({ name, sha256, groups }) => ({
      hash: Buffer.from(sha256, 'hex'),
      caller: { name, kind: 'token', groups },
    }));
  }

  /**
   * Returns the caller of a token. All hashes are compared in constant time, so the duration reveals nothing about the
   * tokens.
   */
  callerOf(token: string): Caller | undefined {
    const given = tokenHash(token);
    let found: Caller | undefined;
    for (const { hash, caller } of this.known) {
      if (timingSafeEqual(hash, given)) found = caller;
    }
    return found;
  }
}
