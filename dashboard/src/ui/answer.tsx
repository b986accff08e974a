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
  heading,
}: {
  readonly of: UseQueryResult<Data>;
  readonly what: string;
  /** The view's, while there is no answer: the answer brings its own. */
  readonly heading?: string;
  readonly children: (data: Data) => ReactNode;
}) {
  const again = (
    <button type="button" disabled={isFetching} onClick={() => void refetch()}>
      Try again
    </button>
  );
  if (data === undefined) {
    const instead =
      isPending && error === null ? (
        <p className="pending" role="status">
          Reading {what}…
        </p>
      ) : (
        <Failure error={error}>{again}</Failure>
      );
    if (heading === undefined) return instead;
    return (
      <section className="panel">
        <h1>{heading}</h1>
        {instead}
      </section>
    );
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
