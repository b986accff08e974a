import { object, enumType } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { exampleOf } from '../example-of.js';
import { snapshotReport } from './snapshot-report.js';

export const kindCountsResponse = object('KindCounts', 'Objects of one kind against the revision before.', {
  kind: { type: 'string', description: 'The kind.', example: 'Pod' },
  added: { type: 'integer', description: 'New ones.', example: 2 },
  changed: { type: 'integer', description: 'Those that differ.', example: 5 },
  removed: { type: 'integer', description: 'Those that are gone.', example: 1 },
  unchanged: { type: 'integer', description: 'Those that are the same, carried over ones included.', example: 40 },
});

export const snapshotScope = object(
  'SnapshotScope',
  'What a snapshot replaces: stored objects inside it that are missing are removed, others carry over.',
  {
    kinds: { type: 'string', list: true, description: 'The kinds.', example: ['Node', 'Pod'] },
    namespaces: {
      type: 'string',
      list: true,
      optional: true,
      description: 'The namespaces; null for all.',
      example: null,
    },
  },
);

export const REVISION_KIND = enumType('RevisionKind', 'How a revision came to be.', [
  'snapshot',
  'restatement',
  'taintChange',
  'settings',
]);

export const snapshot = object('Snapshot', 'The whole stored state of a cluster as of one revision.', {
  revision: { type: 'integer', description: 'The number of the revision.', example: 7 },
  kind: {
    type: REVISION_KIND,
    description:
      'A snapshot, the former head said again after a backfill, or a change of taints or of settings made here.',
  },
  capturedAt: {
    type: 'time',
    description: 'When the state was so in the cluster.',
    example: '2026-05-04T03:02:01.000Z',
  },
  receivedAt: { type: 'time', description: 'When it was received.', example: '2026-05-04T03:02:05.000Z' },
  backfill: {
    type: 'boolean',
    description: 'Whether it was stored as past state, behind a newer head.',
    example: false,
  },
  source: {
    type: 'string',
    optional: true,
    description: "Where it came from, in the sender's words.",
    example: 'cron',
  },
  author: { type: 'string', optional: true, description: 'Who made it; null where that was not noted.', example: null },
  scope: { type: snapshotScope, description: 'What it was complete for.' },
  loadedKinds: {
    type: 'string',
    list: true,
    description: 'Every kind that the state is complete for.',
    example: ['Node', 'Pod'],
  },
  kubernetesVersion: {
    type: 'string',
    optional: true,
    description: 'The newest kubelet version among the nodes.',
    example: 'v1.34.1',
  },
  counts: { type: kindCountsResponse, list: true, description: 'Against the revision before, by kind.' },
});

export const snapshotDetails = object(
  'SnapshotDetails',
  'One revision, with the report of the snapshot that made it.',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    snapshot: { type: snapshot, description: 'The revision.' },
    report: {
      type: snapshotReport,
      optional: true,
      description: 'What was kept, what was not, and why; null for a change made here, which read nothing.',
      example: exampleOf(snapshotReport),
    },
  },
);

export const removedObject = object('RemovedObject', 'A stored object that a snapshot removed.', {
  namespace: { type: 'string', description: 'The namespace; empty for kinds that have none.', example: '' },
  name: { type: 'string', description: 'The name.', example: 'worker-3' },
});

export const removedObjects = object('RemovedObjects', 'Stored objects of one kind that a snapshot removed.', {
  kind: { type: 'string', description: 'The kind.', example: 'Node' },
  count: { type: 'integer', description: 'How many.', example: 1 },
  first: { type: removedObject, list: true, description: 'The first ten of them.' },
});

export const takenSnapshot = object('TakenSnapshot', 'A snapshot that was stored.', {
  basis: { type: answerBasis, description: 'The new state.' },
  revision: { type: 'integer', description: 'The revision that holds it.', example: 8 },
  head: {
    type: 'integer',
    description: 'The head now; after a backfill the next revision, which restates the former head.',
    example: 8,
  },
  previous: {
    type: 'integer',
    optional: true,
    description: 'The head before; null for the first snapshot.',
    example: 7,
  },
  clusterCreated: { type: 'boolean', description: 'Whether the cluster was created with it.', example: false },
  unchanged: { type: 'boolean', description: 'No object differs from the head before.', example: false },
  counts: { type: kindCountsResponse, list: true, description: 'Against the head before, by kind.' },
  removed: {
    type: removedObjects,
    list: true,
    description: 'What the state before had and the snapshot removed, by kind; kinds that lost nothing are absent.',
  },
  report: { type: snapshotReport, description: 'What was kept, what was not, and why.' },
});

export const retentionResult = object('RetentionResult', 'What was removed from a cluster, or would have been.', {
  cluster: { type: 'string', description: 'The cluster.', example: 'eks-prod' },
  dryRun: { type: 'boolean', description: 'Whether nothing was removed, and only counted.', example: false },
  revisions: { type: 'integer', description: 'How many revisions.', example: 12 },
  objectVersions: {
    type: 'integer',
    description: 'How many versions of objects that no revision left shows.',
    example: 5204,
  },
  oldestRevision: { type: 'integer', optional: true, description: 'The oldest revision that is left.', example: 13 },
});
