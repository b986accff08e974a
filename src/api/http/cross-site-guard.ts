import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../app/errors/service-error.js';
import type { AllowedMethods } from './allowed-methods.js';
import { HostCheck } from './host-check.js';

export interface CrossSiteSettings {
  /** Absent: the service accepts any host name. */
  readonly hosts: HostCheck | undefined;
  /** Origins whose pages may read and write, such as `https://dash.example`. */
  readonly allowedOrigins: readonly string[];
  /** The public origin of the service, if it is set. */
  readonly publicOrigin: string | undefined;
}

/** Orchestrators probe these by whatever address they know; the responses expose nothing sensitive. */
const HEALTH = new Set(['/healthz', '/readyz']);

/** Headers that pages of allowed origins may send and read besides those that CORS always allows. */
const REQUEST_HEADERS = [
  ...['accept', 'authorization', 'content-encoding', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'],
  ...['last-event-id', 'traceparent', 'tracestate', 'x-request-id'],
].join(', ');
const RESPONSE_HEADERS = [
  ...['allow', 'content-disposition', 'etag', 'idempotency-replayed', 'link', 'location', 'ratelimit'],
  ...['ratelimit-policy', 'retry-after', 'www-authenticate', 'x-request-id'],
].join(', ');
/** How long a browser may cache the response to a preflight, in seconds. */
const PREFLIGHT_SECONDS = 600;

/**
 * Rejects requests that pages of other sites make a browser send, and answers preflights. Without authentication, there
 * is no other way to distinguish the user from a page that the user visits.
 *
 * Must run before authentication: a preflight has no token.
 */
export function installCrossSiteGuard(
  fastify: FastifyInstance,
  settings: CrossSiteSettings,
  methods: AllowedMethods,
): void {
  const guard = new CrossSiteGuard(settings, methods);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!guard.admit(request, reply)) return;
    done();
  });
}

class CrossSiteGuard {
  private readonly allowedOrigins: ReadonlySet<string>;

  constructor(
    private readonly settings: CrossSiteSettings,
    private readonly methods: AllowedMethods,
  ) {
    this.allowedOrigins = new Set(settings.allowedOrigins);
  }

  /**
   * @returns false if the request has been answered
   * @throws {ServiceError} `malformed-http`, `host-not-allowed`, `cross-site-request`
   */
  admit(request: FastifyRequest, reply: FastifyReply): boolean {
    reply.header('cross-origin-resource-policy', 'same-origin');
    if (this.allowedOrigins.size > 0) reply.header('vary', 'Origin');
    this.checkHost(request);
    const { origin } = request.headers;
    const allowed = origin !== undefined && this.allowedOrigins.has(origin);
    if (allowed) showTo(origin, reply);
    else this.checkOrigin(request);
    return !(allowed && this.answerPreflight(request, reply));
  }

  private checkHost(request: FastifyRequest): void {
    const hosts = hostHeaders(request);
    if (hosts.length > 1)
      throw new ServiceError('malformed-http', 'The request has more than one Host header; send exactly one.');
    if (hosts.length === 0 && request.raw.httpVersion !== '1.0') {
      throw new ServiceError('malformed-http', 'The request has no Host header; send one.');
    }
    const { hosts: check } = this.settings;
    if (check === undefined || HEALTH.has(request.routeOptions.url ?? '')) return;
    // Behind a proxy both hosts count: a page that uses DNS rebinding can send any X-Forwarded-Host.
    const named = [...hosts, ...(request.host === hosts[0] ? [] : [request.host])].filter((host) => host !== '');
    const wrong = named.find((host) => !check.allows(host));
    if (wrong === undefined) return;
    throw new ServiceError(
      'host-not-allowed',
      `The service does not accept requests for the host ${JSON.stringify(wrong.slice(0, 300))}. Use localhost, or add the host to ALLOWED_HOSTS.`,
    );
  }

  private checkOrigin(request: FastifyRequest): void {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (origin !== undefined && !this.isOwn(origin, request)) {
      throw crossSite(`Pages of the origin ${JSON.stringify(origin.slice(0, 300))}`);
    }
    // Browsers send `none` for what the user typed; scripts cannot set this header.
    if (site === undefined || site === 'same-origin' || site === 'none' || isNavigation(request)) return;
    throw crossSite('Pages of other sites');
  }

  private isOwn(origin: string, request: FastifyRequest): boolean {
    if (origin === this.settings.publicOrigin) return true;
    if (!/^https?:\/\//.test(origin)) return false;
    // The scheme is not compared: behind a proxy that terminates TLS it differs from the service's own.
    const { headers, host } = request;
    return [headers.host, host].some((own) => own !== undefined && own !== '' && sameHost(origin, own));
  }

  private answerPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false;
    const path = request.url.split('?', 1)[0] ?? '';
    void reply
      .code(204)
      .header('access-control-allow-methods', this.methods.of(path).join(', '))
      .header('access-control-allow-headers', REQUEST_HEADERS)
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .header('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
      .send();
    return true;
  }
}

/** All Host headers; Node keeps only the first. */
function hostHeaders({ raw: { rawHeaders } }: FastifyRequest): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
}

/** Whether an origin has this host and port; the default port may be omitted or present. */
function sameHost(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: wanted } = new URL(origin);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === wanted;
}

/** A navigation shows the response only to the user; a frame would show it inside another site's page. */
function isNavigation({ method, headers, ws }: FastifyRequest): boolean {
  return (
    !ws &&
    (method === 'GET' || method === 'HEAD') &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

function showTo(origin: string, reply: FastifyReply): void {
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', RESPONSE_HEADERS);
  reply.header('cross-origin-resource-policy', 'cross-origin');
}

function crossSite(who: string): ServiceError {
  return new ServiceError(
    'cross-site-request',
    `${who} may not use this service. To allow them, add the origin to ALLOWED_ORIGINS; behind a proxy that changes the ` +
      'Host header, set PUBLIC_URL.',
  );
}
