import { object, enumType } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { exampleOf } from '../example-of.js';
import { snapshotReport } from './snapshot-report.js';

export const kindCountsResponse = object('KindCounts', 'Objects of one kind compared with the previous revision.', {
  kind: { type: 'identifier', description: 'The kind.', example: 'Pod' },
  added: { type: 'integer', description: 'New objects.', example: 2 },
  changed: { type: 'integer', description: 'Changed objects.', example: 5 },
  removed: { type: 'integer', description: 'Removed objects.', example: 1 },
  unchanged: {
    type: 'integer',
    description: 'Unchanged objects, including carried over ones.',
    example: 40,
  },
});

export const snapshotScope = object(
  'SnapshotScope',
  'What a snapshot replaces. Stored objects in this scope that are missing from it are removed; others carry ' +
    'over.',
  {
    kinds: { type: 'identifier', list: true, description: 'The replaced kinds.', example: ['Node', 'Pod'] },
    namespaces: {
      type: 'identifier',
      list: true,
      optional: true,
      description: 'The replaced namespaces; null for all.',
      example: null,
    },
  },
);

export const REVISION_KIND = enumType('RevisionKind', 'Origin of a revision.', [
  'snapshot',
  'delta',
  'restatement',
  'taintChange',
  'settings',
]);

export const kindVersion = object('KindVersion', 'The resourceVersion at which a kind had the stored objects.', {
  kind: { type: 'identifier', description: 'The kind.', example: 'Pod' },
  resourceVersion: { type: 'identifier', description: 'The resourceVersion.', example: '10245' },
});

export const snapshot = object(
  'Snapshot',
  'The complete stored state of a cluster in one revision.',
  {
    revision: { type: 'integer', description: 'The number of the revision.', example: 7 },
    kind: {
      type: REVISION_KIND,
      description:
        'A snapshot, a delta, the previous head repeated after a backfill, or a change of taints or settings made through this ' +
        'service.',
    },
    capturedAt: {
      type: 'time',
      description: 'Capture time of the state.',
      example: '2026-05-04T03:02:01.000Z',
    },
    receivedAt: {
      type: 'time',
      description: 'When the snapshot was received.',
      example: '2026-05-04T03:02:05.000Z',
    },
    backfill: {
      type: 'boolean',
      description: 'Whether it was stored as a past state, before a newer head.',
      example: false,
    },
    source: {
      type: 'string',
      optional: true,
      description: 'Source given by the sender.',
      example: 'cron',
    },
    author: {
      type: 'identifier',
      optional: true,
      description: 'Author; null if not recorded.',
      example: null,
    },
    scope: { type: snapshotScope, description: 'The kinds and namespaces that the snapshot replaced.' },
    loadedKinds: {
      type: 'identifier',
      list: true,
      description: 'Kinds for which the state is complete.',
      example: ['Node', 'Pod'],
    },
    kubernetesVersion: {
      type: 'identifier',
      optional: true,
      description: 'Newest kubelet version of the nodes.',
      example: 'v1.34.1',
    },
    resourceVersions: {
      type: kindVersion,
      list: true,
      description:
        'The resourceVersions that the revision rests on, by kind. Only kinds of which it is known: those of a list that ' +
        'names its kind, such as `PodList`, or of a delta.',
    },
    counts: { type: kindCountsResponse, list: true, description: 'Differences from the previous revision, by kind.' },
  },
  { hasGlobalId: true },
);

export const snapshotDetails = object(
  'SnapshotDetails',
  'One revision, with the report of the snapshot that created it.',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    snapshot: { type: snapshot, description: 'The revision.' },
    report: {
      type: snapshotReport,
      optional: true,
      description:
        'What was kept, what was not, and why; null for a delta, and for a change made through this service.',
      example: exampleOf(snapshotReport),
    },
  },
);

export const removedObject = object('RemovedObject', 'A stored object that a snapshot removed.', {
  namespace: { type: 'identifier', description: 'Object namespace; empty for cluster-scoped kinds.', example: '' },
  name: { type: 'identifier', description: 'Object name.', example: 'worker-3' },
});

export const removedObjects = object('RemovedObjects', 'Stored objects of one kind that a snapshot removed.', {
  kind: { type: 'identifier', description: 'The kind.', example: 'Node' },
  count: { type: 'integer', description: 'Number of objects.', example: 1 },
  first: { type: removedObject, list: true, description: 'The first objects; at most ten.' },
});

export const takenSnapshot = object('TakenSnapshot', 'A snapshot that was stored.', {
  basis: { type: answerBasis, description: 'The new state.' },
  revision: { type: 'integer', description: 'The revision with the state.', example: 8 },
  head: {
    type: 'integer',
    description: 'The current head. After a backfill this is the next revision, which repeats the previous head.',
    example: 8,
  },
  previous: {
    type: 'integer',
    optional: true,
    description: 'The previous head; null for the first snapshot.',
    example: 7,
  },
  clusterCreated: { type: 'boolean', description: 'Whether the snapshot created the cluster.', example: false },
  unchanged: { type: 'boolean', description: 'Whether no object differs from the previous head.', example: false },
  counts: { type: kindCountsResponse, list: true, description: 'Differences from the previous head, by kind.' },
  removed: {
    type: removedObjects,
    list: true,
    description: 'Objects that the snapshot removed, by kind; only kinds with removed objects.',
  },
  report: { type: snapshotReport, description: 'What was kept, what was not, and why.' },
});

export const retentionResult = object('RetentionResult', 'What was removed from a cluster, or would be.', {
  cluster: { type: 'identifier', description: 'Cluster name.', example: 'eks-prod' },
  dryRun: { type: 'boolean', description: 'True for a dry run: nothing was removed.', example: false },
  revisions: { type: 'integer', description: 'Number of removed revisions.', example: 12 },
  objectVersions: {
    type: 'integer',
    description: 'Number of object versions that no remaining revision contains.',
    example: 5204,
  },
  oldestRevision: {
    type: 'integer',
    optional: true,
    description: 'Oldest remaining revision.',
    example: 13,
  },
});
