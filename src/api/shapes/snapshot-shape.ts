import { ObjectType } from '@nestjs/graphql';
import type { ApplyRetention } from '../../app/snapshots/apply-retention.js';
import type { RevisionDetails } from '../../app/snapshots/get-revision.js';
import type { TakenSnapshot } from '../../app/snapshots/take-snapshot.js';
import type { KindCounts, Revision } from '../../storage/revision.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';
import { SnapshotReportShape, snapshotReportShape } from './snapshot-report-shape.js';

@ObjectType('KindCounts', { description: 'Objects of one kind against the revision before.' })
export class KindCountsShape {
  @Shown({ type: 'string', description: 'The kind.', example: 'Pod' })
  kind!: string;

  @Shown({ type: 'integer', description: 'New ones.', example: 2 })
  added!: number;

  @Shown({ type: 'integer', description: 'Those that differ.', example: 5 })
  changed!: number;

  @Shown({ type: 'integer', description: 'Those that are gone.', example: 1 })
  removed!: number;

  @Shown({ type: 'integer', description: 'Those that are the same, carried over ones included.', example: 40 })
  unchanged!: number;
}

@ObjectType('RemovedObject', { description: 'A stored object that a snapshot removed.' })
export class RemovedObjectShape {
  @Shown({ type: 'string', description: 'The namespace; empty for kinds that have none.', example: '' })
  namespace!: string;

  @Shown({ type: 'string', description: 'The name.', example: 'worker-3' })
  name!: string;
}

@ObjectType('RemovedObjects', { description: 'Stored objects of one kind that a snapshot removed.' })
export class RemovedObjectsShape {
  @Shown({ type: 'string', description: 'The kind.', example: 'Node' })
  kind!: string;

  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  count!: number;

  @Shown({ type: () => RemovedObjectShape, list: true, description: 'The first ten of them.' })
  first!: readonly Plain<RemovedObjectShape>[];
}

@ObjectType('SnapshotScope', {
  description: 'What a snapshot replaces: stored objects inside it that are missing are removed, others carry over.',
})
export class SnapshotScopeShape {
  @Shown({ type: 'string', list: true, description: 'The kinds.', example: ['Node', 'Pod'] })
  kinds!: readonly string[];

  @Shown({ type: 'string', list: true, optional: true, description: 'The namespaces; null for all.', example: null })
  namespaces!: readonly string[] | null;
}

export const REVISION_KIND = wordsType('RevisionKind', 'How a revision came to be.', [
  'snapshot',
  'restatement',
  'taintChange',
  'settings',
]);

@ObjectType('Snapshot', { description: 'The whole stored state of a cluster as of one revision.' })
export class SnapshotShape {
  @Shown({ type: 'integer', description: 'The number of the revision.', example: 7 })
  revision!: number;

  @Shown({
    type: REVISION_KIND,
    description:
      'A snapshot, the former head said again after a backfill, or a change of taints or of settings made here.',
  })
  kind!: string;

  @Shown({ type: 'time', description: 'When the state was so in the cluster.', example: '2026-05-04T03:02:01.000Z' })
  capturedAt!: Date;

  @Shown({ type: 'time', description: 'When it was received.', example: '2026-05-04T03:02:05.000Z' })
  receivedAt!: Date;

  @Shown({ type: 'boolean', description: 'Whether it was stored as past state, behind a newer head.', example: false })
  backfill!: boolean;

  @Shown({ type: 'string', optional: true, description: "Where it came from, in the sender's words.", example: 'cron' })
  source!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Who made it; null where that was not noted.', example: null })
  author!: string | null;

  @Shown({ type: () => SnapshotScopeShape, description: 'What it was complete for.' })
  scope!: Plain<SnapshotScopeShape>;

  @Shown({
    type: 'string',
    list: true,
    description: 'Every kind that the state is complete for.',
    example: ['Node', 'Pod'],
  })
  loadedKinds!: readonly string[];

  @Shown({
    type: 'string',
    optional: true,
    description: 'The newest kubelet version among the nodes.',
    example: 'v1.34.1',
  })
  kubernetesVersion!: string | null;

  @Shown({ type: () => KindCountsShape, list: true, description: 'Against the revision before, by kind.' })
  counts!: readonly Plain<KindCountsShape>[];
}

@ObjectType('SnapshotDetails', { description: 'One revision, with the report of the snapshot that made it.' })
export class SnapshotDetailsShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: () => SnapshotShape, description: 'The revision.' })
  snapshot!: Plain<SnapshotShape>;

  @Shown({
    type: () => SnapshotReportShape,
    optional: true,
    description: 'What was kept, what was not, and why; null for a change made here, which read nothing.',
  })
  report!: Plain<SnapshotReportShape> | null;
}

@ObjectType('TakenSnapshot', { description: 'A snapshot that was stored.' })
export class TakenSnapshotShape {
  @Shown({ type: () => BasisShape, description: 'The new state.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'integer', description: 'The revision that holds it.', example: 8 })
  revision!: number;

  @Shown({
    type: 'integer',
    description: 'The head now; after a backfill the next revision, which restates the former head.',
    example: 8,
  })
  head!: number;

  @Shown({ type: 'integer', optional: true, description: 'The head before; null for the first snapshot.', example: 7 })
  previous!: number | null;

  @Shown({ type: 'boolean', description: 'Whether the cluster was created with it.', example: false })
  clusterCreated!: boolean;

  @Shown({ type: 'boolean', description: 'No object differs from the head before.', example: false })
  unchanged!: boolean;

  @Shown({ type: () => KindCountsShape, list: true, description: 'Against the head before, by kind.' })
  counts!: readonly Plain<KindCountsShape>[];

  @Shown({
    type: () => RemovedObjectsShape,
    list: true,
    description: 'What the state before had and the snapshot removed, by kind; kinds that lost nothing are absent.',
  })
  removed!: readonly Plain<RemovedObjectsShape>[];

  @Shown({ type: () => SnapshotReportShape, description: 'What was kept, what was not, and why.' })
  report!: Plain<SnapshotReportShape>;
}

@ObjectType('RetentionResult', { description: 'What was removed from a cluster, or would have been.' })
export class RetentionResultShape {
  @Shown({ type: 'string', description: 'The cluster.', example: 'eks-prod' })
  cluster!: string;

  @Shown({ type: 'boolean', description: 'Whether nothing was removed, and only counted.', example: false })
  dryRun!: boolean;

  @Shown({ type: 'integer', description: 'How many revisions.', example: 12 })
  revisions!: number;

  @Shown({ type: 'integer', description: 'How many versions of objects that no revision left shows.', example: 5204 })
  objectVersions!: number;

  @Shown({ type: 'integer', optional: true, description: 'The oldest revision that is left.', example: 13 })
  oldestRevision!: number | null;
}

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
