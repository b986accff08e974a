import { Client } from 'kube-placement-client';

export { ServiceError, type Schemas } from 'kube-placement-client';

/** The service's root: the page is in a folder below it, behind whatever prefix the browser knows. */
export const SERVICE = new URL('..', document.baseURI).href.replace(/\/$/, '');

const TOKEN = 'kube-placement.token';

/** A pasted token lives as long as the tab. */
export const token = {
  get: (): string | null => sessionStorage.getItem(TOKEN),
  set: (value: string | undefined): void => {
    if (value === undefined) sessionStorage.removeItem(TOKEN);
    else sessionStorage.setItem(TOKEN, value);
  },
};

/** Retries of what may pass last as long as a service takes to restart; nobody watches a page for longer. */
const RETRIES = { attempts: 5, maxWait: 10_000 };

/** Every question of the service, typed by its contract. */
export const service = new Client({
  baseUrl: SERVICE,
  token: () => token.get() ?? undefined,
  credentials: 'same-origin',
  retry: RETRIES,
});
