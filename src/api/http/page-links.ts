import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Clients reject headers of about 16 KB; a URL with a scenario may be far longer. */
const MAX_LINK_LENGTH = 4096;

/** Adds a Link header with the next page to lists that are read with GET (RFC 8288). */
export function installPageLinks(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, reply, payload: unknown, done) => {
    const token =
      typeof payload === 'object' && payload !== null && 'continue' in payload ? payload.continue : undefined;
    if (typeof token === 'string' && reply.statusCode === 200) linkNext(request, reply, token);
    done(null, payload);
  });
}

/** The link is relative to the origin and includes the path prefix of the service. */
export function linkNext(request: FastifyRequest, reply: FastifyReply, token: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') return;
  const [path = '', query = ''] = request.url.split('?', 2);
  // Other parameters are copied unchanged.
  const others = query.split('&').filter((part) => part !== '' && !/^continue(=|$)/.test(part));
  const { basePath } = request.server as FastifyInstance & { readonly basePath: string };
  const address = `${basePath}${path}?${[...others, `continue=${token}`].join('&')}`;
  if (address.length > MAX_LINK_LENGTH) return;
  reply.header('link', `<${address.replace(/[<>"\\^`{|}]/g, encodeURIComponent)}>; rel="next"`);
}
