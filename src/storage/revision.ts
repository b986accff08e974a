import type { JsonValue } from '../core/json/json-value.js';
import type { VersionSettings } from './version-settings.js';

/**
 * The origin of a revision: a snapshot, a delta, the former head restated after a backfill or a time correction, or a change of taints
 * or settings made through this service.
 */
export type RevisionKind = 'snapshot' | 'delta' | 'restatement' | 'taintChange' | 'settings';

/**
 * The kinds of revisions made by this service: they build on a state that was captured earlier, and count from their creation.
 */
export const MADE_HERE: readonly RevisionKind[] = ['taintChange', 'settings'];

/** The time from which a revision is valid: its capture, or its creation by this service. */
export function holdsFrom({
  kind,
  capturedAt,
  receivedAt,
}: Pick<Revision, 'kind' | 'capturedAt' | 'receivedAt'>): Date {
  return MADE_HERE.includes(kind) ? receivedAt : capturedAt;
}

/**
 * The part of the cluster that a snapshot covers completely. An object of the head that is inside and absent from the snapshot
 * is deleted; objects outside are carried over.
 *
 * An object is inside if its kind is listed, and `namespaces` is null, or lists the object's namespace, or the object is
 * cluster-scoped (a listed kind is complete, whatever the namespaces; a Namespace object belongs to the namespace with its
 * name). A snapshot of selected namespaces must therefore not list `Node` unless it has all nodes.
 */
export interface SnapshotScope {
  readonly kinds: readonly string[];
  /** null means all namespaces. */
  readonly namespaces: readonly string[] | null;
}

/** The numbers of objects of one kind, compared with the previous revision. */
export interface KindCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Includes objects that were carried over. */
  readonly unchanged: number;
}

/** One revision of a cluster. Its findings are read separately, because there may be many. */
export interface Revision extends VersionSettings {
  readonly clusterId: number;
  readonly number: number;
  readonly kind: RevisionKind;
  /** The time at which the cluster had this state. */
  readonly capturedAt: Date;
  readonly receivedAt: Date;
  readonly backfill: boolean;
  /** The origin, as described by the sender. */
  readonly source: string | null;
  readonly author: string | null;
  readonly scope: SnapshotScope;
  /** All kinds in the scope of this revision, or of revisions that it builds on. */
  readonly loadedKinds: readonly string[];
  /** The newest version of the nodes' kubelets. */
  readonly kubernetesVersion: string | null;
  /** The ingest counts, stored verbatim. */
  readonly stats: JsonValue;
  readonly counts: ReadonlyMap<string, KindCounts>;
  /** By kind, the resourceVersion at which the cluster had these objects; only kinds of which it is known. */
  readonly resourceVersions: ReadonlyMap<string, string>;
  /** The number of nodes with changes made through this service that no snapshot or audit event has confirmed or refuted. */
  readonly unconfirmedNodes: number;
}

/** The largest possible revision number: the maximum of its column's type. */
export const LARGEST_REVISION = 2 ** 31 - 1;

/** Whether a number is valid as a revision number. */
export function isRevisionNumber(number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= LARGEST_REVISION;
}

/** Whether an object is inside a scope, as defined by `SnapshotScope`. */
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
