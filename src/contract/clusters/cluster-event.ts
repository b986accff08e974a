import { agreementCase } from '../agreement/agreement.js';
import { expectationTurn } from '../expectations/expectation.js';
import { enumType, object, union, variant } from '../schema.js';
import { kindCountsResponse, REVISION_KIND } from '../snapshots/snapshot.js';
import { CLUSTER_EVENT_TYPES } from '../limits.js';
import { CHANNEL } from '../taint-trail/record-kind.js';

export const CLUSTER_EVENT_TYPE = enumType(
  'ClusterEventType',
  '`headChanged`: the cluster has a new revision. `taintChangeRecorded`: a change of taints or cordons was recorded, made ' +
    'through this service or elsewhere. `expectationTurned`: a stored expectation has another verdict. `disagreement`: what the cluster did disagrees with what was predicted. `scheduleChanged`: the eviction schedule of the head has changed. `evictionDue`: pods ' +
    'are due for eviction.',
  CLUSTER_EVENT_TYPES,
);

export const ACTION = enumType(
  'RecordedTaintChangeAction',
  '`change`, `revert`, `expiry`: made through this service. `observed`: shown by a snapshot or an audit event. `withdrawn`: a ' +
    'record that later evidence does not support.',
  ['change', 'revert', 'expiry', 'observed', 'withdrawn'],
);

export const headChanged = object('HeadChanged', 'A new revision of the cluster.', {
  revision: { type: 'integer', description: 'Revision number.', example: 8 },
  kind: { type: REVISION_KIND, description: 'How the revision was created.', example: 'taintChange' },
  capturedAt: {
    type: 'time',
    description: 'When the state was captured in the cluster.',
    example: '2026-05-04T03:02:01.000Z',
  },
  receivedAt: { type: 'time', description: 'When the revision was received.', example: '2026-05-04T03:12:01.000Z' },
  unconfirmedNodes: {
    type: 'integer',
    description: 'Number of nodes with unconfirmed changes made through this service.',
    example: 1,
  },
  counts: { type: kindCountsResponse, list: true, description: 'Differences from the previous revision, by kind.' },
});

export const differenceDescription = object(
  'DifferenceDescription',
  'A difference that some nodes or DeviceTaintRules have in common.',
  {
    summary: { type: 'string', description: 'One-line summary.', example: 'added dedicated=ml:NoSchedule' },
    nodes: { type: 'integer', description: 'Number of nodes or DeviceTaintRules with this difference.', example: 1 },
  },
);

export const taintChangeRecorded = object(
  'TaintChangeRecorded',
  'A recorded change of taints, cordons or DeviceTaintRules.',
  {
    action: { type: ACTION, description: 'Kind of the change.', example: 'change' },
    firstSequence: { type: 'int64', description: 'Sequence number of its first record.', example: 1 },
    lastSequence: {
      type: 'int64',
      description: 'Sequence number of its last record; all in between belong to it.',
      example: 2,
    },
    channel: { type: CHANNEL, optional: true, description: 'How the change became known.', example: 'api' },
    revision: { type: 'integer', optional: true, description: 'Revision that recorded the change.', example: 8 },
    change: {
      type: 'id',
      optional: true,
      description: 'Id of the change, if made through this service.',
      example: null,
    },
    from: { type: 'time', optional: true, description: 'Earliest time of the change, if known.' },
    to: { type: 'time', description: 'Latest time of the change.', example: '2026-05-04T03:12:01.000Z' },
    by: {
      type: 'identifier',
      optional: true,
      description:
        'User who made the change; null for a change made elsewhere, unless the caller has the permission `audit`.',
      example: 'alice',
    },
    onBehalfOf: {
      type: 'string',
      optional: true,
      description: 'Who the change was made for, as stated by the caller.',
      example: null,
    },
    reason: {
      type: 'string',
      optional: true,
      description: 'Reason for the change.',
      example: 'The ML team moves in, see OPS-17',
    },
    link: { type: 'string', optional: true, description: 'Link to more information.', example: null },
    nodes: { type: 'identifier', list: true, description: 'The first of the changed nodes.', example: ['node-1'] },
    nodeCount: { type: 'integer', description: 'Number of changed nodes.', example: 1 },
    deviceTaintRules: {
      type: 'identifier',
      list: true,
      description: 'The first of the changed DeviceTaintRules.',
      example: [],
    },
    deviceTaintRuleCount: { type: 'integer', description: 'Number of changed DeviceTaintRules.', example: 0 },
    differences: {
      type: differenceDescription,
      list: true,
      description: 'What changed; equal differences are merged.',
    },
    moreDifferences: { type: 'integer', description: 'Number of differences that are not listed.', example: 0 },
    supersedes: {
      type: 'int64',
      list: true,
      description: 'Sequence numbers of the first records that these supersede.',
      example: [],
    },
  },
);

