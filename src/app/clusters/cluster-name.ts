import { isDns1123Subdomain } from '../../core/kubernetes/validation/names.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';

/** Validates a cluster name: a DNS-1123 subdomain of at most 253 bytes, like the names of most Kubernetes objects. */
export function checkClusterName(name: string): void {
  const complaints = isDns1123Subdomain(name);
  if (complaints.length === 0) return;
  throw new InvalidRequestError(
    complaints.map((message) => ({
      field: 'cluster',
      code: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(name.slice(0, 300))}: ${message}`,
    })),
  );
}
