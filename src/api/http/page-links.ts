import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Clients refuse headers of some 16 KB; an address with a scenario may be far longer. */
const LONGEST_LINK = 4096;

/** Adds the address of the next page to pages of lists that are read with GET (RFC 8288). */
export function installPageLinks(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, reply, payload: unknown, done) => {
    const token =
      typeof payload === 'object' && payload !== null && 'continue' in payload ? payload.continue : undefined;
    if (typeof token === 'string' && reply.statusCode === 200) linkNext(request, reply, token);
    done(null, payload);
  });
}

/** The address is relative to the origin, and has the path that the service is reached under. */
export function linkNext(request: FastifyRequest, reply: FastifyReply, token: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') return;
  const [path = '', query = ''] = request.url.split('?', 2);
  // Other parameters stay as they were written.
  const others = query.split('&').filter((part) => part !== '' && !/^continue(=|$)/.test(part));
  const { basePath } = request.server as FastifyInstance & { readonly basePath: string };
  const address = `${basePath}${path}?${[...others, `continue=${token}`].join('&')}`;
  if (address.length > LONGEST_LINK) return;
  reply.header('link', `<${address.replace(/[<>"\\^`{|}]/g, encodeURIComponent)}>; rel="next"`);
}