export const liveScheduleCounts = object('LiveScheduleCounts', 'Pods by when they are evicted.', {
  now: { type: 'integer', description: 'Number of pods evicted now.', example: 1 },
  at: { type: 'integer', description: 'Number of pods evicted later.', example: 4 },
  never: { type: 'integer', description: 'Number of pods not evicted.', example: 40 },
});

export const nextEviction = object('NextEviction', 'When the next pods are evicted.', {
  at: { type: 'identifier', description: 'Time of the eviction (RFC 3339).', example: '2026-05-04T03:17:01Z' },
  pods: { type: 'integer', description: 'Number of pods.', example: 4 },
});

export const scheduleSummary = object('ScheduleSummary', 'A summary of the eviction schedule of a revision.', {
  revision: { type: 'integer', description: 'Revision of the schedule.', example: 8 },
  counts: { type: liveScheduleCounts, description: 'Pods by when they are evicted.' },
  next: { type: nextEviction, optional: true, description: 'The next eviction; null if there is none.' },
});

export const scheduleChanged = object('ScheduleChanged', 'The eviction schedule of the head has changed.', {
  before: {
    type: scheduleSummary,
    optional: true,
    description: 'The previous schedule; null if it can no longer be computed.',
  },
  after: { type: scheduleSummary, description: 'The schedule of the head.' },
});

export const duePod = object('DuePod', 'A pod that is due for eviction.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
  node: { type: 'identifier', description: 'Node of the pod.', example: 'node-1' },
  at: { type: 'identifier', description: 'Time of the eviction (RFC 3339).', example: '2026-05-04T03:17:01Z' },
});

export const evictionDue = object('EvictionDue', 'Pods are due for eviction, by the schedule of the head.', {
  revision: { type: 'integer', description: 'Revision whose schedule this is.', example: 8 },
  at: {
    type: 'identifier',
    description: 'The latest eviction time that was reached (RFC 3339).',
    example: '2026-05-04T03:17:01Z',
  },
  pods: { type: duePod, list: true, description: 'The first of the pods that are due.' },
  podCount: { type: 'integer', description: 'Number of pods that are due.', example: 4 },
});

export const clusterEvent = union(
  'ClusterEvent',
  'Something that happened to a cluster; `type` determines the members.',
  'type',
  {
    id: {
      type: 'id',
      description: 'Opaque id to resume after this event, in `after` or `Last-Event-ID`. Ids increase within a stream.',
      example: '1-8.2',
    },
    type: { type: CLUSTER_EVENT_TYPE, description: 'What happened.' },
  },
  [
    variant('HeadChangedEvent', ['headChanged'], 'The cluster has a new revision.', {
      headChanged: { type: headChanged, description: 'The new revision.' },
    }),
    variant('TaintChangeRecordedEvent', ['taintChangeRecorded'], 'A change of taints or cordons was recorded.', {
      taintChangeRecorded: { type: taintChangeRecorded, description: 'The recorded change.' },
    }),
    variant('ExpectationTurnedEvent', ['expectationTurned'], 'A stored expectation has another verdict.', {
      expectationTurned: { type: expectationTurn, description: 'The turn.' },
    }),
    variant('DisagreementEvent', ['disagreement'], 'What the cluster did disagrees with what was predicted.', {
      disagreement: { type: agreementCase, description: 'The disagreement.' },
    }),
    variant('ScheduleChangedEvent', ['scheduleChanged'], 'The eviction schedule of the head has changed.', {
      scheduleChanged: { type: scheduleChanged, description: 'The new schedule.' },
    }),
    variant('EvictionDueEvent', ['evictionDue'], 'Pods are due for eviction.', {
      evictionDue: { type: evictionDue, description: 'The pods that are due.' },
    }),
  ],
);
