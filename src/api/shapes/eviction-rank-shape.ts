import { InputType, ObjectType } from '@nestjs/graphql';
import type { PressureSignal } from '../../core/disruption/kubelet-eviction-rank.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { Given, Shown } from './property.js';
import { wordsType } from './property-type.js';

const SIGNAL = wordsType(
  'PressureSignal',
  'What a node runs short of; disk and inodes are those of its own file system.',
  ['memory', 'disk', 'inodes', 'pid'],
);

const CRITICAL = wordsType('CriticalPodReason', 'Why the kubelet never evicts a pod.', [
  'static',
  'mirror',
  'priority',
]);

@InputType('EvictionRankInput')
export class EvictionRankQuestionBody {
  @Given({ type: SIGNAL, description: 'What the node runs short of.', example: 'memory' })
  signal!: PressureSignal;

  @Given({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Given({
    type: 'json',
    description:
      'What its pods use, by `namespace/name`: bytes of the working set, bytes of disk, inodes, or processes, as a quantity or a number. A pod that is not in it has no stats.',
    example: { 'default/web-0': '200Mi' },
  })
  usage!: JsonValue;
}

@ObjectType('RankedPod', { description: "A pod at its place in the kubelet's order of eviction." })
export class RankedPodShape {
  @Shown({ type: 'integer', description: 'Its place, from 1: first to be evicted first.', example: 1 })
  place!: number;

  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;

  @Shown({ type: 'boolean', description: 'Whether it is the one that is evicted.', example: true })
  evicted!: boolean;

  @Shown({ type: CRITICAL, optional: true, description: 'Why it is passed over; null for all that are not.' })
  critical!: string | null;

  @Shown({ type: 'string', optional: true, description: 'What it uses; null without stats.', example: '200Mi' })
  usage!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What that is held against, overhead included; null for `pid`, where requests do not matter.',
    example: '100Mi',
  })
  request!: string | null;

  @Shown({
    type: 'boolean',
    optional: true,
    description: 'Whether it uses more; null for `pid` and without stats.',
    example: true,
  })
  exceedsRequest!: boolean | null;

  @Shown({
    type: 'string',
    optional: true,
    description:
      'Usage less request, which decides among pods of one priority. For `inodes` the request of ephemeral storage in bytes is subtracted, as upstream does. For `pid` the processes.',
    example: '100Mi',
  })
  excess!: string | null;

  @Shown({ type: 'integer', description: 'Its priority, 0 where there is none.', example: 0 })
  priority!: number;

  @Shown({
    type: 'string',
    description: 'Why it has its place.',
    example: 'uses 200Mi of memory, more than the 100Mi that it requests; priority 0',
  })
  why!: string;
}

@ObjectType('EvictionRankCounts', { description: 'The pods of the node, counted.' })
export class EvictionRankCountsShape {
  @Shown({ type: 'integer', description: 'In the order.', example: 1 })
  ranked!: number;

  @Shown({ type: 'integer', description: 'Of those, never evicted.', example: 0 })
  critical!: number;

  @Shown({ type: 'integer', description: 'Of those, without stats.', example: 0 })
  withoutStats!: number;

  @Shown({ type: 'integer', description: 'Left out, since they have ended.', example: 0 })
  ended!: number;
}

/** What an answer says before its pods. */
@ObjectType({ isAbstract: true })
export abstract class EvictionRankHeadShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: SIGNAL, description: 'What it runs short of.', example: 'memory' })
  signal!: string;

  @Shown({
    type: 'string',
    optional: true,
    description: 'The one pod, `namespace/name`, that a synchronisation of the eviction manager evicts; null for none.',
    example: 'default/web-0',
  })
  evicted!: string | null;

  @Shown({ type: () => EvictionRankCountsShape, description: 'The pods of the node.' })
  counts!: Plain<EvictionRankCountsShape>;

  @Shown({
    type: 'string',
    list: true,
    description: 'Names in `usage` that no pod of the node has; the first hundred.',
    example: [],
  })
  notOnNode!: readonly string[];
}
