import { SpanKind } from '@opentelemetry/api';
import type pg from 'pg';
import { traced } from '../tracing/tracing.js';

/** Statements are many, but not without end; the names of the first ones are kept. */
const MOST_NAMES = 1000;
/** Characters of a statement. */
const MOST_TEXT = 2000;

/** What `pg.Client.query` takes: a text, an object with one, or a stream such as COPY's. */
type Query = (...given: readonly unknown[]) => unknown;

/**
 * Gives each statement of a connection a span, if it belongs to one. Values are parameters, so the text has none.
 *
 * Source of the names: OpenTelemetry semantic conventions 1.33, database client spans.
 */
export function traceStatements(client: pg.Client): void {
  const plain = client.query.bind(client) as Query;
  const spanned: Query = (...given) => {
    const text = textOf(given[0]);
    // A stream is no promise, and neither is a statement with a callback.
    if (text === undefined || typeof given.at(-1) === 'function') return plain(...given);
    return traced(nameOf(text), () => plain(...given) as Promise<unknown>, {
      kind: SpanKind.CLIENT,
      onlyWithin: true,
      attributes: () => ({ 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, MOST_TEXT) }),
    });
  };
  client.query = spanned as typeof client.query;
}

function textOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return statement;
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return undefined;
  const { text } = statement as { readonly text?: unknown };
  return typeof text === 'string' ? text : undefined;
}

const names = new Map<string, string>();

/** `SELECT revisions`: what the statement does, and the first table that it names. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const verb = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'QUERY';
  const table = /\b(?:from|into|update|table)\s+(?:only\s+)?"?(\w+)/i.exec(text)?.[1];
  const name = table === undefined ? verb : `${verb} ${table}`;
  if (names.size < MOST_NAMES) names.set(text, name);
  return name;
}
