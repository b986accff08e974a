import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { IdentityProviderUnavailableError, UnauthenticatedError } from './authentication-error.js';
import type { Caller } from './caller.js';
import { discoverKeySet } from './discover-key-set.js';

export interface OidcSettings {
  /** As the tokens name it in `iss`. */
  readonly issuer: string;
  /** What `aud` must name. */
  readonly audience: string;
  /** Where the keys are; absent: as the issuer's discovery document says. */
  readonly keySetUrl?: string;
  readonly clockSkewSeconds: number;
  readonly usernameClaim: string;
  readonly groupsClaim: string;
  /** Least time between two looks for a key that is not known yet. */
  readonly keySetCooldownSeconds: number;
}

/** Signatures that only the holder of a private key can make: with HMAC, who can verify could forge. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Longer than any name that a provider gives, and short enough for a log. */
const LONGEST_NAME = 256;

/** Tells who the identity provider says a caller is, by a signed token (OpenID Connect Core 1.0, RFC 7519). */
export class OidcVerifier {
  private keySet: Promise<JWTVerifyGetKey> | undefined;

  constructor(private readonly settings: OidcSettings) {}

  /**
   * Signature, issuer, audience and times are checked; `exp` must be there.
   *
   * @throws {UnauthenticatedError} the token does not hold
   * @throws {IdentityProviderUnavailableError} there are no keys to check it with
   */
  async callerOf(token: string, now: Date): Promise<Caller> {
    const { issuer, audience, clockSkewSeconds } = this.settings;
    try {
      const { payload } = await jwtVerify(token, this.keyFor, {
        issuer,
        audience,
        clockTolerance: clockSkewSeconds,
        currentDate: now,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
      });
      return this.callerIn(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) throw new UnauthenticatedError(reasonOf(error));
      throw error;
    }
  }

  /** The key that a token names, fetched where it is not known yet. What goes wrong here is not the token's fault. */
  private readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    try {
      const keySet = await this.loadedKeySet();
      return await keySet(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof errors.JOSENotSupported) throw error;
      throw new IdentityProviderUnavailableError(error);
    }
  };

  private loadedKeySet(): Promise<JWTVerifyGetKey> {
    if (this.keySet === undefined) {
      const loading = this.loadKeySet();
      this.keySet = loading;
      // The next request tries again.
      loading.catch(() => (this.keySet = undefined));
    }
    return this.keySet;
  }

  private async loadKeySet(): Promise<JWTVerifyGetKey> {
    const { issuer, keySetUrl, keySetCooldownSeconds } = this.settings;
    const url = keySetUrl === undefined ? await discoverKeySet(issuer) : new URL(keySetUrl);
    return createRemoteJWKSet(url, { cooldownDuration: keySetCooldownSeconds * 1000 });
  }

  private callerIn(payload: JWTPayload): Caller {
    const { issuer, usernameClaim, groupsClaim } = this.settings;
    const name = Object.hasOwn(payload, usernameClaim) ? payload[usernameClaim] : undefined;
    if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME || /\p{C}/u.test(name)) {
      throw new UnauthenticatedError(`The token's claim "${usernameClaim}" names nobody.`);
    }
    const groups = Object.hasOwn(payload, groupsClaim) ? payload[groupsClaim] : undefined;
    return { name, kind: 'oidc', groups: groupNames(groups), issuer };
  }
}

/** Some providers give a single group as a string. */
function groupNames(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((name: unknown) => typeof name === 'string') : [];
}

/** Why a token does not hold, in words of our own: those of the library may quote the token. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    const known = new Map([
      ['iss', 'The token is from another issuer.'],
      ['aud', 'The token is for another audience.'],
      ['nbf', 'The token is not valid yet.'],
      ['exp', 'The token has no time of expiry.'],
    ]);
    return known.get(error.claim) ?? 'A claim of the token does not hold.';
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return 'The token is signed in a way that is not accepted.';
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'The token is signed with a key that the provider does not have.';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'The token does not say which key it is signed with.';
  if (error instanceof errors.JWSSignatureVerificationFailed) return "The token's signature does not hold.";
  return 'The token is malformed.';
}
