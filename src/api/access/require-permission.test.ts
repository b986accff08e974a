import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { CONTROLLERS } from '../rest/controllers.js';
import { RESOLVERS } from '../graphql/resolvers.js';
import { permissionRequirementOf } from './require-permission.js';

type AnyClass = abstract new (...args: never[]) => object;

/** The handler methods of these classes: Nest marks each with one of these metadata keys. */
function handlersOf(classes: readonly AnyClass[], ...marks: string[]): { name: string; handler: object }[] {
  return classes.flatMap((type) => {
    const prototype = type.prototype as Record<string, unknown>;
    const methods = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
    return methods.flatMap((method) => {
      const handler = prototype[method];
      if (typeof handler !== 'function' || !marks.some((mark) => Reflect.hasMetadata(mark, handler))) return [];
      return [{ name: `${type.name}.${method}`, handler }];
    });
  });
}

const routes = handlersOf(CONTROLLERS, 'path');
const fields = handlersOf(RESOLVERS, 'graphql:resolver_type', 'graphql:resolve_property');

describe('every operation declares a permission', () => {
  it('includes routes and fields', () => {
    expect(routes.length).toBeGreaterThan(30);
    expect(fields.length).toBeGreaterThan(25);
  });

  it.each([...routes, ...fields])('$name', ({ handler }) => {
    expect(permissionRequirementOf(handler)).toBeDefined();
  });

  it('only pages, logins, health checks and documentation are public', () => {
    const open = routes
      .filter(({ handler }) => permissionRequirementOf(handler)?.permission === 'nobody')
      .map(({ name }) => name);
    expect(open.map((name) => name.split('.')[0])).not.toContain('MetricsController');
    expect(new Set(open.map((name) => name.split('.')[0]))).toEqual(
      new Set([
        ...['HealthController', 'DocsController', 'GraphiqlController', 'IndexController'],
        ...['DashboardController', 'SessionController'],
      ]),
    );
    expect(fields.filter(({ handler }) => permissionRequirementOf(handler)?.permission === 'nobody')).toEqual([]);
  });
});
