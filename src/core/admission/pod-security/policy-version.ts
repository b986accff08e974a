/**
 * A version of the pod security standards: `latest`, or a minor version of Kubernetes such as `v1.25`.
 *
 * Source: k8s.io/pod-security-admission v0.36.2, api/helpers.go.
 */
export type PolicyVersion = 'latest' | `v1.${string}`;

const MINOR = /^v1\.(0|[1-9]\d*)$/;
const MAX_INT = 9223372036854775807n;

/** @returns undefined for a text that names no version */
export function parseVersion(text: string): PolicyVersion | undefined {
  if (text === 'latest') return text;
  const minor = MINOR.exec(text)?.[1];
  return minor === undefined || BigInt(minor) > MAX_INT ? undefined : `v1.${minor}`;
}

/** Larger than that of every other version for `latest`. */
export const minorOf = (version: PolicyVersion): number =>
  version === 'latest' ? Number.POSITIVE_INFINITY : Number(version.slice('v1.'.length));
