import {
  kindCountsResponse,
  snapshot,
  snapshotDetails,
  takenSnapshot,
  retentionResult,
} from '../../contract/snapshots/snapshot.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { ApplyRetention } from '../../app/snapshots/apply-retention.js';
import type { RevisionDetails } from '../../app/snapshots/get-revision.js';
import type { TakenSnapshot } from '../../app/snapshots/take-snapshot.js';
import type { KindCounts, Revision } from '../../storage/revision.js';
import type { Plain } from './plain.js';
import { snapshotReportShape } from './snapshot-report-shape.js';

export const KindCountsShape = responseClass(kindCountsResponse);
export type KindCountsShape = Response<typeof kindCountsResponse>;

export const SnapshotShape = responseClass(snapshot);
export type SnapshotShape = Response<typeof snapshot>;

export const SnapshotDetailsShape = responseClass(snapshotDetails);
export type SnapshotDetailsShape = Response<typeof snapshotDetails>;

export const TakenSnapshotShape = responseClass(takenSnapshot);
export type TakenSnapshotShape = Response<typeof takenSnapshot>;

export const RetentionResultShape = responseClass(retentionResult);
export type RetentionResultShape = Response<typeof retentionResult>;

export function snapshotShape(revision: Revision): Plain<SnapshotShape> {
  const { number, kind, capturedAt, receivedAt, backfill, source, author, scope, loadedKinds, kubernetesVersion } =
    revision;
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
    counts: kindCounts(revision.counts),
  };
}

export function snapshotDetailsShape({ basis, revision, report }: RevisionDetails): Plain<SnapshotDetailsShape> {
  return {
    basis,
    snapshot: snapshotShape(revision),
    report: report === null ? null : snapshotReportShape(report),
  };
}

export function takenSnapshotShape(snapshot: TakenSnapshot): Plain<TakenSnapshotShape> {
  const { counts, removals, report, ...taken } = snapshot;
  return {
    ...taken,
    counts: kindCounts(counts),
    removed: removals.map(({ kind, removed, first }) => ({
      kind,
      count: removed,
      first: first.map(({ namespace, name }) => ({ namespace, name })),
    })),
    report: snapshotReportShape(report),
  };
}

export function retentionResultShape(result: Awaited<ReturnType<ApplyRetention['run']>>): Plain<RetentionResultShape> {
  const { clusterName, dryRun, revisions, objectVersions, oldestRevision } = result;
  return { cluster: clusterName, dryRun, revisions, objectVersions, oldestRevision };
}

function kindCounts(counts: ReadonlyMap<string, KindCounts>): Plain<KindCountsShape>[] {
  return [...counts]
    .map(([kind, { added, changed, removed, unchanged }]) => ({ kind, added, changed, removed, unchanged }))
    .sort((a, b) => (a.kind < b.kind ? -1 : 1));
}
