import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import { envelopeReading, furtherErrors } from './read-envelope.js';
import { queryReading } from './read-query.js';

/** What a REST request is read into. */
interface RequestClasses {
  /** Absent if the operation takes no query parameters. */
  readonly query: (new () => object) | undefined;
  /** Absent if the operation takes no body, or one whose format the service does not define. */
  readonly body: (new () => object) | undefined;
}

/**
 * Reads the query parameters and the body of a request, and reports the errors of both together. A body that its class does
 * not describe is returned unchanged. An absent body is read as an empty one, so that its missing members are reported.
 *
 * @param now the time of the request
 * @throws {InvalidRequestError}
 */
export function readRequest(
  classes: RequestClasses,
  given: { readonly query: Readonly<Record<string, unknown>>; readonly body: unknown },
  now: Date,
): { readonly query: object; readonly body: unknown } {
  const query = queryReading(classes.query, given.query);
  const body = classes.body && envelopeReading(classes.body, given.body ?? {});
  const errors = [...query.errors, ...(body?.errors ?? [])];
  if (errors.length === 0) return { query: query.envelope!, body: body === undefined ? given.body : body.envelope };
  throw new InvalidRequestError([
    ...errors,
    ...(classes.query === undefined ? [] : furtherErrors(classes.query, query, now)),
    ...(classes.body === undefined ? [] : furtherErrors(classes.body, body!, now)),
  ]);
}
