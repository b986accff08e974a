import type { FastifyInstance } from 'fastify';

/** Knows which methods each path has, so that a wrong one is told from a wrong path. */
export class AllowedMethods {
  private readonly routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];

  /** Sees every route that is added from now on. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      this.routes.push({ pattern: patternOf(url), methods: typeof method === 'string' ? [method] : method });
    });
  }

  /** The methods of a path, sorted; none when nothing is served there. */
  of(path: string): string[] {
    const methods = this.routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => [...route.methods]);
    return [...new Set(methods)].sort();
  }
}

/** `/clusters/:cluster` as an expression; `*` takes the rest. */
function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => {
      if (part.startsWith(':')) return '[^/]+';
      return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
    })
    .join('/');
  return new RegExp(`^${source}$`);
}
