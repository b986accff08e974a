import { object, enumType } from '../schema.js';
import { DEFAULT_FILTERS } from '../../core/placement/profile.js';
import { MAX_CLUSTERS, MAX_ITEMS } from '../limits.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../page.js';
import { ADMISSION } from '../common/admission-mode.js';
import { CONTINUE } from '../common/page.js';
import { POD_SUBJECT } from '../common/pod-subject.js';
import { SCENARIO } from '../scenarios/scenario-request.js';

export const VERDICT = enumType(
  'Verdict',
  'Whether a node can take the pod. `unknown`: no evaluated filter refuses it, but a filter that was not evaluated, or that lacks data, may.',
  ['feasible', 'infeasible', 'unknown'],
);

export const VIEW = enumType('PlacementView', 'Nodes in groups that are equal for the pod, or one by one, by name.', [
  'groups',
  'nodes',
]);

export const DETAIL = enumType(
  'PlacementDetail',
  'Detail of each node: none (counts only), the verdict and the first failing filter, or every reason.',
  ['summary', 'verdicts', 'nodes'],
);

export const OUT_OF_TREE_PLUGINS = enumType(
  'OutOfTreePlugins',
  'How to treat out-of-tree plugins: `keep` makes their verdicts unknown, `leaveOut` ignores them.',
  ['keep', 'leaveOut'],
);

export const schedulerChoiceInput = object(
  'SchedulerChoiceInput',
  'Which scheduler places the pod.',
  {
    configuration: {
      type: 'kubernetesObject',
      optional: true,
      description: 'A KubeSchedulerConfiguration or a legacy Policy. Default: the stored configuration.',
      example: { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' },
    },
    schedulerName: {
      type: 'identifier',
      optional: true,
      maximumLength: 253,
      description: 'The `schedulerName` of the profile. Default: that of the pod.',
      example: 'default-scheduler',
    },
    outOfTreePlugins: {
      type: OUT_OF_TREE_PLUGINS,
      optional: true,
      defaultsTo: 'keep',
      description: 'How to treat out-of-tree plugins.',
      example: 'keep',
    },
  },
  { openApiName: 'SchedulerChoice' },
);

export const nodeSelectionInput = object(
  'NodeSelectionInput',
  'Which nodes the response lists.',
  {
    names: {
      type: 'identifier',
      list: true,
      optional: true,
      maximumLength: 1000,
      description: 'Only nodes with these names.',
      example: ['node-1'],
    },
    labelSelector: {
      type: 'string',
      optional: true,
      syntax: 'labelSelector',
      description: 'Label selector for nodes, in kubectl syntax.',
      example: 'pool in (gpu,batch)',
    },
  },
  { openApiName: 'NodeSelection' },
);

/** The parameters of a placement, in every kind of request. */
export const placementInput = object('PlacementInput', 'The pod to place, and how.', {
  pod: POD_SUBJECT.pod,
  workload: POD_SUBJECT.workload,
  podRef: {
    ...POD_SUBJECT.podRef,
    description: 'A stored pod, placed as if it were not bound: its own resources count as free.',
  },
  workloadRef: POD_SUBJECT.workloadRef,
  fieldValidation: POD_SUBJECT.fieldValidation,
  admission: ADMISSION,
  filters: {
    type: 'identifier',
    sharedAs: 'FiltersToEvaluate',
    formerName: 'rules',
    list: true,
    optional: true,
    maximumLength: 50,
    description: `Evaluate only these filters of the scheduler. Default: all of them, ${DEFAULT_FILTERS.map(({ name }) => name).join(', ')}.`,
    example: ['TaintToleration'],
  },
  featureGates: POD_SUBJECT.featureGates,
  scheduler: {
    type: schedulerChoiceInput,
    optional: true,
    description: 'The scheduler to use. Default: the stored configuration, or the default profile if none is stored.',
  },
  nodes: { type: nodeSelectionInput, optional: true, description: 'The nodes to list; counts cover all nodes.' },
  verdict: { type: VERDICT, optional: true, description: 'List only nodes with this verdict.', example: 'infeasible' },
});

export const DETAIL_PROPERTY = {
  type: DETAIL,
  optional: true,
  description: 'Detail of each group or node.',
  example: 'nodes',
} as const;

export const VIEW_PROPERTY = {
  type: VIEW,
  optional: true,
  defaultsTo: 'groups',
  description: 'List nodes in groups that are equal for the pod, or one by one. `detail` sets the detail of each.',
  example: 'groups',
} as const;

export const FIXES = {
  type: 'boolean',
  sharedAs: 'WithFixes',
  optional: true,
  description:
    'Propose the smallest changes that would admit the pod to each refused group or node of the page. By default, only if refused groups of the page times nodes of the cluster are at most 50,000; with `view: nodes`, only in clusters of up to 1,000 nodes, if refused nodes times nodes of the cluster are at most 20,000. Otherwise `fixesOmitted` is true.',
  example: true,
} as const;

export const RANKING = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Rank the nodes that can take the pod, with the arithmetic of every score.',
  example: true,
} as const;

