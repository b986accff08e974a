import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router';
import { readMoment } from './api/moment.js';
import { ClusterPage } from './shell/cluster-page.js';
import { NotFound } from './shell/not-found.js';
import { Shell } from './shell/shell.js';
import { ViewFailure } from './ui/failure.js';
import { CLUSTER_VIEWS } from './views.js';

/** What an address holds besides its path: the moment, and what its view makes of the rest. */
export interface Search {
  readonly revision?: number | undefined;
  readonly at?: string | undefined;
  readonly [parameter: string]: unknown;
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ViewFailure,
  validateSearch: ({ revision, at, ...rest }: Search): Search => ({ ...rest, ...readMoment({ revision, at }) }),
});

const fleet = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./views/fleet/fleet-view.js')),
});

const cluster = createRoute({
  getParentRoute: () => root,
  path: '/clusters/$cluster',
  beforeLoad: ({ params, search }) => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's way to redirect
    throw redirect({
      to: '/clusters/$cluster/$view',
      params: { ...params, view: CLUSTER_VIEWS[0]!.path },
      search,
      replace: true,
    });
  },
});

const view = createRoute({
  getParentRoute: () => root,
  path: '/clusters/$cluster/$view',
  component: ClusterPage,
  errorComponent: ViewFailure,
});

/** JSON, except for numbers: those that read back as they are written have been read already; `1.40` is a text. */
function readValue(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number') throw new TypeError('a number');
  return value;
}

export const router = createRouter({
  routeTree: root.addChildren([fleet, cluster, view]),
  parseSearch: parseSearchWith(readValue),
  stringifySearch: stringifySearchWith(JSON.stringify, readValue),
  basepath: new URL(document.baseURI).pathname.replace(/\/$/, ''),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
