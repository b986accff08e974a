import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.js';
import { Time } from './time.js';

/**
 * The answer to a question, or what there is instead: progress, or what went wrong. An answer that could not be renewed stays,
 * with its age.
 */
export function Answer<Data>({
  of: { data, error, isPending, dataUpdatedAt, refetch, isFetching },
  children,
  what,
}: {
  readonly of: UseQueryResult<Data>;
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}) {
  const again = (
    <button type="button" disabled={isFetching} onClick={() => void refetch()}>
      Try again
    </button>
  );
  if (data === undefined) {
    if (isPending && error === null) {
      return (
        <p className="pending" role="status">
          Reading {what}…
        </p>
      );
    }
    return <Failure error={error}>{again}</Failure>;
  }
  return (
    <>
      {error !== null && (
        <div className="stale" role="status">
          As of <Time at={new Date(dataUpdatedAt).toISOString()} />: {error.message} {again}
        </div>
      )}
      {children(data)}
    </>
  );
}
