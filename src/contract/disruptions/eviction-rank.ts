import { GIVEN_AMOUNTS } from '../common/given.js';
import { object, enumType } from '../schema.js';
import { answerBasis } from '../common/basis.js';

export const SIGNAL = enumType(
  'PressureSignal',
  "The resource under pressure. Disk and inodes are those of the node's own file system.",
  ['memory', 'disk', 'inodes', 'pid'],
);

export const CRITICAL = enumType('CriticalPodReason', 'Why the kubelet never evicts a pod.', [
  'static',
  'mirror',
  'priority',
]);

export const evictionRankInput = object(
  'EvictionRankInput',
  'A node under pressure, and the usage of its pods.',
  {
    signal: { type: SIGNAL, description: 'The resource under pressure.', example: 'memory' },
    node: { type: 'identifier', description: 'Node name.', example: 'node-1' },
    usage: {
      type: GIVEN_AMOUNTS,
      description:
        'Usage of the pods by `namespace/name`, as a quantity or a number: bytes of the working set, bytes of disk, ' +
        'inodes, or processes. Other pods count as having no stats.',
      example: { 'default/web-0': '200Mi' },
    },
  },
  { openApiName: 'EvictionRank' },
);

export const rankedPod = object('RankedPod', "A pod in the kubelet's eviction order.", {
  place: { type: 'integer', description: 'Position in the order; 1 is evicted first.', example: 1 },
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
  evicted: { type: 'boolean', description: 'Whether this is the pod that is evicted.', example: true },
  critical: { type: CRITICAL, optional: true, description: 'Why the pod is skipped; null if it is not.' },
  usage: { type: 'identifier', optional: true, description: 'Usage of the pod; null without stats.', example: '200Mi' },
  request: {
    type: 'identifier',
    optional: true,
    description: 'Request that the usage is compared with, including overhead; null for `pid`, which ignores requests.',
    example: '100Mi',
  },
  exceedsRequest: {
    type: 'boolean',
    optional: true,
    description: 'Whether usage exceeds the request; null for `pid` and without stats.',
    example: true,
  },
  excess: {
    type: 'identifier',
    optional: true,
    description:
      'Usage minus request, which orders pods of equal priority. For `inodes`, the ephemeral storage request in ' +
      'bytes is subtracted, as in Kubernetes. For `pid`, the number of processes.',
    example: '100Mi',
  },
  priority: { type: 'integer', description: 'Priority of the pod; 0 if it has none.', example: 0 },
  why: {
    type: 'string',
    description: 'Why the pod has this position.',
    example: 'uses 200Mi of memory, more than the 100Mi that it requests; priority 0',
  },
});

export const evictionRankCounts = object('EvictionRankCounts', 'Number of pods of the node.', {
  ranked: { type: 'integer', description: 'Pods in the order.', example: 1 },
  critical: { type: 'integer', description: 'Ranked pods that are never evicted.', example: 0 },
  withoutStats: { type: 'integer', description: 'Ranked pods without stats.', example: 0 },
  ended: { type: 'integer', description: 'Finished pods, which are left out.', example: 0 },
});

/** The members of the response besides its pods. */
export const evictionRankHead = object(
  'EvictionRankHead',
  '',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    node: { type: 'identifier', description: 'Node name.', example: 'node-1' },
    signal: { type: SIGNAL, description: 'The resource under pressure.', example: 'memory' },
    evicted: {
      type: 'identifier',
      optional: true,
      description: 'The pod (`namespace/name`) that one synchronization of the eviction manager evicts; null if none.',
      example: 'default/web-0',
    },
    counts: { type: evictionRankCounts, description: 'Number of pods of the node.' },
    notOnNode: {
      type: 'identifier',
      list: true,
      description: 'Names in `usage` that match no pod of the node; the first 100.',
      example: [],
    },
  },
  { restOnly: true },
);
