import { readFile } from 'node:fs/promises';
import type { AuthFile } from './auth/auth-file.js';
import type { Authenticator } from './auth/authenticator.js';
import { ConfigError, type AuthenticationConfig } from './config.js';

/** What stands at the door, and how the log says so at the start. */
export interface Authentication {
  /** Absent where nobody is asked who it is. */
  readonly authenticator?: Authenticator;
  readonly level: 'info' | 'warn';
  readonly message: string;
}

/**
 * Makes what the settings say of authentication. What it takes is loaded only where it is on.
 * @throws {ConfigError} the auth file is wrong, or nobody could ever come in
 */
export async function openAuthentication(config: AuthenticationConfig): Promise<Authentication> {
  if (config.mode === 'off') {
    const message = 'Authentication is off: every caller is "anonymous" and may do everything';
    return config.onLoopback
      ? { level: 'info', message: `${message}; the service listens on this machine alone.` }
      : { level: 'warn', message: `${message}, and the service listens to others.` };
  }
  const [{ Authenticator }, { StaticTokens }, { OidcVerifier }, { Policy }] = await Promise.all([
    import('./auth/authenticator.js'),
    import('./auth/static-tokens.js'),
    import('./auth/oidc-verifier.js'),
    import('./auth/policy.js'),
  ]);
  const { tokens, bindings } = config.file === undefined ? NOTHING : await readAuthFile(config.file);
  const { oidc } = config;
  if (tokens.length === 0 && oidc === undefined) throw new ConfigError(nobodyComesIn(config));
  const provider = oidc === undefined ? '' : ` and those of ${oidc.issuer}`;
  return {
    authenticator: new Authenticator(
      new StaticTokens(tokens),
      oidc === undefined ? undefined : new OidcVerifier(oidc),
      new Policy(bindings),
    ),
    level: bindings.length === 0 ? 'warn' : 'info',
    message:
      `Authentication is required, by ${counted(tokens.length, 'static token')}${provider}, ` +
      `with ${counted(bindings.length, 'binding')}${bindings.length === 0 ? ': nobody may do anything' : ''}.`,
  };
}

const NOTHING: AuthFile = { tokens: [], bindings: [] };

async function readAuthFile(path: string): Promise<AuthFile> {
  const { AuthFileError, parseAuthFile } = await import('./auth/auth-file.js');
  try {
    return parseAuthFile(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof AuthFileError) throw new ConfigError(`Wrong settings in ${path}:\n${error.message}`);
    throw new ConfigError(`AUTH_FILE cannot be read: ${(error as Error).message}`);
  }
}

function nobodyComesIn({ told, file }: AuthenticationConfig): string {
  const why = told ? 'AUTHENTICATION is required' : 'The service listens beyond this machine, so callers need a name';
  return (
    `${why}, and there is neither a token nor an identity provider that could give one. Choose:\n` +
    `  - a token: \`npm run token -- NAME\`, and put its entry into ${file ?? 'a file that AUTH_FILE names'};\n` +
    '  - an identity provider: OIDC_ISSUER and OIDC_AUDIENCE;\n' +
    '  - AUTHENTICATION=off: whoever reaches the service may read, change and delete everything.'
  );
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
