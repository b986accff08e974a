import { answerBasis } from '../common/basis.js';
import { findingCounts } from '../findings/finding.js';
import { object } from '../schema.js';
import { REVISION_KIND } from '../snapshots/snapshot.js';

/** Maximum number of distinct taints in an overview; the others are only counted. */
export const OVERVIEW_TAINTS = 50;

const overviewSnapshot = object('OverviewSnapshot', 'The origin of the state of an overview.', {
  kind: { type: REVISION_KIND, description: 'How the revision was created.', example: 'snapshot' },
  receivedAt: { type: 'time', description: 'When the revision was stored.', example: '2026-05-04T03:02:05.000Z' },
  source: { type: 'string', optional: true, description: 'Origin of the snapshot, as stated by its sender.' },
  author: { type: 'identifier', optional: true, description: 'User who sent or created it.' },
});

export const overviewNodes = object('OverviewNodes', 'Nodes by state; a node may be in several.', {
  total: { type: 'integer', description: 'All nodes.', example: 5 },
  ready: { type: 'integer', description: 'Nodes whose condition Ready is True.', example: 5 },
  notReady: { type: 'integer', description: 'Nodes whose condition Ready is False, Unknown or absent.', example: 0 },
  unschedulable: { type: 'integer', description: 'Cordoned nodes (`spec.unschedulable`).', example: 1 },
  tainted: { type: 'integer', description: 'Nodes with at least one taint.', example: 4 },
});

const overviewTaint = object('OverviewTaint', 'A taint by key, value and effect.', {
  key: { type: 'identifier', description: 'The key.', example: 'gpu' },
  value: { type: 'string', taintValue: true, description: 'The value; empty if there is none.', example: 'a100' },
  effect: { type: 'identifier', description: 'The effect.', example: 'NoSchedule' },
  nodes: { type: 'integer', description: 'Number of nodes with this taint.', example: 2 },
});

const overviewPhase = object('OverviewPhase', 'The pods of one phase.', {
  phase: { type: 'identifier', description: 'The phase; empty if the pods have none.', example: 'Running' },
  pods: { type: 'integer', description: 'Number of pods.', example: 40 },
});

export const overviewPods = object('OverviewPods', 'Pods by phase.', {
  total: { type: 'integer', description: 'All pods.', example: 41 },
  pending: { type: 'integer', description: 'Pods in phase Pending.', example: 1 },
  unscheduled: { type: 'integer', description: 'Pods in phase Pending without a node.', example: 1 },
  byPhase: { type: overviewPhase, list: true, description: 'The phases, the most frequent first.' },
});

export const overviewResource = object(
  'OverviewResource',
  'A resource, summed over all nodes: in millicores for `cpu`, otherwise in bytes or as a count.',
  {
    resource: { type: 'identifier', description: 'The resource.', example: 'cpu' },
    allocatable: { type: 'int64', description: 'Allocatable amount of the nodes.', example: 20000 },
    requested: { type: 'int64', description: 'Requests of their non-terminated pods.', example: 11250 },
  },
);

const overviewKind = object('OverviewKind', 'The stored objects of one kind.', {
  kind: { type: 'identifier', description: 'The kind.', example: 'Pod' },
  objects: { type: 'integer', description: 'Number of objects.', example: 41 },
});

export const clusterOverview = object('ClusterOverview', 'A summary of a cluster, for a start page.', {
  basis: {
    type: answerBasis,
    description: 'The revision and settings that this response is based on; `ageSeconds` is the age of the state.',
  },
  snapshot: { type: overviewSnapshot, description: 'Origin of the state.' },
  nodes: { type: overviewNodes, description: 'Nodes by state.' },
  taints: {
    type: overviewTaint,
    list: true,
    description: `The distinct taints, the most frequent first; at most ${OVERVIEW_TAINTS}.`,
  },
  distinctTaints: { type: 'integer', description: 'Number of distinct taints.', example: 1 },
  pods: { type: overviewPods, description: 'Pods by phase.' },
  resources: { type: overviewResource, list: true, description: 'Allocatable and requested amounts, by resource.' },
  findings: { type: findingCounts, description: 'Number of findings of each severity.' },
  unconfirmedNodes: {
    type: 'integer',
    description:
      'Number of nodes with changes made through this service that no snapshot or audit event has confirmed yet.',
    example: 0,
  },
  objects: { type: overviewKind, list: true, description: 'Stored objects by kind, without kinds that have none.' },
});
