import { CONTINUE, LIMIT } from '../common/page.js';
import { INTENTS, MAX_AGE, SCENARIO_TEXT } from '../common/revision.js';
import { list, question } from '../question.js';
import { DIFF_SCENARIO, SCENARIO } from '../scenarios/scenario-request.js';
import { object, type Member } from '../schema.js';
import { captureTimeCorrection, captureTimeCorrectionInput } from './capture-times.js';
import { difference } from './difference.js';
import { retentionInput } from './retention.js';
import { retentionResult, snapshot, snapshotDetails } from './snapshot.js';

/** A state in one word. */
const MOMENT = { type: 'string', optional: true, maximumLength: 40 } as const satisfies Partial<Member>;

export const listSnapshots = question({
  id: 'snapshots.list',
  summary: 'List snapshots',
  description: 'The revisions of a cluster, newest first, page by page, without their reports.',
  method: 'GET',
  path: 'clusters/{cluster}/snapshots',
  permission: 'read',
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
  summary: 'Read a snapshot',
  description: 'One revision of a cluster, with the report of the snapshot that made it and its findings.',
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
    arguments: { revision: { ...MOMENT, description: 'A number, `head` or a time; the head by default.' } },
  },
});

const DIFF_MEMBERS = {
  from: {
    ...MOMENT,
    description: 'What to compare with: a revision, `head` or a time. By default the revision before `to`.',
  },
  to: {
    ...MOMENT,
    defaultsTo: 'head',
    description: 'What to compare: a revision, `head` or a time; the head by default.',
  },
  maxAge: {
    ...MAX_AGE,
    description: 'Refuse to answer where `to` was captured longer ago than this: `90` (seconds), `5m`, `1h`.',
  },
  intents: INTENTS,
} as const;

/** The arguments of GraphQL's field, whose lists are resolved only when they are asked for. */
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
    'What changed from one revision to another: nodes (taints, labels, allocatable amounts, cordon, readiness, kubelet) ' +
    'and pods by workload (added, removed, moved, scheduled). Nodes come first, then workloads, page by page.',
  method: 'GET',
  path: 'clusters/{cluster}/diff',
  permission: 'read',
  query: DIFF_MEMBERS,
  // Two lists share its pages.
  restQuery: { limit: LIMIT, continue: CONTINUE, scenario: { ...SCENARIO_TEXT, description: DIFF_SCENARIO } },
  response: difference,
  statuses: { 200: 'What changed.' },
  errors: [
    'cluster-not-found',
    'revision-not-found',
    'no-snapshot',
    'snapshot-too-old',
    'invalid-scenario',
    'invalid-continue-token',
    'budget-exceeded',
  ],
  examples: { parameters: { cluster: 'example', from: 1, to: 'head' } },
});

export const applyRetention = question({
  id: 'snapshots.retention',
  summary: 'Remove old revisions',
  description:
    'Removes the oldest revisions of a cluster by number, by age or by both, and says what went. The head stays.',
  method: 'POST',
  path: 'clusters/{cluster}/retention',
  permission: 'admin',
  body: { type: retentionInput, description: 'What is old.' },
  response: retentionResult,
  statuses: { 200: 'What went.' },
  errors: ['cluster-not-found'],
  examples: { parameters: { cluster: 'example' }, body: { keepRevisions: 100, dryRun: true } },
  graphql: {
    on: 'Mutation',
    name: 'applyRetention',
    description: 'Removes the oldest revisions of a cluster.',
    input: { argument: 'input', description: 'What is old.' },
  },
});

export const correctCaptureTimes = question({
  id: 'snapshots.correctTimes',
  summary: 'Correct capture times in the future',
  description:
    'After a clock was ahead: sets the capture time of every revision that lies in the future to now, so that new snapshots ' +
    'are no longer older than the head. A new revision restates the former head, and says who did it, why, and what the ' +
    'times were; without such a revision nothing changes. The audit trail is added to, never changed.',
  method: 'POST',
  path: 'clusters/{cluster}/capture-time-corrections',
  permission: 'admin',
  body: { type: captureTimeCorrectionInput, description: 'Why.' },
  response: captureTimeCorrection,
  statuses: { 200: 'What was corrected.' },
  errors: ['cluster-not-found'],
  examples: { parameters: { cluster: 'example' }, body: { reason: 'the clock of the host was ahead' } },
  graphql: {
    on: 'Mutation',
    name: 'correctCaptureTimes',
    description: 'Sets capture times that lie in the future to now.',
    input: { argument: 'input', description: 'Why.' },
  },
});
