import { counted } from './core/collections/counted.js';
import { readFile } from 'node:fs/promises';
import type { AuthFile } from './auth/auth-file.js';
import type { Authenticator } from './auth/authenticator.js';
import type { OidcLogin } from './auth/oidc-login.js';
import { ConfigError, type AuthenticationConfig } from './config.js';

/** The configured authentication, with a log message about it for the start. */
export interface Authentication {
  /** Absent if authentication is off. */
  readonly authenticator?: Authenticator;
  /** Absent if people cannot log in with a browser. */
  readonly login?: OidcLogin;
  readonly level: 'info' | 'warn';
  readonly message: string;
}

/**
 * Sets up authentication from the settings. Its modules are loaded only if it is on.
 * @throws {ConfigError} the auth file is invalid, or no caller could ever authenticate
 */
export async function openAuthentication(config: AuthenticationConfig): Promise<Authentication> {
  if (config.mode === 'off') {
    const message = 'Authentication is off: every caller is "anonymous" and may do everything';
    return config.onLoopback
      ? { level: 'info', message: `${message}; the service is only reachable from this machine.` }
      : { level: 'warn', message: `${message}, and the service is reachable from other machines.` };
  }
  const [{ Authenticator }, { StaticTokens }, { OidcVerifier }, { Policy }] = await Promise.all([
    import('./auth/authenticator.js'),
    import('./auth/static-tokens.js'),
    import('./auth/oidc-verifier.js'),
    import('./auth/policy.js'),
  ]);
  const { tokens, bindings } = config.file === undefined ? NOTHING : await readAuthFile(config.file);
  const { oidc } = config;
  if (tokens.length === 0 && oidc === undefined) throw new ConfigError(noCredentialsMessage(config));
  const provider = oidc === undefined ? '' : ` and the tokens of ${oidc.issuer}`;
  return {
    authenticator: new Authenticator(
      new StaticTokens(tokens),
      oidc === undefined ? undefined : new OidcVerifier(oidc),
      new Policy(bindings),
    ),
    ...(await loginOf(config)),
    level: bindings.length === 0 ? 'warn' : 'info',
    message:
      `Authentication is required, with ${counted(tokens.length, 'static token')}${provider} and ` +
      `${counted(bindings.length, 'binding')}${bindings.length === 0 ? ': no caller has any permission' : ''}.`,
  };
}

async function loginOf({ oidc, login }: AuthenticationConfig): Promise<{ readonly login?: OidcLogin }> {
  if (oidc === undefined || login === undefined) return {};
  const { clientId, clientSecretFile, scopes, publicUrl } = login;
  const clientSecret = clientSecretFile === undefined ? undefined : await readSecret(clientSecretFile);
  const { OidcLogin: Login } = await import('./auth/oidc-login.js');
  return { login: new Login({ oidc, clientId, clientSecret, scopes, redirectUrl: `${publicUrl}/session/callback` }) };
}

async function readSecret(path: string): Promise<string> {
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    if (secret !== '') return secret;
  } catch (error) {
    throw new ConfigError(`OIDC_CLIENT_SECRET_FILE cannot be read: ${(error as Error).message}`);
  }
  throw new ConfigError('OIDC_CLIENT_SECRET_FILE is empty.');
}

const NOTHING: AuthFile = { tokens: [], bindings: [] };

async function readAuthFile(path: string): Promise<AuthFile> {
  const { AuthFileError, parseAuthFile } = await import('./auth/auth-file.js');
  try {
    return parseAuthFile(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof AuthFileError) throw new ConfigError(`Invalid settings in ${path}:\n${error.message}`);
    throw new ConfigError(`AUTH_FILE cannot be read: ${(error as Error).message}`);
  }
}

function noCredentialsMessage({ isExplicit, file }: AuthenticationConfig): string {
  const why = isExplicit
    ? 'AUTHENTICATION is required'
    : 'The service is reachable from other machines, so callers must authenticate';
  return (
    `${why}, but neither a token nor an identity provider is configured. Do one of the following:\n` +
    `  - Create a token: run \`npm run token -- NAME\`, and add its entry to ${file ?? 'a file that AUTH_FILE names'}.\n` +
    '  - Configure an identity provider: set OIDC_ISSUER and OIDC_AUDIENCE.\n' +
    '  - Turn authentication off: set AUTHENTICATION=off. Anyone who can reach the service may then read, change and delete everything.'
  );
}
