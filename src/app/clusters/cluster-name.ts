import { isDns1123Subdomain } from '../../core/kubernetes/validation/names.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/** What is wrong with a cluster name: it is a DNS-1123 subdomain of at most 253 bytes, like the names of most Kubernetes objects. */
export const clusterNameErrors = (name: string): readonly ErrorDetail[] =>
  isDns1123Subdomain(name).map((message) => ({
    field: 'cluster',
    code: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(name.slice(0, 300))}: ${message}`,
  }));

/** @throws {InvalidRequestError} for an invalid name */
export function checkClusterName(name: string): void {
  const errors = clusterNameErrors(name);
  if (errors.length > 0) throw new InvalidRequestError(errors);
}
