import { findingCounts } from '../findings/finding.js';
import { enumType, object } from '../schema.js';
import { overviewNodes } from './overview.js';

/** Default and maximum number of clusters whose figures one request computes. */
export const DEFAULT_COMPUTED = 4;
export const MOST_COMPUTED = 20;

export const TROUBLES = [
  'linkBroken',
  'nodesNotReady',
  'podsUnscheduled',
  'findingErrors',
  'disagreements',
  'unconfirmedChanges',
  'oldState',
  'noState',
] as const;

export const TROUBLE = enumType('ClusterTrouble', 'Why to look at a cluster, the most urgent first.', TROUBLES);

const LINK_STATE = enumType('ClusterLinkState', 'How the service learns of the state of a cluster.', [
  'following',
  'partly',
  'broken',
  'agent',
  'connected',
  'snapshots',
]);

const clusterLink = object('ClusterLink', 'How the service learns of the state of a cluster.', {
  state: { type: LINK_STATE, description: LINK_STATE.description, example: 'following' },
  since: {
    type: 'time',
    optional: true,
    description: 'Since when a replica of the service follows it; null if none does.',
    example: '2026-05-04T03:02:01.000Z',
  },
  message: { type: 'string', optional: true, description: 'What is wrong; else null.', example: null },
});

const fleetPods = object('FleetPods', 'Pods of a cluster.', {
  total: { type: 'integer', description: 'All pods.', example: 41 },
  pending: { type: 'integer', description: 'Pods in phase Pending.', example: 1 },
  unscheduled: { type: 'integer', description: 'Pods in phase Pending without a node.', example: 1 },
});

const fleetFigures = object('FleetFigures', 'What is counted in one revision of a cluster.', {
  revision: { type: 'integer', description: 'The revision; the head, or the last that was counted.', example: 7 },
  capturedAt: {
    type: 'time',
    optional: true,
    description: 'When the revision was captured; null if it is no longer stored.',
    example: '2026-05-04T03:02:01.000Z',
  },
  nodes: { type: overviewNodes, description: 'Nodes by state.' },
  pods: { type: fleetPods, description: 'Pods.' },
  findings: { type: findingCounts, description: 'Number of findings of each severity.' },
});

const fleetAgreement = object('FleetAgreement', 'How often predictions agreed with the cluster in the last 7 days.', {
  agreed: { type: 'int64', description: 'Predictions that agreed.', example: 4990 },
  disagreed: { type: 'int64', description: 'Predictions that did not.', example: 2 },
  unknown: { type: 'int64', description: 'Predictions of which it is not known.', example: 8 },
});

export const fleetCluster = object('FleetCluster', 'A cluster, and why to look at it.', {
  name: { type: 'identifier', description: 'Cluster name.', example: 'eks-prod' },
  labels: { type: 'labels', description: 'Labels of the cluster.', example: { env: 'prod' } },
  headRevision: {
    type: 'integer',
    optional: true,
    description: 'The newest revision; null without a state.',
    example: 7,
  },
  capturedAt: {
    type: 'time',
    optional: true,
    description: 'When the newest state was captured; null without a state.',
    example: '2026-05-04T03:02:01.000Z',
  },
  currentAt: {
    type: 'time',
    optional: true,
    description: 'Until when it is known to be the state of the cluster; null if nobody follows the cluster.',
    example: '2026-05-04T03:12:01.000Z',
  },
  ageSeconds: {
    type: 'integer',
    optional: true,
    description: 'Seconds since the state was captured, or was last known to be current; null without a state.',
    example: 42,
  },
  link: { type: clusterLink, description: 'How the service learns of the state.' },
  figures: {
    type: fleetFigures,
    optional: true,
    description: 'What was counted; null if nothing was counted yet. Ask again to have more counted.',
  },
  unconfirmedNodes: {
    type: 'integer',
    description: 'Nodes with changes made through this service that the cluster has not confirmed yet.',
    example: 0,
  },
  agreement: { type: fleetAgreement, description: 'How often predictions agreed with the cluster in the last 7 days.' },
  troubles: { type: TROUBLE, list: true, description: 'Why to look at it, the most urgent first.', example: [] },
});
export const fleetSums = object('FleetSums', 'Sums over the clusters of all pages.', {
  clusters: { type: 'integer', description: 'Clusters.', example: 12 },
  troubled: { type: 'integer', description: 'Clusters with a trouble.', example: 2 },
  nodes: { type: 'integer', description: 'Nodes, as far as they are counted.', example: 420 },
  pods: { type: 'integer', description: 'Pods, as far as they are counted.', example: 9000 },
  unscheduled: { type: 'integer', description: 'Pods that wait for a node, as far as they are counted.', example: 3 },
  uncounted: { type: 'integer', description: 'Clusters with a state but without figures.', example: 0 },
  outdated: { type: 'integer', description: 'Clusters whose figures are of an earlier revision.', example: 0 },
});

export const FLEET_ORDER = enumType('FleetOrder', 'The order of a fleet.', ['trouble', 'name']);
