import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { IdentityProviderUnavailableError, UnauthenticatedError } from './authentication-error.js';
import type { Caller } from './caller.js';
import { discoverKeySet } from './discover-key-set.js';

export interface OidcSettings {
  /** The value of `iss` in tokens. */
  readonly issuer: string;
  /** The value that `aud` must contain. */
  readonly audience: string;
  /** URL of the keys; absent: from the issuer's discovery document. */
  readonly keySetUrl?: string;
  readonly clockSkewSeconds: number;
  readonly usernameClaim: string;
  readonly groupsClaim: string;
  /** Minimum time between two fetches because of an unknown key. */
  readonly keySetCooldownSeconds: number;
}

/** Asymmetric signature algorithms only: with HMAC, anyone who can verify tokens could forge them. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Longer than any name of a provider, and short enough for a log. */
const MAX_NAME_LENGTH = 256;

/** Verifies tokens of the identity provider and determines their caller (OpenID Connect Core 1.0, RFC 7519). */
export class OidcVerifier {
  private keySet: Promise<JWTVerifyGetKey> | undefined;

  constructor(private readonly settings: OidcSettings) {}

  /**
   * Verifies signature, issuer, audience and times; `exp` is required.
   *
   * @throws {UnauthenticatedError} the token is invalid
   * @throws {IdentityProviderUnavailableError} there are no keys to verify it with
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
      return callerOfClaims(payload, this.settings);
    } catch (error) {
      if (error instanceof errors.JOSEError) throw new UnauthenticatedError(reasonOf(error));
      throw error;
    }
  }

  /** Returns the key that a token names, and fetches unknown keys. Errors here are not caused by the token. */
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
}

/**
 * The caller that verified claims describe.
 * @throws {UnauthenticatedError} they contain no name
 */
export function callerOfClaims(
  payload: JWTPayload,
  { issuer, usernameClaim, groupsClaim }: Pick<OidcSettings, 'issuer' | 'usernameClaim' | 'groupsClaim'>,
): Caller {
  const name = Object.hasOwn(payload, usernameClaim) ? payload[usernameClaim] : undefined;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH || /\p{C}/u.test(name)) {
    throw new UnauthenticatedError(`The token's claim "${usernameClaim}" contains no name.`);
  }
  const groups = Object.hasOwn(payload, groupsClaim) ? payload[groupsClaim] : undefined;
  return { name, kind: 'oidc', groups: groupNames(groups), issuer };
}

/** Some providers send a single group as a string. */
function groupNames(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((name: unknown) => typeof name === 'string') : [];
}

/** Describes why a token is invalid; the messages of the library might quote the token. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    const known = new Map([
      ['iss', 'The token has another issuer.'],
      ['aud', 'The token has another audience.'],
      ['nbf', 'The token is not valid yet.'],
      ['exp', 'The token has no expiry time (exp).'],
    ]);
    return known.get(error.claim) ?? 'The token has an invalid claim.';
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return 'The token uses a signature algorithm that is not accepted.';
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'The token is signed with a key that the provider does not publish.';
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'The token does not name the key that it is signed with.';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is invalid.';
  return 'The token is malformed.';
}
