import { ObjectType } from '@nestjs/graphql';
import { CLUSTER_EVENT_TYPES, type ClusterNews } from '../../app/live/cluster-events.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';
import { KindCountsShape, REVISION_KIND } from './snapshot-shape.js';
import { CHANNEL } from './trail-record-shape.js';

export const CLUSTER_EVENT_TYPE = wordsType(
  'ClusterEventType',
  'headChanged: there is a new revision; taintChangeRecorded: taints or cordons were changed, here or by somebody else; ' +
    'scheduleChanged: the eviction schedule of the head is another one than before; evictionDue: the moment has come in which ' +
    'pods are evicted.',
  CLUSTER_EVENT_TYPES,
);

const ACTION = wordsType(
  'RecordedTaintChangeAction',
  'change, revert, expiry: made through this service; learnt: shown by a snapshot or an audit event; withdrawn: a record that ' +
    'later evidence does not bear out.',
  ['change', 'revert', 'expiry', 'learnt', 'withdrawn'],
);

@ObjectType('HeadChanged', { description: 'A new revision of the cluster.' })
export class HeadChangedShape {
  @Shown({ type: 'integer', description: 'Its number.', example: 8 })
  revision!: number;

  @Shown({ type: REVISION_KIND, description: 'How it came to be.', example: 'taintChange' })
  kind!: string;

  @Shown({ type: 'time', description: 'When the state was so in the cluster.', example: '2026-05-04T03:02:01.000Z' })
  capturedAt!: string;

  @Shown({ type: 'time', description: 'When it was received.', example: '2026-05-04T03:12:01.000Z' })
  receivedAt!: string;

  @Shown({
    type: 'integer',
    description: 'Nodes with changes that were made here and that nothing has decided.',
    example: 1,
  })
  unconfirmedNodes!: number;

  @Shown({ type: () => KindCountsShape, list: true, description: 'Against the revision before, by kind.' })
  counts!: readonly Plain<KindCountsShape>[];
}

@ObjectType('DifferenceInWords', { description: 'What happened to some nodes.' })
export class DifferenceInWordsShape {
  @Shown({ type: 'string', description: 'In one line.', example: 'added dedicated=ml:NoSchedule' })
  summary!: string;

  @Shown({ type: 'integer', description: 'To how many nodes.', example: 1 })
  nodes!: number;
}

@ObjectType('TaintChangeRecorded', { description: 'A change of taints or cordons that was recorded.' })
export class TaintChangeRecordedShape {
  @Shown({ type: ACTION, description: 'What it is.', example: 'change' })
  action!: string;

  @Shown({ type: 'int64', description: 'Its first record in the trail.', example: 1 })
  firstSequence!: number;

  @Shown({ type: 'int64', description: 'Its last one; all between are of it.', example: 2 })
  lastSequence!: number;

  @Shown({ type: CHANNEL, optional: true, description: 'What it was learnt from.', example: 'api' })
  channel!: string | null;

  @Shown({ type: 'integer', optional: true, description: 'The revision that it came with.', example: 8 })
  revision!: number | null;

  @Shown({ type: 'id', optional: true, description: 'The change made here.', example: null })
  change!: string | null;

  @Shown({ type: 'time', optional: true, description: 'It happened not before this time, where that is known.' })
  from!: string | null;

  @Shown({ type: 'time', description: 'It happened not after this time.', example: '2026-05-04T03:12:01.000Z' })
  to!: string;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Who did it. What was not done here tells it to callers with the right `audit` alone.',
    example: 'alice',
  })
  by!: string | null;

  @Shown({ type: 'string', optional: true, description: 'For whom, as the caller said.', example: null })
  onBehalfOf!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Why.', example: 'The ML team moves in, see OPS-17' })
  reason!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Where more is to be read.', example: null })
  link!: string | null;

  @Shown({ type: 'string', list: true, description: 'The first of the nodes.', example: ['node-1'] })
  nodes!: readonly string[];

  @Shown({ type: 'integer', description: 'How many there are.', example: 1 })
  nodeCount!: number;

  @Shown({ type: () => DifferenceInWordsShape, list: true, description: 'What happened to them.' })
  differences!: readonly Plain<DifferenceInWordsShape>[];

  @Shown({ type: 'integer', description: 'Further differences, which are not listed.', example: 0 })
  moreDifferences!: number;

  @Shown({ type: 'int64', list: true, description: 'Records whose place these take, the first.', example: [] })
  supersedes!: readonly number[];
}

