const WELL_FORMED = /^[1-9]\d*$/;

/**
 * Compares two resourceVersions of one resource, as `CompareResourceVersion` of k8s.io/apimachinery/pkg/util/resourceversion v0.36.2:
 * as integers of any length. Undefined if either is not well formed.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!WELL_FORMED.test(a) || !WELL_FORMED.test(b)) return undefined;
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Whether a resourceVersion is known to be older than another; false where either is unknown or not well formed. */
export function isOlderVersion(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && (compareResourceVersions(a, b) ?? 0) < 0;
}
