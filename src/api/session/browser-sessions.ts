import type { FastifyRequest } from 'fastify';
import type { Sessions } from '../../app/sessions/sessions.js';
import { ServiceError } from '../../app/errors/service-error.js';
import type { Authenticated, Authenticator } from '../../auth/authenticator.js';
import type { OidcLogin } from '../../auth/oidc-login.js';
import type { SessionCookies } from './session-cookies.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The sessions of people who logged in with a browser. */
export class BrowserSessions {
  constructor(
    readonly login: OidcLogin,
    readonly sessions: Sessions,
    readonly cookies: SessionCookies,
    private readonly authenticator: Authenticator,
  ) {}

  /**
   * The caller of a request with a session; undefined if it has none that is open.
   * @throws {ServiceError} `cross-site-request` for a request that changes something, of which it is not known which page sent it
   */
  async callerOf(request: FastifyRequest, now: Date): Promise<Authenticated | undefined> {
    const id = this.cookies.sessionOf(request);
    if (id === undefined) return undefined;
    const session = await this.sessions.find(id, now);
    if (session === undefined) return undefined;
    checkOwnPage(request);
    return this.authenticator.known(session.caller);
  }

  /** Whether a request has a session, open or not. */
  has(request: FastifyRequest): boolean {
    return this.cookies.sessionOf(request) !== undefined;
  }
}

/**
 * A cookie comes along with whatever a page makes the browser send. Requests of other pages have been refused before (see
 * cross-site-guard.ts); a request that changes something must also say that it comes from an own page.
 */
function checkOwnPage({ method, ws, headers: { origin, 'sec-fetch-site': site } }: FastifyRequest): void {
  if ((SAFE.has(method) && !ws) || origin !== undefined || site === 'same-origin') return;
  throw new ServiceError(
    'cross-site-request',
    'A session is only for pages of this service. Send a token instead: `Authorization: Bearer ...`.',
  );
}
