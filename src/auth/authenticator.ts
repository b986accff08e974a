import type { Access } from './access.js';
import { UnauthenticatedError } from './authentication-error.js';
import type { Caller } from './caller.js';
import type { OidcVerifier } from './oidc-verifier.js';
import type { Policy } from './policy.js';
import type { StaticTokens } from './static-tokens.js';

export interface Authenticated {
  readonly caller: Caller;
  readonly access: Access;
}

/** Determines the caller of a request and its permissions from the Authorization header. */
export class Authenticator {
  constructor(
    private readonly tokens: StaticTokens,
    private readonly oidc: OidcVerifier | undefined,
    private readonly policy: Policy,
  ) {}

  /**
   * @throws {UnauthenticatedError} the credentials are missing or invalid
   * @throws {IdentityProviderUnavailableError} the token cannot be verified at the moment
   */
  async authenticate(authorization: string | undefined, now: Date): Promise<Authenticated> {
    const token = bearerToken(authorization);
    const caller = this.tokens.callerOf(token) ?? (await this.vouchedFor(token, now));
    return this.known(caller);
  }

  /** The access of a caller that was authenticated before. */
  known(caller: Caller): Authenticated {
    return { caller, access: this.policy.accessOf(caller) };
  }

  private async vouchedFor(token: string, now: Date): Promise<Caller> {
    if (this.oidc === undefined || token.split('.').length !== 3)
      throw new UnauthenticatedError('The token is unknown.');
    return this.oidc.callerOf(token, now);
  }
}

/** RFC 6750, section 2.1. */
function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw new UnauthenticatedError('This operation requires a token: `Authorization: Bearer ...`.', false);
  }
  const token = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw new UnauthenticatedError('The Authorization header must be `Bearer` followed by a token.');
  return token;
}
