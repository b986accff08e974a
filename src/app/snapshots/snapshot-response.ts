import type { kindCountsResponse, snapshot } from '../../contract/snapshots/snapshot.js';
import type { Response } from '../../contract/schema.js';
import type { KindCounts, Revision } from '../../storage/revision.js';

export function snapshotResponse(revision: Revision): Response<typeof snapshot> {
  const { number, kind, capturedAt, receivedAt, backfill, source, author, scope, loadedKinds, kubernetesVersion } =
    revision;
  const versions = [...revision.resourceVersions].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    revision: number,
    kind,
    capturedAt,
    receivedAt,
    backfill,
    source,
    author,
    scope,
    loadedKinds,
    kubernetesVersion,
    resourceVersions: versions.map(([kind, resourceVersion]) => ({ kind, resourceVersion })),
    counts: renderKindCounts(revision.counts),
  };
}

export function renderKindCounts(counts: ReadonlyMap<string, KindCounts>): Response<typeof kindCountsResponse>[] {
  return [...counts]
    .map(([kind, { added, changed, removed, unchanged }]) => ({ kind, added, changed, removed, unchanged }))
    .sort((a, b) => (a.kind < b.kind ? -1 : 1));
}
