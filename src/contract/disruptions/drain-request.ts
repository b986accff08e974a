import { GIVEN_TAINT } from '../common/given.js';
import { object } from '../schema.js';

export const flag = (description: string) =>
  ({ type: 'boolean', optional: true, defaultsTo: false, description }) as const;

export const drainOptionsInput = object(
  'DrainOptionsInput',
  'Flags of kubectl drain.',
  {
    force: flag('--force: evict pods without a controller as well.'),
    ignoreDaemonSets: flag('--ignore-daemonsets: skip pods of DaemonSets instead of refusing the drain.'),
    deleteEmptyDirData: flag('--delete-emptydir-data: evict pods with an emptyDir, whose data is lost.'),
    disableEviction: flag('--disable-eviction: delete pods without checking budgets.'),
    podSelector: {
      type: 'identifier',
      optional: true,
      syntax: 'labelSelector',
      description: '--pod-selector: evict only these pods.',
      example: 'app!=db',
    },
    skipWaitForDeleteTimeoutSeconds: {
      type: 'integer',
      optional: true,
      defaultsTo: 0,
      description:
        '--skip-wait-for-delete-timeout, in seconds: skip pods that were deleted longer ago; 0: wait for all.',
    },
    gracePeriodSeconds: {
      type: 'integer',
      optional: true,
      defaultsTo: -1,
      description: "--grace-period, in seconds: replaces each pod's own; negative: each pod's own.",
    },
    timeoutSeconds: {
      type: 'integer',
      optional: true,
      minimum: 0,
      defaultsTo: 0,
      description: '--timeout, in seconds: how long kubectl waits for one node; 0: no limit.',
    },
  },
  { openApiName: 'DrainOptions' },
);

export const rollingDrainInput = object(
  'RollingDrainInput',
  'How a sequence of nodes is drained.',
  {
    maxParallel: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: 10_000,
      defaultsTo: 1,
      description: 'Maximum number of concurrent drains.',
    },
    replacementReadySeconds: {
      type: 'integer',
      optional: true,
      minimum: 0,
      maximum: 31_536_000,
      defaultsTo: 60,
      description: 'Time from the placement of a replacement pod on a node until it is ready, in seconds.',
    },
  },
  { openApiName: 'RollingDrain' },
);

export const drainInput = object(
  'DrainInput',
  'The nodes to drain, and how. Exactly one of `nodes` and `nodeSelector` is required.',
  {
    nodes: {
      type: 'identifier',
      list: true,
      optional: true,
      maximumLength: 10_000,
      description: 'Names of the nodes, in the order of the drain.',
      example: ['node-1'],
    },
    nodeSelector: {
      type: 'identifier',
      optional: true,
      syntax: 'labelSelector',
      description: 'Label selector for nodes, in kubectl syntax; empty for all. Drained by name.',
      example: 'pool=batch',
    },
    asOf: {
      type: 'time',
      optional: true,
      description:
        'Start of the first drain; all times are computed from it. Default: the time of the request or, for a past ' +
        'state, the time of that state. Further pages repeat the times only if the `startsAt` of the first is sent.',
    },
    options: { type: drainOptionsInput, optional: true, description: 'Flags of kubectl drain.' },
    taint: {
      type: GIVEN_TAINT,
      optional: true,
      defaultsTo: 'drain=true:NoExecute',
      description:
        'The NoExecute taint to compare the drain with, in kubectl syntax or as an object. Existing NoExecute taints ' +
        'of the node count as well.',
      example: 'maintenance=true:NoExecute',
    },
    rolling: { type: rollingDrainInput, optional: true, description: 'How a sequence of nodes is drained.' },
  },
  { openApiName: 'Drain' },
);
