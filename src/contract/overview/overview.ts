import { answerBasis } from '../common/basis.js';
import { findingCounts } from '../findings/finding.js';
import { object } from '../schema.js';
import { REVISION_KIND } from '../snapshots/snapshot.js';

/** How many distinct taints an overview has; the others are counted. */
export const OVERVIEW_TAINTS = 50;

const overviewSnapshot = object('OverviewSnapshot', 'Where the state of an overview came from.', {
  kind: { type: REVISION_KIND, description: 'How the revision came to be.', example: 'snapshot' },
  receivedAt: { type: 'time', description: 'When it was stored.', example: '2026-05-04T03:02:05.000Z' },
  source: { type: 'string', optional: true, description: 'Where it came from, in the words of its sender.' },
  author: { type: 'string', optional: true, description: 'Who sent or made it.' },
});

const overviewNodes = object('OverviewNodes', 'Nodes by state; a node may be in several.', {
  total: { type: 'integer', description: 'All nodes.', example: 5 },
  ready: { type: 'integer', description: 'Whose condition Ready is True.', example: 5 },
  notReady: { type: 'integer', description: 'Whose condition Ready is False, Unknown or absent.', example: 0 },
  unschedulable: { type: 'integer', description: 'Cordoned: `spec.unschedulable`.', example: 1 },
  tainted: { type: 'integer', description: 'With at least one taint.', example: 4 },
});

const overviewTaint = object('OverviewTaint', 'A taint by key, value and effect.', {
  key: { type: 'string', description: 'The key.', example: 'gpu' },
  value: { type: 'string', description: 'The value; empty where there is none.', example: 'a100' },
  effect: { type: 'string', description: 'The effect.', example: 'NoSchedule' },
  nodes: { type: 'integer', description: 'How many nodes have it.', example: 2 },
});

const overviewPhase = object('OverviewPhase', 'The pods of one phase.', {
  phase: { type: 'string', description: 'The phase; empty where a pod has none.', example: 'Running' },
  pods: { type: 'integer', description: 'How many pods.', example: 40 },
});

const overviewPods = object('OverviewPods', 'Pods by phase.', {
  total: { type: 'integer', description: 'All pods.', example: 41 },
  pending: { type: 'integer', description: 'In phase Pending.', example: 1 },
  unscheduled: { type: 'integer', description: 'In phase Pending and without a node.', example: 1 },
  byPhase: { type: overviewPhase, list: true, description: 'By phase, the most frequent first.' },
});

const overviewResource = object(
  'OverviewResource',
  'What all nodes together have of a resource: milliCPU for cpu, else bytes or a count.',
  {
    resource: { type: 'string', description: 'The resource.', example: 'cpu' },
    allocatable: { type: 'int64', description: 'What the nodes offer.', example: 20000 },
    requested: { type: 'int64', description: 'What their pods that have not ended request.', example: 11250 },
  },
);

const overviewKind = object('OverviewKind', 'The stored objects of one kind.', {
  kind: { type: 'string', description: 'The kind.', example: 'Pod' },
  objects: { type: 'integer', description: 'How many.', example: 41 },
});

export const clusterOverview = object('ClusterOverview', 'What the first page about a cluster shows, in one answer.', {
  basis: { type: answerBasis, description: 'What the answer rests on; the age of the state is `ageSeconds`.' },
  snapshot: { type: overviewSnapshot, description: 'Where the state came from.' },
  nodes: { type: overviewNodes, description: 'Nodes by state.' },
  taints: {
    type: overviewTaint,
    list: true,
    description: `The distinct taints, the most frequent first; at most ${OVERVIEW_TAINTS}.`,
  },
  distinctTaints: { type: 'integer', description: 'How many distinct taints there are.', example: 1 },
  pods: { type: overviewPods, description: 'Pods by phase.' },
  resources: { type: overviewResource, list: true, description: 'What the nodes have, and what is requested.' },
  findings: { type: findingCounts, description: 'How many findings there are of each severity.' },
  unconfirmedNodes: {
    type: 'integer',
    description: 'Nodes with changes made here that no snapshot and no audit event has confirmed yet.',
    example: 0,
  },
  objects: { type: overviewKind, list: true, description: 'The stored objects by kind, kinds without any left out.' },
});
