import type { ObjectRow } from '../core/cluster/object-row.js';
import { compareResourceVersions, isOlderVersion } from '../core/kubernetes/resource-version.js';
import { packKey } from './object-key.js';

/** An object that is gone, with the resourceVersion of its deletion. */
export interface DeltaDeletion {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** null: whichever object has the name. */
  readonly uid: string | null;
  readonly resourceVersion: string | null;
}

/** An object of the head. */
export interface StoredVersion {
  /** The revision from which on its row is valid; absent if it is not stored yet. */
  readonly validFrom?: number;
  readonly uid: string | null;
  readonly resourceVersion: string | null;
  /** In hexadecimal. */
  readonly hash: string;
}

/** What becomes of one object. */
export interface ObjectOutcome {
  readonly key: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly before: StoredVersion | undefined;
  readonly after: StoredVersion | undefined;
  /** The row with the content of `after`; absent if that is `before`. */
  readonly row: ObjectRow | undefined;
}

export interface DeltaPlan {
  /** The objects that the delta says something new about. */
  readonly outcomes: readonly ObjectOutcome[];
  /** What is older than what is stored. */
  readonly ignored: { readonly upserts: number; readonly deletions: number };
}

type Event =
  | { readonly type: 'upsert'; readonly row: ObjectRow; readonly resourceVersion: string | null }
  | { readonly type: 'deletion'; readonly deletion: DeltaDeletion; readonly resourceVersion: string | null };

/**
 * Applies the upserts and deletions of a delta to the objects of the head, each object's in the order of their resourceVersions.
 *
 * What is older than what is stored is ignored. So is the upsert of an object that is not there if it is not newer than `knownAt`:
 * the kind was complete at that resourceVersion without it. A deletion concerns the object with its uid, not a later one of the same name.
 * Where a resourceVersion is missing or no integer, the order of arrival counts, deletions before upserts.
 */
export function planDelta(
  { rows, deletions }: { readonly rows: readonly ObjectRow[]; readonly deletions: readonly DeltaDeletion[] },
  stored: ReadonlyMap<string, StoredVersion>,
  knownAt: (kind: string) => string | null,
): DeltaPlan {
  const events = new Map<string, Event[]>();
  const put = (key: string, event: Event): void => {
    const ofKey = events.get(key);
    if (ofKey === undefined) events.set(key, [event]);
    else ofKey.push(event);
  };
  for (const deletion of deletions) {
    const { kind, namespace, name, resourceVersion } = deletion;
    put(packKey(kind, namespace, name), { type: 'deletion', deletion, resourceVersion });
  }
  for (const row of rows) {
    put(packKey(row.kind, row.namespace, row.name), { type: 'upsert', row, resourceVersion: row.resourceVersion });
  }
  const ignored = { upserts: 0, deletions: 0 };
  const outcomes: ObjectOutcome[] = [];
  for (const [key, ofKey] of events) {
    const [kind, namespace, name] = key.split('\0') as [string, string, string];
    const before = stored.get(key);
    let after = before;
    let row: ObjectRow | undefined;
    let says = false;
    for (const event of inOrder(ofKey)) {
      const isStale =
        event.type === 'upsert'
          ? isStaleUpsert(event.row, after, after === undefined && before === undefined ? knownAt(kind) : null)
          : isStaleDeletion(event.deletion, after);
      if (isStale) {
        ignored[event.type === 'upsert' ? 'upserts' : 'deletions'] += 1;
        continue;
      }
      says = true;
      row = event.type === 'upsert' ? event.row : undefined;
      after = row === undefined ? undefined : versionOf(row);
    }
    if (says) outcomes.push({ key, kind, namespace, name, before, after, row });
  }
  return { outcomes, ignored };
}

function isStaleUpsert(
  { resourceVersion }: ObjectRow,
  known: StoredVersion | undefined,
  knownAt: string | null,
): boolean {
  if (known !== undefined) return isOlderVersion(resourceVersion, known.resourceVersion);
  if (resourceVersion === null || knownAt === null) return false;
  return (compareResourceVersions(resourceVersion, knownAt) ?? 1) <= 0;
}

function isStaleDeletion({ uid, resourceVersion }: DeltaDeletion, known: StoredVersion | undefined): boolean {
  if (known === undefined) return true;
  if (uid !== null && known.uid !== null && uid !== known.uid) return true;
  return isOlderVersion(resourceVersion, known.resourceVersion);
}

/** In the order of resourceVersions where all have one; of equal ones, in the order of arrival. */
function inOrder(events: readonly Event[]): readonly Event[] {
  const isOrdered = events.every(({ resourceVersion }) => {
    return resourceVersion !== null && compareResourceVersions(resourceVersion, resourceVersion) === 0;
  });
  if (!isOrdered) return events;
  return [...events].sort((a, b) => compareResourceVersions(a.resourceVersion!, b.resourceVersion!) ?? 0);
}

const versionOf = ({ uid, resourceVersion, hash }: ObjectRow): StoredVersion => ({
  uid,
  resourceVersion,
  hash: Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex'),
});