export const RANKING_LIMIT = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  defaultsTo: 10,
  description: 'Maximum number of ranked nodes.',
  example: 10,
} as const;

export const RANKING_FROM = {
  type: 'integer',
  optional: true,
  minimum: 0,
  defaultsTo: 0,
  description: 'Number of ranked nodes to skip from the top.',
  example: 0,
} as const;

export const SEED = {
  type: 'integer',
  optional: true,
  description: 'Seed that draws one of the nodes with the greatest total, reproducibly. Default: the first by name.',
  example: 1,
} as const;

export const LIMIT = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  defaultsTo: DEFAULT_PAGE_SIZE,
  description: 'Maximum number of groups or nodes per page.',
  example: 10,
} as const;

const NEW_NODES_WANTED = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description:
    'Also answer whether a new node would take the pod: for each NodePool of Karpenter, for each MachineDeployment, MachineSet and MachinePool of Cluster API and MachineSet of OpenShift that the cluster autoscaler scales, and for each node group of EKS, GKE and AKS that nodes belong to.',
  example: true,
} as const;

/** What the response lists, and how; the default of `detail` differs. */
const listing = <const Detail extends (typeof DETAIL)['values'][number]>(detail: Detail) => ({
  view: VIEW_PROPERTY,
  detail: { ...DETAIL_PROPERTY, defaultsTo: detail },
  ranking: RANKING,
  rankingLimit: RANKING_LIMIT,
  rankingFrom: RANKING_FROM,
  seed: SEED,
  fixes: FIXES,
  limit: LIMIT,
});

/** The query parameters for a stored pod. */
export const storedPodPlacementQuery = {
  ...listing('nodes'),
  newNodes: NEW_NODES_WANTED,
  continue: CONTINUE,
  verdict: placementInput.members.verdict,
  nodeSelector: {
    type: 'identifier',
    optional: true,
    syntax: 'labelSelector',
    description: 'Label selector for the nodes to list, in kubectl syntax.',
    example: 'pool=gpu',
  },
  filters: placementInput.members.filters,
} as const;

export const placementRequest = object(
  'Placement',
  '',
  {
    ...placementInput.members,
    scenario: SCENARIO,
    ...listing('nodes'),
    newNodes: NEW_NODES_WANTED,
    continue: {
      type: 'identifier',
      optional: true,
      description:
        'The `continue` of the previous page; the other parameters must be the same. The page is from the same revision.',
    },
    record: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Keep the answer on record, with the page that is returned: see `GET /decisions/{id}`.',
      example: true,
    },
  },
  { restOnly: true },
);

const ID = {
  type: 'string',
  maximumLength: 200,
  description: 'Your id for the item; the response repeats it.',
  example: 'a',
} as const;

export const placementItemRequest = object(
  'PlacementItem',
  '',
  { ...placementInput.members, id: ID, ...listing('summary') },
  { restOnly: true },
);

export const placementBatchRequest = object(
  'PlacementBatch',
  '',
  {
    scenario: SCENARIO,
    items: {
      type: placementItemRequest,
      list: true,
      maximumLength: MAX_ITEMS,
      readApart: true,
      description: `The placements to evaluate, at most ${MAX_ITEMS}. An invalid item does not affect the others.`,
    },
  },
  { restOnly: true },
);

export const placementItemInput = object('PlacementItemInput', 'One placement of a batch, with an id.', {
  ...placementInput.members,
  id: ID,
});

export const placementAcrossRequest = object(
  'PlacementAcross',
  '',
  {
    ...placementInput.members,
    scenario: SCENARIO,
    clusterSelector: {
      type: 'string',
      optional: true,
      syntax: 'labelSelector',
      description: 'Label selector for clusters, in kubectl syntax. Default: all clusters.',
      example: 'env=prod',
    },
    ...listing('summary'),
    limit: { ...LIMIT, maximum: MAX_CLUSTERS, description: 'Maximum number of clusters per page.' },
    perCluster: {
      ...LIMIT,
      description: 'Maximum number of groups or nodes per cluster; place the pod in one cluster to get the rest.',
    },
    continue: {
      type: 'identifier',
      optional: true,
      description: 'The `continue` of the previous page of clusters; the other parameters must be the same.',
    },
  },
  { restOnly: true },
);
