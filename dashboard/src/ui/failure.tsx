import type { ReactNode } from 'react';
import { ServiceError } from '../api/service.js';

/** What went wrong, in the service's words, with every error that it names. */
export function Failure({ error, children }: { readonly error: unknown; readonly children?: ReactNode }) {
  const problem = error instanceof ServiceError ? error.problem : undefined;
  return (
    <div className="failure" role="alert">
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {problem?.errors !== undefined && problem.errors.length > 0 && (
        <ul>
          {problem.errors.map(({ pointer, message }, at) => (
            <li key={at}>
              {pointer !== undefined && <code>{pointer}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  );
}

/** In place of a view that failed. */
export function ViewFailure({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  return (
    <Failure error={error}>
      {reset !== undefined && (
        <button type="button" onClick={reset}>
          Try again
        </button>
      )}
    </Failure>
  );
}
