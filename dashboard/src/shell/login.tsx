import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { ServiceError, token } from '../api/service.js';
import { callerOf, logIn, logOut, session } from '../api/session.js';

/** Whether callers authenticate, and whether the service knows this one. */
export function useLogin() {
  const known = useQuery(session);
  const isRequired = known.data?.authentication === 'required';
  const caller = useQuery({ ...callerOf(undefined), enabled: isRequired });
  const isRefused = caller.error instanceof ServiceError && caller.error.status === 401;
  return {
    /** Before the service has said that callers authenticate, its answers do. */
    isIn: !isRequired || (caller.data !== undefined && !isRefused),
    isRefused,
    login: known.data?.login ?? null,
    why: caller.error,
  };
}

/** What it surrounds, for callers that the service knows; others log in first. What one looked at stays the address. */
export function LoginGate({ children }: { readonly children: ReactNode }) {
  const { isIn, isRefused, login, why } = useLogin();
  if (isIn) return children;
  if (!isRefused) return <p className="pending">{why?.message ?? 'Logging in…'}</p>;
  return <Login login={login} why={why} />;
}

function Login({ login, why }: { readonly login: string | null; readonly why: Error | null }) {
  const id = useId();
  const client = useQueryClient();
  const [given, setGiven] = useState('');
  const wasGiven = token.get() !== null;
  return (
    <main id="main" tabIndex={-1}>
      <title>Log in · kube-placement</title>
      <section className="panel login">
        <h1>Log in</h1>
        {wasGiven && <p role="alert">{why?.message}</p>}
        {login !== null && (
          <p>
            <button type="button" className="primary" onClick={() => logIn(login)}>
              Log in with the identity provider
            </button>
          </p>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            token.set(given.trim() === '' ? undefined : given.trim());
            void client.resetQueries();
          }}
        >
          <label htmlFor={id}>Or with a token, for this tab</label>
          <div className="field-row">
            <input
              id={id}
              type="password"
              autoComplete="off"
              spellCheck={false}
              value={given}
              onChange={({ target }) => setGiven(target.value)}
            />
            <button type="submit">Use the token</button>
          </div>
        </form>
      </section>
    </main>
  );
}

/** Who is logged in, and the way out. */
export function Account() {
  const client = useQueryClient();
  const { data } = useQuery(session);
  const caller = useQuery({ ...callerOf(undefined), enabled: data?.authentication === 'required' });
  if (data?.authentication !== 'required' || caller.data === undefined) return null;
  return (
    <span className="account">
      <bdi>{caller.data.name}</bdi>
      <button
        type="button"
        onClick={() => {
          void leave().then(() => client.resetQueries());
        }}
      >
        Log out
      </button>
    </span>
  );
}

/** Forgets the token, or ends the session. */
async function leave(): Promise<void> {
  if (token.get() === null) await logOut();
  else token.set(undefined);
}
