import { GIVEN_TAINT } from '../common/given.js';
import { object } from '../schema.js';

export const flag = (description: string) =>
  ({ type: 'boolean', optional: true, defaultsTo: false, description }) as const;

export const drainOptionsInput = object(
  'DrainOptionsInput',
  'The flags of kubectl drain.',
  {
    force: flag('--force: pods without a controller go too.'),
    ignoreDaemonSets: flag('--ignore-daemonsets: pods of DaemonSets stay, and do not stop the drain.'),
    deleteEmptyDirData: flag('--delete-emptydir-data: pods with an emptyDir go, and their data with them.'),
    disableEviction: flag('--disable-eviction: pods are deleted, and no budget is asked.'),
    podSelector: {
      type: 'string',
      optional: true,
      description: '--pod-selector: only these pods.',
      example: 'app!=db',
    },
    skipWaitForDeleteTimeoutSeconds: {
      type: 'integer',
      optional: true,
      defaultsTo: 0,
      description: '--skip-wait-for-delete-timeout: pods that were deleted longer ago are not waited for; 0 for all.',
    },
    gracePeriodSeconds: {
      type: 'integer',
      optional: true,
      defaultsTo: -1,
      description: "--grace-period, in seconds: in the place of each pod's own; negative for its own.",
    },
    timeoutSeconds: {
      type: 'integer',
      optional: true,
      minimum: 0,
      defaultsTo: 0,
      description: '--timeout, in seconds: how long kubectl waits for one node; 0 for ever.',
    },
  },
  { openApiName: 'DrainOptions' },
);

export const rollingDrainInput = object(
  'RollingDrainInput',
  'How nodes are drained one after another.',
  {
    maxParallel: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: 10_000,
      defaultsTo: 1,
      description: 'So many nodes at once.',
    },
    replacementReadySeconds: {
      type: 'integer',
      optional: true,
      minimum: 0,
      maximum: 31_536_000,
      defaultsTo: 60,
      description: "From the making of a pod's replacement until it is ready, in seconds.",
    },
  },
  { openApiName: 'RollingDrain' },
);

export const drainInput = object(
  'DrainInput',
  'Which nodes, and how. Exactly one of nodes and nodeSelector is given.',
  {
    nodes: {
      type: 'string',
      list: true,
      optional: true,
      maximumLength: 10_000,
      description: 'Names of nodes, in the order in which they are drained.',
      example: ['node-1'],
    },
    nodeSelector: {
      type: 'string',
      optional: true,
      description: "Nodes with these labels, in kubectl's syntax, by name; the empty text for all.",
      example: 'pool=batch',
    },
    options: { type: drainOptionsInput, optional: true, description: 'The flags of kubectl drain.' },
    taint: {
      type: GIVEN_TAINT,
      optional: true,
      defaultsTo: 'drain=true:NoExecute',
      description:
        "The NoExecute taint that the drain is held against, in kubectl's syntax or as an object. Those that the node has already count too.",
      example: 'maintenance=true:NoExecute',
    },
    rolling: { type: rollingDrainInput, optional: true, description: 'How nodes are drained one after another.' },
  },
  { openApiName: 'Drain' },
);
