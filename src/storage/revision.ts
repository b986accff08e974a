import type { JsonValue } from '../core/json/json-value.js';

/** How a revision came to be: a snapshot, the former head said again after a backfill, or a change of taints or of settings made here. */
export type RevisionKind = 'snapshot' | 'restatement' | 'taintChange' | 'settings';

/** The kinds of revisions that are made here: they rest on what was captured before, and count from when they were made. */
export const MADE_HERE: readonly RevisionKind[] = ['taintChange', 'settings'];

/** From when on a revision holds: when it was captured, or made. */
export function holdsFrom({
  kind,
  capturedAt,
  receivedAt,
}: Pick<Revision, 'kind' | 'capturedAt' | 'receivedAt'>): Date {
  return MADE_HERE.includes(kind) ? receivedAt : capturedAt;
}

/**
 * What a snapshot is complete for. An object of the head that is inside and absent from the snapshot is gone; what is
 * outside carries over.
 *
 * Inside is: the kind is listed, and `namespaces` is null, or lists the object's namespace, or the object is
 * cluster-scoped (a kind that is listed is complete, whatever the namespaces; a Namespace object belongs to the
 * namespace that it names). So whoever narrows a snapshot to namespaces must not list `Node` unless it has all nodes.
 */
export interface SnapshotScope {
  readonly kinds: readonly string[];
  /** null: all namespaces. */
  readonly namespaces: readonly string[] | null;
}

/** Objects of one kind against the revision before. */
export interface KindCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Carried over ones included. */
  readonly unchanged: number;
}

/** One revision of a cluster. Its findings are read apart: there may be many. */
export interface Revision {
  readonly clusterId: number;
  readonly number: number;
  readonly kind: RevisionKind;
  /** When the state was so in the cluster. */
  readonly capturedAt: Date;
  readonly receivedAt: Date;
  readonly backfill: boolean;
  /** Where it came from, in the sender's words. */
  readonly source: string | null;
  readonly author: string | null;
  readonly scope: SnapshotScope;
  /** Every kind that this revision, or one that its state builds on, had in its scope. */
  readonly loadedKinds: readonly string[];
  readonly kubernetesVersion: string | null;
  /** What ingest counted, as it was given. */
  readonly stats: JsonValue;
  readonly counts: ReadonlyMap<string, KindCounts>;
  /** Nodes with changes that were made here and that no snapshot, and no audit event, has decided. */
  readonly unconfirmedNodes: number;
}

/** The largest number that a revision can have: its column's. */
export const LARGEST_REVISION = 2 ** 31 - 1;

/** Whether a revision could have this number. */
export function isRevisionNumber(number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= LARGEST_REVISION;
}

/** Whether an object is inside a scope, as `SnapshotScope` says. */
export function scopeContains(scope: SnapshotScope): (kind: string, namespace: string, name: string) => boolean {
  const kinds = new Set(scope.kinds);
  if (scope.namespaces === null) return (kind) => kinds.has(kind);
  const namespaces = new Set(scope.namespaces);
  return (kind, namespace, name) => {
    if (!kinds.has(kind)) return false;
    if (kind === 'Namespace') return namespaces.has(name);
    return namespace === '' || namespaces.has(namespace);
  };
}
