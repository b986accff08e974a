import { queryOptions } from '@tanstack/react-query';
import { service, SERVICE } from './service.js';

/** Whether callers authenticate, how they log in, and who has. */
export interface SessionState {
  readonly authentication: 'required' | 'off';
  /** Path of the login, relative to the service; null if only tokens are accepted. */
  readonly login: string | null;
  readonly user: string | null;
}

export const session = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<SessionState> => {
    const response = await fetch(`${SERVICE}/session`, { signal, headers: { accept: 'application/json' } });
    if (!response.ok) throw new Error(`The service answers ${response.status}.`);
    return (await response.json()) as SessionState;
  },
});

/** Who asks, and what the caller may do with a cluster. */
export const callerOf = (cluster: string | undefined) =>
  queryOptions({
    queryKey: ['caller', cluster],
    queryFn: ({ signal }) =>
      service.get('/api/v1/caller', {
        query: { ...(cluster !== undefined && { cluster }) },
        signal,
      }),
  });

/** To the identity provider, and back to this page. */
export function logIn(login: string): void {
  const { pathname, search } = window.location;
  // The service may be behind a prefix that it does not know.
  const own = pathname.slice(new URL(SERVICE).pathname.replace(/\/$/, '').length) + search;
  window.location.assign(`${SERVICE}/${login}?returnTo=${encodeURIComponent(own)}`);
}

export async function logOut(): Promise<void> {
  await fetch(`${SERVICE}/session/logout`, { method: 'POST' });
}
