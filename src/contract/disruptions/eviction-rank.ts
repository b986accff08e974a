import { GIVEN_AMOUNTS } from '../common/given.js';
import { object, enumType } from '../schema.js';
import { answerBasis } from '../common/basis.js';

export const SIGNAL = enumType(
  'PressureSignal',
  'What a node runs short of; disk and inodes are those of its own file system.',
  ['memory', 'disk', 'inodes', 'pid'],
);

export const CRITICAL = enumType('CriticalPodReason', 'Why the kubelet never evicts a pod.', [
  'static',
  'mirror',
  'priority',
]);

export const evictionRankInput = object(
  'EvictionRankInput',
  'A node under pressure, and what its pods use.',
  {
    signal: { type: SIGNAL, description: 'What the node runs short of.', example: 'memory' },
    node: { type: 'string', description: 'The node.', example: 'node-1' },
    usage: {
      type: GIVEN_AMOUNTS,
      description:
        'What its pods use, by `namespace/name`: bytes of the working set, bytes of disk, inodes, or processes, as a quantity or a number. A pod that is not in it has no stats.',
      example: { 'default/web-0': '200Mi' },
    },
  },
  { openApiName: 'EvictionRank' },
);

export const rankedPod = object('RankedPod', "A pod at its place in the kubelet's order of eviction.", {
  place: { type: 'integer', description: 'Its place, from 1: first to be evicted first.', example: 1 },
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web-0' },
  evicted: { type: 'boolean', description: 'Whether it is the one that is evicted.', example: true },
  critical: { type: CRITICAL, optional: true, description: 'Why it is passed over; null for all that are not.' },
  usage: { type: 'string', optional: true, description: 'What it uses; null without stats.', example: '200Mi' },
  request: {
    type: 'string',
    optional: true,
    description: 'What that is held against, overhead included; null for `pid`, where requests do not matter.',
    example: '100Mi',
  },
  exceedsRequest: {
    type: 'boolean',
    optional: true,
    description: 'Whether it uses more; null for `pid` and without stats.',
    example: true,
  },
  excess: {
    type: 'string',
    optional: true,
    description:
      'Usage less request, which decides among pods of one priority. For `inodes` the request of ephemeral storage in bytes is subtracted, as upstream does. For `pid` the processes.',
    example: '100Mi',
  },
  priority: { type: 'integer', description: 'Its priority, 0 where there is none.', example: 0 },
  why: {
    type: 'string',
    description: 'Why it has its place.',
    example: 'uses 200Mi of memory, more than the 100Mi that it requests; priority 0',
  },
});

export const evictionRankCounts = object('EvictionRankCounts', 'The pods of the node, counted.', {
  ranked: { type: 'integer', description: 'In the order.', example: 1 },
  critical: { type: 'integer', description: 'Of those, never evicted.', example: 0 },
  withoutStats: { type: 'integer', description: 'Of those, without stats.', example: 0 },
  ended: { type: 'integer', description: 'Left out, since they have ended.', example: 0 },
});

/** What an answer says before its pods. */
export const evictionRankHead = object(
  'EvictionRankHead',
  '',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    node: { type: 'string', description: 'The node.', example: 'node-1' },
    signal: { type: SIGNAL, description: 'What it runs short of.', example: 'memory' },
    evicted: {
      type: 'string',
      optional: true,
      description:
        'The one pod, `namespace/name`, that a synchronisation of the eviction manager evicts; null for none.',
      example: 'default/web-0',
    },
    counts: { type: evictionRankCounts, description: 'The pods of the node.' },
    notOnNode: {
      type: 'string',
      list: true,
      description: 'Names in `usage` that no pod of the node has; the first hundred.',
      example: [],
    },
  },
  { restOnly: true },
);
