import type { ClientBase } from 'pg';
import { PARAM_SELECTING_KINDS } from '../core/admission/policies/param-selection.js';
import type { CommitPlan } from './plan-commit.js';
import type { SnapshotScope } from './revision.js';

/** What a snapshot says about how far kinds are known. */
export interface SnapshotPositions {
  /** The kinds that it covers completely, with the resourceVersions of their lists; null where it has none. */
  readonly complete: ReadonlyMap<string, string | null>;
  /** The kinds whose stored objects are no longer those of their former position. */
  readonly touched: readonly string[];
  /** Whether policies came without the ConfigMaps that they may take as params: the data of those was left out when they came. */
  readonly needsParams: boolean;
}

export function positionsOf(
  { kinds, namespaces }: SnapshotScope,
  positions: ReadonlyMap<string, string>,
  { counts, moved, skipStaged }: Pick<CommitPlan, 'counts' | 'moved' | 'skipStaged'>,
): SnapshotPositions {
  const isComplete = namespaces === null;
  const touched = new Set(isComplete ? [] : kinds);
  for (const [kind, { added, changed, removed }] of counts) if (added + changed + removed > 0) touched.add(kind);
  for (const key of moved.keys()) touched.add(key.slice(0, key.indexOf('\0')));
  // Another writer stored these rows at the same time, perhaps with other resourceVersions.
  if (skipStaged.length > 0) for (const kind of counts.keys()) touched.add(kind);
  const selects = PARAM_SELECTING_KINDS.some((kind) => {
    const { added = 0, changed = 0 } = counts.get(kind) ?? {};
    return added + changed > 0;
  });
  return {
    complete: new Map(isComplete ? kinds.map((kind) => [kind, positions.get(kind) ?? null]) : []),
    touched: [...touched].sort(),
    needsParams: selects && !(isComplete && kinds.includes('ConfigMap')),
  };
}

/** Moves the positions of kinds to those of a snapshot, in its transaction. */
export async function placeSnapshot(
  client: ClientBase,
  clusterId: number,
  { complete, touched, needsParams }: SnapshotPositions,
): Promise<void> {
  if (needsParams) {
    await client.query(
      `update kind_positions set snapshot_needed = true where cluster_id = $1 and kind = 'ConfigMap'`,
      [clusterId],
    );
  }
  if (touched.length > 0) {
    await client.query(
      `update kind_positions set resource_version = null, count = null, hash = null, stream = null, sequence = null
       where cluster_id = $1 and kind = any($2::text[])`,
      [clusterId, touched],
    );
  }
  if (complete.size === 0) return;
  await client.query(
    `insert into kind_positions (cluster_id, kind, resource_version)
     select c.id, kind, resource_version
     from clusters c cross join unnest($2::text[], $3::text[]) as k (kind, resource_version) where c.id = $1
     on conflict (cluster_id, kind) do update
     set resource_version = excluded.resource_version, snapshot_needed = false, stream = null, sequence = null`,
    [clusterId, [...complete.keys()], [...complete.values()]],
  );
}
