import { enumType, object, union, variant } from '../schema.js';
import { kindCountsResponse, REVISION_KIND } from '../snapshots/snapshot.js';
import { CLUSTER_EVENT_TYPES } from '../limits.js';
import { CHANNEL } from '../taint-trail/record-kind.js';

export const CLUSTER_EVENT_TYPE = enumType(
  'ClusterEventType',
  'headChanged: there is a new revision; taintChangeRecorded: taints or cordons were changed, here or by somebody else; ' +
    'scheduleChanged: the eviction schedule of the head is another one than before; evictionDue: the moment has come in which ' +
    'pods are evicted.',
  CLUSTER_EVENT_TYPES,
);

export const ACTION = enumType(
  'RecordedTaintChangeAction',
  'change, revert, expiry: made through this service; learnt: shown by a snapshot or an audit event; withdrawn: a record that ' +
    'later evidence does not bear out.',
  ['change', 'revert', 'expiry', 'learnt', 'withdrawn'],
);

export const headChanged = object('HeadChanged', 'A new revision of the cluster.', {
  revision: { type: 'integer', description: 'Its number.', example: 8 },
  kind: { type: REVISION_KIND, description: 'How it came to be.', example: 'taintChange' },
  capturedAt: {
    type: 'time',
    description: 'When the state was so in the cluster.',
    example: '2026-05-04T03:02:01.000Z',
  },
  receivedAt: { type: 'time', description: 'When it was received.', example: '2026-05-04T03:12:01.000Z' },
  unconfirmedNodes: {
    type: 'integer',
    description: 'Nodes with changes that were made here and that nothing has decided.',
    example: 1,
  },
  counts: { type: kindCountsResponse, list: true, description: 'Against the revision before, by kind.' },
});

export const differenceInWords = object('DifferenceInWords', 'What happened to some nodes.', {
  summary: { type: 'string', description: 'In one line.', example: 'added dedicated=ml:NoSchedule' },
  nodes: { type: 'integer', description: 'To how many nodes.', example: 1 },
});

export const taintChangeRecorded = object('TaintChangeRecorded', 'A change of taints or cordons that was recorded.', {
  action: { type: ACTION, description: 'What it is.', example: 'change' },
  firstSequence: { type: 'int64', description: 'Its first record in the trail.', example: 1 },
  lastSequence: { type: 'int64', description: 'Its last one; all between are of it.', example: 2 },
  channel: { type: CHANNEL, optional: true, description: 'What it was learnt from.', example: 'api' },
  revision: { type: 'integer', optional: true, description: 'The revision that it came with.', example: 8 },
  change: { type: 'id', optional: true, description: 'The change made here.', example: null },
  from: { type: 'time', optional: true, description: 'It happened not before this time, where that is known.' },
  to: { type: 'time', description: 'It happened not after this time.', example: '2026-05-04T03:12:01.000Z' },
  by: {
    type: 'string',
    optional: true,
    description: 'Who did it. What was not done here tells it to callers with the right `audit` alone.',
    example: 'alice',
  },
  onBehalfOf: { type: 'string', optional: true, description: 'For whom, as the caller said.', example: null },
  reason: { type: 'string', optional: true, description: 'Why.', example: 'The ML team moves in, see OPS-17' },
  link: { type: 'string', optional: true, description: 'Where more is to be read.', example: null },
  nodes: { type: 'string', list: true, description: 'The first of the nodes.', example: ['node-1'] },
  nodeCount: { type: 'integer', description: 'How many there are.', example: 1 },
  differences: { type: differenceInWords, list: true, description: 'What happened to them.' },
  moreDifferences: { type: 'integer', description: 'Further differences, which are not listed.', example: 0 },
  supersedes: { type: 'int64', list: true, description: 'Records whose place these take, the first.', example: [] },
});

export const liveScheduleCounts = object('LiveScheduleCounts', 'Pods by what becomes of them.', {
  now: { type: 'integer', description: 'Evicted at once.', example: 1 },
  at: { type: 'integer', description: 'Evicted at a time to come.', example: 4 },
  never: { type: 'integer', description: 'Not evicted.', example: 40 },
});

export const nextEviction = object('NextEviction', 'When the next pods are evicted.', {
  at: { type: 'string', description: 'When (RFC 3339).', example: '2026-05-04T03:17:01Z' },
  pods: { type: 'integer', description: 'How many.', example: 4 },
});

export const scheduleInShort = object('ScheduleInShort', 'What the eviction schedule of a revision says in short.', {
  revision: { type: 'integer', description: 'The revision.', example: 8 },
  counts: { type: liveScheduleCounts, description: 'Pods by what becomes of them.' },
  next: { type: nextEviction, optional: true, description: 'Null where none is to come.' },
});

export const scheduleChanged = object(
  'ScheduleChanged',
  'The eviction schedule of the head is another one than before.',
  {
    before: {
      type: scheduleInShort,
      optional: true,
      description: 'What was told before; null where that cannot be worked out any more.',
    },
    after: { type: scheduleInShort, description: 'The one of the head.' },
  },
);

export const duePod = object('DuePod', 'A pod whose time has come.', {
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web-0' },
  node: { type: 'string', description: 'Its node.', example: 'node-1' },
  at: { type: 'string', description: 'When it is evicted (RFC 3339).', example: '2026-05-04T03:17:01Z' },
});

export const evictionDue = object(
  'EvictionDue',
  'The moment has come in which pods are evicted, by the schedule of the head.',
  {
    revision: { type: 'integer', description: 'The revision whose schedule says so.', example: 8 },
    at: { type: 'string', description: 'The last moment that came (RFC 3339).', example: '2026-05-04T03:17:01Z' },
    pods: { type: duePod, list: true, description: 'The first of the pods.' },
    podCount: { type: 'integer', description: 'How many there are.', example: 4 },
  },
);

export const clusterEvent = union(
  'ClusterEvent',
  'Something that happened to a cluster; its `type` tells what it has.',
  'type',
  {
    id: {
      type: 'id',
      description:
        'Where to go on from after this event: `after`, or `Last-Event-ID`. Opaque; events of one stream have growing ones.',
      example: '1-8.2',
    },
    type: { type: CLUSTER_EVENT_TYPE, description: 'What happened.' },
  },
  [
    variant('HeadChangedEvent', ['headChanged'], 'There is a new revision.', {
      headChanged: { type: headChanged, description: 'The new revision.' },
    }),
    variant('TaintChangeRecordedEvent', ['taintChangeRecorded'], 'Taints or cordons were changed.', {
      taintChangeRecorded: { type: taintChangeRecorded, description: 'The change of taints.' },
    }),
    variant('ScheduleChangedEvent', ['scheduleChanged'], 'The eviction schedule is another one.', {
      scheduleChanged: { type: scheduleChanged, description: 'The new schedule.' },
    }),
    variant('EvictionDueEvent', ['evictionDue'], 'The moment has come in which pods are evicted.', {
      evictionDue: { type: evictionDue, description: 'The pods whose time has come.' },
    }),
  ],
);
