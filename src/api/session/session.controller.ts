import { Controller, Get, Inject, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../app/errors/service-error.js';
import type { RequestContext } from '../../app/request-context.js';
import { IdentityProviderUnavailableError, UnauthenticatedError } from '../../auth/authentication-error.js';
import { Public } from '../access/require-permission.js';
import { providerUnavailable } from '../errors/provider-unavailable.js';
import { Ctx } from '../http/request-context.decorator.js';
import { BrowserSessions } from './browser-sessions.js';

/** Injection token: the sessions of browsers, or undefined if people cannot log in. */
export const BROWSER_SESSIONS = Symbol('browser sessions');
/** Injection token: whether callers authenticate. */
export const AUTHENTICATION_REQUIRED = Symbol('authentication required');

const PAGE = '/ui/';
const MAX_RETURN = 4000;

/** How people log in and out with a browser. */
@Controller('session')
export class SessionController {
  constructor(
    @Inject(BROWSER_SESSIONS) private readonly browsers: BrowserSessions | undefined,
    @Inject(AUTHENTICATION_REQUIRED) private readonly isRequired: boolean,
  ) {}

  /** Who is logged in, and how to log in. */
  @Get()
  @Public()
  async read(@Req() request: FastifyRequest, @Ctx() { now }: RequestContext): Promise<object> {
    const found = await this.browsers?.callerOf(request, now);
    return {
      authentication: this.isRequired ? 'required' : 'off',
      login: this.browsers === undefined ? null : 'session/login',
      user: found === undefined ? null : found.caller.name,
    };
  }

  /** Sends the browser to the identity provider. */
  @Get('login')
  @Public()
  async begin(
    @Query('returnTo') returnTo: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { login, cookies } = this.known();
    const { url, pending } = await reaching(() => login.begin(ownPath(returnTo)));
    cookies.setLogin(reply, pending);
    void reply.code(303).header('location', url).header('cache-control', 'no-store');
  }

  /** The browser comes back from the identity provider. */
  @Get('callback')
  @Public()
  async finish(
    @Req() request: FastifyRequest,
    @Ctx() { now }: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { login, sessions, cookies } = this.known();
    const pending = cookies.loginOf(request);
    if (pending === undefined) {
      throw new ServiceError('unauthenticated', 'This login has expired, or began in another browser. Log in again.');
    }
    const caller = await reaching(() => login.finish(queryOf(request), pending));
    const { id, expiresAt } = await sessions.open(caller, now);
    cookies.clearLogin(reply);
    cookies.setSession(reply, id, expiresAt);
    void reply.code(303).header('location', ownPath(pending.returnTo)).header('cache-control', 'no-store');
  }

  /** Closes the session. */
  @Post('logout')
  @Public()
  async end(
    @Req() request: FastifyRequest,
    @Ctx() { now }: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { sessions, cookies } = this.known();
    // Only an own page may log somebody out.
    if ((await this.known().callerOf(request, now)) !== undefined) await sessions.close(cookies.sessionOf(request)!);
    cookies.clearSession(reply);
    void reply.code(204);
  }

  private known(): BrowserSessions {
    if (this.browsers !== undefined) return this.browsers;
    throw new ServiceError(
      'route-not-found',
      'Nobody can log in here: no OIDC_CLIENT_ID is set. Send a token: `Authorization: Bearer ...`.',
    );
  }
}

/** A path of the dashboard; whatever else is asked for becomes its first page. */
function ownPath(path: string | undefined): string {
  if (path === undefined || path.length > MAX_RETURN || !path.startsWith(PAGE)) return PAGE;
  const base = 'http://service.invalid';
  const resolved = URL.canParse(path, base) ? new URL(path, base) : undefined;
  if (resolved?.origin !== base || !resolved.pathname.startsWith(PAGE)) return PAGE;
  return resolved.pathname + resolved.search + resolved.hash;
}

const queryOf = ({ url }: FastifyRequest): string => url.slice(url.indexOf('?') + 1 || url.length);

async function reaching<Result>(login: () => Promise<Result>): Promise<Result> {
  try {
    return await login();
  } catch (error) {
    if (error instanceof UnauthenticatedError) throw new ServiceError('unauthenticated', error.message);
    throw error instanceof IdentityProviderUnavailableError ? providerUnavailable(error) : error;
  }
}
