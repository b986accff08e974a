import type { FastifyInstance } from 'fastify';
import { nearPath } from './near-path.js';

/** Knows which methods each path has, so that a wrong one is told from a wrong path. */
export class AllowedMethods {
  private readonly routes: {
    readonly url: string;
    readonly pattern: RegExp;
    readonly methods: readonly string[];
  }[] = [];

  /** Sees every route that is added from now on. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      this.routes.push({ url, pattern: patternOf(url), methods: typeof method === 'string' ? [method] : method });
    });
  }

  /** The methods of a path, sorted; none when nothing is served there. */
  of(path: string): string[] {
    const methods = this.routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => [...route.methods]);
    return [...new Set(methods)].sort();
  }

  /** Where something is served that the path was probably meant for. */
  near(path: string): string | undefined {
    return nearPath(path, new Set(this.routes.map(({ url }) => url)));
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
