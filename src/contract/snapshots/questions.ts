import { CONTINUE, LIMIT } from '../common/page.js';
import { INTENTS, MAX_AGE, SCENARIO_TEXT } from '../common/revision.js';
import { list, question } from '../question.js';
import { DIFF_SCENARIO, SCENARIO } from '../scenarios/scenario-request.js';
import { object, type Member } from '../schema.js';
import { captureTimeCorrection, captureTimeCorrectionInput } from './capture-times.js';
import { difference } from './difference.js';
import { retentionInput } from './retention.js';
import { retentionResult, snapshot, snapshotDetails } from './snapshot.js';

/** Names one state: a number, `head` or a time. */
const MOMENT = {
  type: 'string',
  optional: true,
  maximumLength: 40,
  syntax: 'moment',
} as const satisfies Partial<Member>;

export const listSnapshots = question({
  id: 'snapshots.list',
  summary: 'List snapshots',
  description: 'Returns the revisions of a cluster, newest first, without their reports.',
  method: 'GET',
  path: 'clusters/{cluster}/snapshots',
  permission: 'read',
  query: {
    before: {
      type: 'integer',
      optional: true,
      minimum: 1,
      description: 'Only revisions with a number below this.',
      example: 4001,
    },
  },
  response: list({
    name: 'SnapshotList',
    item: snapshot,
    itemsDescription: 'The revisions, newest first.',
    head: {},
    connection: { name: 'Snapshot', description: 'Revisions of a cluster, newest first.' },
  }),
  statuses: { 200: 'A page of revisions.' },
  errors: ['cluster-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: { on: 'Cluster', name: 'snapshots', description: 'The revisions, newest first, without their reports.' },
});

export const getSnapshot = question({
  id: 'snapshots.get',
  summary: 'Get a snapshot',
  description: 'Returns one revision of a cluster, with the report and the findings of the snapshot that created it.',
  method: 'GET',
  path: 'clusters/{cluster}/snapshots/{revision}',
  variables: { revision: { in: 'revision', description: 'A number, `head` or a time.' } },
  permission: 'read',
  query: { maxAge: MAX_AGE },
  response: snapshotDetails,
  statuses: { 200: 'The revision.' },
  errors: ['cluster-not-found', 'revision-not-found', 'no-snapshot', 'snapshot-too-old'],
  examples: { parameters: { cluster: 'example', revision: 'head' } },
  graphql: {
    on: 'Cluster',
    name: 'snapshot',
    description: 'One revision, with the report of its snapshot.',
    arguments: { revision: { ...MOMENT, description: 'A number, `head` or a time. Default: the head.' } },
  },
});

const DIFF_MEMBERS = {
  from: {
    ...MOMENT,
    description: 'Revision to compare with: a number, `head` or a time. Default: the revision before `to`.',
  },
  to: {
    ...MOMENT,
    defaultsTo: 'head',
    description: 'Revision to compare: a number, `head` or a time. Default: the head.',
  },
  maxAge: {
    ...MAX_AGE,
    description: 'Fail if `to` was captured longer ago than this: `90` (seconds), `5m`, `1h`.',
  },
  intents: INTENTS,
} as const;

/** The arguments of the GraphQL field, whose lists are resolved only if they are selected. */
export const diffArguments = object(
  'DiffArguments',
  '',
  { ...DIFF_MEMBERS, scenario: { ...SCENARIO, description: DIFF_SCENARIO } },
  { restOnly: true },
);

export const diffRevisions = question({
  id: 'snapshots.diff',
  summary: 'Compare two revisions',
  description:
    'Returns the changes from one revision to another: first nodes (taints, labels, allocatable amounts, cordon, ' +
    'readiness, kubelet), then pods by workload (added, removed, moved, scheduled), then tolerations, ' +
    'ResourceQuotas and PodDisruptionBudgets.',
  method: 'GET',
  path: 'clusters/{cluster}/diff',
  permission: 'read',
  query: DIFF_MEMBERS,
  // A page spans several lists.
  restQuery: { limit: LIMIT, continue: CONTINUE, scenario: { ...SCENARIO_TEXT, description: DIFF_SCENARIO } },
  response: difference,
  statuses: { 200: 'The differences.' },
  errors: [
    'cluster-not-found',
    'revision-not-found',
    'no-snapshot',
    'snapshot-too-old',
    'invalid-scenario',
    'invalid-continue-token',
    'budget-exceeded',
  ],
  examples: { parameters: { cluster: 'example', from: '1', to: 'head' } },
});

export const applyRetention = question({
  id: 'snapshots.retention',
  summary: 'Remove old revisions',
  description:
    'Removes the oldest revisions of a cluster by number, by age or by both, and returns what was removed. The ' +
    'head is always kept.',
  method: 'POST',
  path: 'clusters/{cluster}/retention',
  permission: 'admin',
  body: { type: retentionInput, description: 'Which revisions to remove.' },
  response: retentionResult,
  statuses: { 200: 'What was removed.' },
  errors: ['cluster-not-found'],
  examples: { parameters: { cluster: 'example' }, body: { keepRevisions: 100, dryRun: true } },
  graphql: {
    on: 'Mutation',
    name: 'applyRetention',
    description: 'Removes the oldest revisions of a cluster.',
    input: { description: 'The cluster, and which revisions to remove.' },
  },
});

export const correctCaptureTimes = question({
  id: 'snapshots.correctTimes',
  summary: 'Correct capture times in the future',
  description:
    'Sets the capture time of every revision in the future to the current time, after a clock was ahead, so that ' +
    'new snapshots are no longer older than the head. A new revision repeats the previous head and records the ' +
    'author, the reason and the old times; it is not created if no time is in the future. The audit trail is only ' +
    'appended to.',
  method: 'POST',
  path: 'clusters/{cluster}/capture-time-corrections',
  permission: 'admin',
  body: { type: captureTimeCorrectionInput, description: 'The reason.' },
  response: captureTimeCorrection,
  statuses: { 200: 'The corrected revisions.' },
  errors: ['cluster-not-found'],
  examples: { parameters: { cluster: 'example' }, body: { reason: 'the clock of the host was ahead' } },
  graphql: {
    on: 'Mutation',
    name: 'correctCaptureTimes',
    description: 'Sets capture times in the future to the current time.',
    input: { description: 'The cluster, and the reason.' },
  },
});
