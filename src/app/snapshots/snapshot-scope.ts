import { KINDS, type KeptKind } from '../../core/kubernetes/kinds.js';
import { isDns1123Label } from '../../core/kubernetes/validation/names.js';
import type { SnapshotScope } from '../../storage/revision.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/** The kinds and namespaces that a snapshot replaces, as in the request. */
export interface GivenScope {
  /** Absent: the kinds in the snapshot. */
  readonly kinds?: readonly string[];
  /** Absent: all namespaces. */
  readonly namespaces?: readonly string[];
}

/** A validated scope, with each kind once under its canonical name. */
export interface CheckedScope {
  readonly kinds: readonly KeptKind[] | null;
  readonly namespaces: readonly string[] | null;
}

/** The plural of a kind that another one shares needs the group: `podgroups.scheduling.x-k8s.io`. */
const KIND_BY_NAME: ReadonlyMap<string, KeptKind> = new Map(
  KINDS.flatMap(({ kind, plural, apiVersions: [version], servedAs }) => [
    [kind.toLowerCase(), kind],
    [servedAs === undefined ? plural : `${plural}.${version.slice(0, version.indexOf('/'))}`, kind],
  ]),
);

/**
 * Validates a scope. Kinds may have any name that kubectl accepts: `Pod`, `pod`, `pods`.
 * @throws {InvalidRequestError} naming every kind that is not stored and every invalid namespace
 */
export function checkScope({ kinds, namespaces }: GivenScope): CheckedScope {
  const details: ErrorDetail[] = [];
  const known = new Set<KeptKind>();
  for (const name of kinds ?? []) {
    const kind = KIND_BY_NAME.get(name.toLowerCase());
    if (kind !== undefined) known.add(kind);
    else {
      const message = `unknown kind ${quoted(name)}; known kinds are ${KINDS.map((info) => info.kind).join(', ')}`;
      details.push({ field: 'kinds', code: 'unknown-kind', message });
    }
  }
  for (const namespace of namespaces ?? []) {
    for (const message of isDns1123Label(namespace)) {
      details.push({
        field: 'namespaces',
        code: 'FieldValueInvalid',
        message: `Invalid value: ${quoted(namespace)}: ${message}`,
      });
    }
  }
  if (details.length > 0) throw new InvalidRequestError(details);
  return {
    kinds: kinds === undefined ? null : [...known],
    namespaces: namespaces === undefined ? null : [...new Set(namespaces)].sort(),
  };
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 300));

/** The kinds that occur in a stream. */
export interface OccurringKinds {
  /** Kinds with at least one object, or explicitly empty. */
  readonly kinds: readonly string[];
  /** Kinds with objects that were not stored, so it is unknown which other objects were deleted. */
  readonly incompleteKinds: readonly string[];
}

/** The scope of a snapshot: the kinds in the request, or else the kinds that it contains. */
export function scopeOf(given: CheckedScope, { kinds, incompleteKinds }: OccurringKinds): SnapshotScope {
  const incomplete = new Set(incompleteKinds);
  return {
    kinds: (given.kinds ?? kinds).filter((kind) => !incomplete.has(kind)).sort(),
    namespaces: given.namespaces,
  };
}
