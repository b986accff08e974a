import { KINDS, type KeptKind } from '../../core/kubernetes/kinds.js';
import { isDns1123Label } from '../../core/kubernetes/validation/names.js';
import type { SnapshotScope } from '../../storage/revision.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/** What the sender says that the snapshot is complete for. */
export interface GivenScope {
  /** Absent: the kinds that it contains. */
  readonly kinds?: readonly string[];
  /** Absent: all. */
  readonly namespaces?: readonly string[];
}

/** A sender's scope once it has been checked: kinds by their names, each once. */
export interface CheckedScope {
  readonly kinds: readonly KeptKind[] | null;
  readonly namespaces: readonly string[] | null;
}

const KIND_BY_NAME: ReadonlyMap<string, KeptKind> = new Map(
  KINDS.flatMap(({ kind, plural }) => [
    [kind.toLowerCase(), kind],
    [plural, kind],
  ]),
);

/**
 * Kinds may be said as kubectl takes them: `Pod`, `pod`, `pods`.
 * @throws {InvalidRequestError} naming every kind that is not kept and every namespace that cannot be one
 */
export function checkScope({ kinds, namespaces }: GivenScope): CheckedScope {
  const details: ErrorDetail[] = [];
  const known = new Set<KeptKind>();
  for (const name of kinds ?? []) {
    const kind = KIND_BY_NAME.get(name.toLowerCase());
    if (kind !== undefined) known.add(kind);
    else {
      const message = `unknown kind ${quoted(name)}; known are ${KINDS.map((info) => info.kind).join(', ')}`;
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

/** What a stream says of kinds. */
export interface OccurringKinds {
  /** Kinds that it has objects of, or says that there are none of. */
  readonly kinds: readonly string[];
  /** Kinds of which it has objects that could not be kept: what else it lacks of them is not known to be gone. */
  readonly incompleteKinds: readonly string[];
}

/** The scope of a snapshot: the kinds that its sender names, or else those that it contains. */
export function scopeOf(given: CheckedScope, { kinds, incompleteKinds }: OccurringKinds): SnapshotScope {
  const incomplete = new Set(incompleteKinds);
  return {
    kinds: (given.kinds ?? kinds).filter((kind) => !incomplete.has(kind)).sort(),
    namespaces: given.namespaces,
  };
}
