import { aggregateText, fieldErrorText } from '../kubernetes/error-aggregate.js';
import type { FieldError } from '../kubernetes/field-error.js';
import { quoteGo } from '../kubernetes/go-text.js';

/** An error in kubectl, before it is printed. */
export type Failure =
  | { readonly from: 'kubectl'; readonly message: string }
  /** A kind of resource that the API server does not have. */
  | { readonly from: 'discovery'; readonly message: string }
  | { readonly from: 'server'; readonly reason: 'NotFound' | 'BadRequest'; readonly message: string }
  | {
      readonly from: 'server';
      readonly reason: 'Invalid';
      readonly node: string;
      readonly causes: readonly FieldError[];
    }
  | { readonly from: 'several'; readonly failures: readonly Failure[] };

/** An error that kubectl itself raises. */
export const failure = (message: string): Failure => ({ from: 'kubectl', message });

/** The API server's error for an unknown node. */
export const nodeNotFound = (name: string): Failure => notFound('nodes', name);

/** The API server's error for an unknown object. */
export const notFound = (plural: string, name: string): Failure => ({
  from: 'server',
  reason: 'NotFound',
  message: `${plural} ${quoteGo(name)} not found`,
});

/** Combines errors; a single one is returned unchanged. */
export const severalFailures = (failures: readonly Failure[]): Failure =>
  failures.length === 1 && failures[0] !== undefined ? failures[0] : { from: 'several', failures };

/** What kubectl writes to stderr when a command ends with an error, including the line feed. */
export function printedFailure(error: Failure): string {
  const text = printed(error);
  return text.endsWith('\n') ? text : `${text}\n`;
}

/**
 * `checkErr` of k8s.io/kubectl v0.36.2, pkg/cmd/util/helpers.go. Several errors are printed one per line without `error: `; a
 * validation error has its own format if it is the only error.
 */
function printed(error: Failure): string {
  if (error.from === 'several') return error.failures.map((one) => `${standardMessage(one)}\n`).join('');
  if (error.from === 'server' && error.reason === 'Invalid') {
    const prefix = `The Node ${quoteGo(error.node)} is invalid: `;
    const causes = [...new Set(error.causes.map(fieldErrorText))];
    return causes.length === 1
      ? `${prefix}${causes[0] ?? ''}`
      : [prefix, ...causes.map((cause) => `* ${cause}`)].join('\n');
  }
  const text = standardMessage(error);
  return error.from === 'kubectl' && !text.startsWith('error: ') ? `error: ${text}` : text;
}

const standardMessage = (error: Failure): string =>
  error.from === 'server' ? `Error from server (${error.reason}): ${failureText(error)}` : failureText(error);

/** The text of an error within another one: several in brackets, without duplicates. */
export function failureText(error: Failure): string {
  if (error.from === 'several') {
    const texts = [...new Set(error.failures.map(failureText))];
    return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  }
  if (error.from === 'server' && error.reason === 'Invalid') {
    return `Node ${quoteGo(error.node)} is invalid: ${aggregateText(error.causes)}`;
  }
  return error.message;
}
