import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.js';
import { LateProgress, Progress } from './progress.js';
import { Time } from './time.js';

/**
 * The answer to a question, or what there is instead: progress, or what went wrong. An answer that could not be renewed stays,
 * with its age. A question that takes long can be cancelled, and asked again.
 */
export function Answer<Data>({
  of,
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
  const { data, error, dataUpdatedAt, refetch, isFetching, isEnabled, isPlaceholderData } = of;
  const isReadingMore = 'isFetchingNextPage' in of && of.isFetchingNextPage === true;
  const cancel = useCancel(refetch);
  const again = (title: string): ReactNode => (
    <button type="button" disabled={isFetching} onClick={() => void refetch()}>
      {title}
    </button>
  );
  // One that is not enabled waits for another, whose answer it needs.
  const isCancelled = !isFetching && isEnabled && error === null;
  if (data === undefined) {
    const instead =
      error !== null ? (
        <Failure error={error}>{again('Try again')}</Failure>
      ) : isCancelled ? (
        <p role="status">Cancelled. {again('Ask again')}</p>
      ) : (
        <Progress onCancel={isEnabled ? cancel : undefined}>Reading {what}…</Progress>
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
          As of <Time at={new Date(dataUpdatedAt).toISOString()} />: {error.message} {again('Try again')}
        </div>
      )}
      {isPlaceholderData && isFetching && (
        <LateProgress onCancel={cancel}>Reading {what}… Until then you see the answer before.</LateProgress>
      )}
      {isPlaceholderData && isCancelled && (
        <div className="stale" role="status">
          Cancelled. You see the answer before. {again('Ask again')}
        </div>
      )}
      {children(data)}
      {isReadingMore && <LateProgress onCancel={cancel}>Reading more…</LateProgress>}
    </>
  );
}

/** Cancels the question of a result: the connection is closed, and the service stops working on it. */
function useCancel(refetch: UseQueryResult['refetch']): () => void {
  const client = useQueryClient();
  return () => {
    // A result does not name its question; `refetch` belongs to its observer alone.
    const question = client
      .getQueryCache()
      .getAll()
      .find(({ observers }) => observers.some((observer) => observer.getCurrentResult().refetch === refetch));
    if (question !== undefined) void client.cancelQueries({ queryKey: question.queryKey, exact: true });
  };
}
