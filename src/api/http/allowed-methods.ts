import type { FastifyInstance } from 'fastify';
import { nearPath } from './near-path.js';

/** The methods of each path, to distinguish a wrong method (405) from a wrong path (404). */
export class AllowedMethods {
  private readonly routes: {
    readonly url: string;
    readonly pattern: RegExp;
    readonly methods: readonly string[];
  }[] = [];

  /** Registers every route that is added after this call. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      this.routes.push({ url, pattern: patternOf(url), methods: typeof method === 'string' ? [method] : method });
    });
  }

  /** The methods of a path, sorted; empty if nothing is served there. */
  of(path: string): string[] {
    const methods = this.routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => [...route.methods]);
    return [...new Set(methods)].sort();
  }

  /** The served path that was probably meant. */
  near(path: string): string | undefined {
    return nearPath(path, new Set(this.routes.map(({ url }) => url)));
  }
}

/** `/clusters/:cluster` as a regular expression; `*` matches the rest of the path. */
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
