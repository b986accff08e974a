import * as client from 'openid-client';
import { IdentityProviderUnavailableError, UnauthenticatedError } from './authentication-error.js';
import type { Caller } from './caller.js';
import { callerOfClaims, type OidcSettings } from './oidc-verifier.js';

export interface OidcLoginSettings {
  readonly oidc: OidcSettings;
  readonly clientId: string;
  /** Absent for a public client; PKCE is used either way. */
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** The URL of the service that the provider sends the browser back to. */
  readonly redirectUrl: string;
}

/** What the browser keeps between the redirect to the provider and its return. */
export interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The path to go to afterwards. */
  readonly returnTo: string;
}

/** Logs people in with the identity provider: authorization code with PKCE (RFC 6749, RFC 7636, OpenID Connect Core 1.0). */
export class OidcLogin {
  private configuration: Promise<client.Configuration> | undefined;

  constructor(private readonly settings: OidcLoginSettings) {}

  /**
   * The provider's URL to send the browser to.
   * @throws {IdentityProviderUnavailableError}
   */
  async begin(returnTo: string): Promise<{ readonly url: string; readonly pending: PendingLogin }> {
    const configuration = await this.configured();
    const verifier = client.randomPKCECodeVerifier();
    const pending = { state: client.randomState(), nonce: client.randomNonce(), verifier, returnTo };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.settings.redirectUrl,
      scope: this.settings.scopes,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: pending.state,
      nonce: pending.nonce,
    });
    return { url: url.href, pending };
  }

  /**
   * The caller that the provider vouches for, with its signature.
   *
   * @param query of the URL with which the browser came back
   * @throws {UnauthenticatedError} the provider refused, or what came back does not belong to this login
   * @throws {IdentityProviderUnavailableError}
   */
  async finish(query: string, { state, nonce, verifier }: PendingLogin): Promise<Caller> {
    const configuration = await this.configured();
    const url = new URL(this.settings.redirectUrl);
    url.search = query;
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      return callerOfClaims(tokens.claims()!, this.settings.oidc);
    } catch (error) {
      if (error instanceof UnauthenticatedError) throw error;
      if (isUnreachable(error)) throw new IdentityProviderUnavailableError(error);
      throw new UnauthenticatedError(reasonOf(error));
    }
  }

  private configured(): Promise<client.Configuration> {
    if (this.configuration === undefined) {
      const discovering = this.discover();
      this.configuration = discovering;
      // The next login tries again.
      discovering.catch(() => (this.configuration = undefined));
    }
    return this.configuration;
  }

  private async discover(): Promise<client.Configuration> {
    const { oidc, clientId, clientSecret } = this.settings;
    const issuer = new URL(oidc.issuer);
    try {
      return await client.discovery(
        issuer,
        clientId,
        { [client.clockTolerance]: oidc.clockSkewSeconds },
        clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret),
        {
          // Plain HTTP is for a provider on this machine: the settings accept no other.
          execute: [
            client.enableNonRepudiationChecks,
            // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated to be noticed
            ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
          ],
        },
      );
    } catch (error) {
      throw new IdentityProviderUnavailableError(error);
    }
  }
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof client.ClientError) return error.code === 'OAUTH_TIMEOUT';
  return error instanceof TypeError;
}

/** Without what the provider or the browser sent, except the provider's own error code. */
function reasonOf(error: unknown): string {
  if (error instanceof client.AuthorizationResponseError) {
    return `The identity provider refused the login: ${error.error.slice(0, 100)}.`;
  }
  if (error instanceof client.ResponseBodyError) {
    return `The identity provider refused the code: ${error.error.slice(0, 100)}.`;
  }
  return 'The response of the identity provider does not belong to this login. Log in again.';
}