@ObjectType('LiveScheduleCounts', { description: 'Pods by what becomes of them.' })
export class LiveScheduleCountsShape {
  @Shown({ type: 'integer', description: 'Evicted at once.', example: 1 })
  now!: number;

  @Shown({ type: 'integer', description: 'Evicted at a time to come.', example: 4 })
  at!: number;

  @Shown({ type: 'integer', description: 'Not evicted.', example: 40 })
  never!: number;
}

@ObjectType('NextEviction', { description: 'When the next pods are evicted.' })
export class NextEvictionShape {
  @Shown({ type: 'string', description: 'When (RFC 3339).', example: '2026-05-04T03:17:01Z' })
  at!: string;

  @Shown({ type: 'integer', description: 'How many.', example: 4 })
  pods!: number;
}

@ObjectType('ScheduleInShort', { description: 'What the eviction schedule of a revision says in short.' })
export class ScheduleInShortShape {
  @Shown({ type: 'integer', description: 'The revision.', example: 8 })
  revision!: number;

  @Shown({ type: () => LiveScheduleCountsShape, description: 'Pods by what becomes of them.' })
  counts!: Plain<LiveScheduleCountsShape>;

  @Shown({ type: () => NextEvictionShape, optional: true, description: 'Null where none is to come.' })
  next!: Plain<NextEvictionShape> | null;
}

@ObjectType('ScheduleChanged', { description: 'The eviction schedule of the head is another one than before.' })
export class ScheduleChangedShape {
  @Shown({
    type: () => ScheduleInShortShape,
    optional: true,
    description: 'What was told before; null where that cannot be worked out any more.',
  })
  before!: Plain<ScheduleInShortShape> | null;

  @Shown({ type: () => ScheduleInShortShape, description: 'The one of the head.' })
  after!: Plain<ScheduleInShortShape>;
}

@ObjectType('DuePod', { description: 'A pod whose time has come.' })
export class DuePodShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;

  @Shown({ type: 'string', description: 'Its node.', example: 'node-1' })
  node!: string;

  @Shown({ type: 'string', description: 'When it is evicted (RFC 3339).', example: '2026-05-04T03:17:01Z' })
  at!: string;
}

@ObjectType('EvictionDue', {
  description: 'The moment has come in which pods are evicted, by the schedule of the head.',
})
export class EvictionDueShape {
  @Shown({ type: 'integer', description: 'The revision whose schedule says so.', example: 8 })
  revision!: number;

  @Shown({ type: 'string', description: 'The last moment that came (RFC 3339).', example: '2026-05-04T03:17:01Z' })
  at!: string;

  @Shown({ type: () => DuePodShape, list: true, description: 'The first of the pods.' })
  pods!: readonly Plain<DuePodShape>[];

  @Shown({ type: 'integer', description: 'How many there are.', example: 4 })
  podCount!: number;
}

@ObjectType('ClusterEvent', { description: 'Something that happened to a cluster; of its four parts one is there.' })
export class ClusterEventShape {
  @Shown({
    type: 'id',
    description:
      'Where to go on from after this event: `after`, or `Last-Event-ID`. Opaque; events of one stream have growing ones.',
    example: '1-8.2',
  })
  id!: string;

  @Shown({ type: CLUSTER_EVENT_TYPE, description: 'What happened.', example: 'headChanged' })
  type!: string;

  @Shown({ type: () => HeadChangedShape, optional: true, description: 'The new revision.' })
  headChanged!: Plain<HeadChangedShape> | null;

  @Shown({ type: () => TaintChangeRecordedShape, optional: true, description: 'The change of taints.' })
  taintChangeRecorded!: Plain<TaintChangeRecordedShape> | null;

  @Shown({ type: () => ScheduleChangedShape, optional: true, description: 'The new schedule.' })
  scheduleChanged!: Plain<ScheduleChangedShape> | null;

  @Shown({ type: () => EvictionDueShape, optional: true, description: 'The pods whose time has come.' })
  evictionDue!: Plain<EvictionDueShape> | null;
}

/** An event without its id, which is its reader's own. */
export type NewsShape = Omit<Plain<ClusterEventShape>, 'id'>;

/** @param tellsAuthors whether the reader may know who did what was not done here */
export function newsShape(news: ClusterNews, tellsAuthors: boolean): NewsShape {
  const nothing = { headChanged: null, taintChangeRecorded: null, scheduleChanged: null, evictionDue: null };
  if (news.type !== 'taintChangeRecorded' || tellsAuthors) return { ...nothing, ...news };
  const { taintChangeRecorded: told } = news;
  return { ...nothing, type: news.type, taintChangeRecorded: told.channel === 'api' ? told : { ...told, by: null } };
}
