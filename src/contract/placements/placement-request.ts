import { object, enumType } from '../schema.js';
import { DEFAULT_FILTERS } from '../../core/placement/profile.js';
import { MOST_CLUSTERS } from '../limits.js';
import { MOST_ITEMS } from '../limits.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../page.js';
import { ADMISSION } from '../common/admission-mode.js';
import { POD_SUBJECT } from '../common/pod-subject.js';
import { SCENARIO } from '../scenarios/scenario-request.js';

export const VERDICT = enumType(
  'Verdict',
  'Whether a node can take the pod. Unknown: no rule that is evaluated refuses it, but one that is not, or that lacks data, may.',
  ['feasible', 'infeasible', 'unknown'],
);

export const VIEW = enumType('PlacementView', 'Nodes that are equal for the pod together, or one by one, by name.', [
  'groups',
  'nodes',
]);

export const DETAIL = enumType(
  'PlacementDetail',
  'How much is said of the nodes: nothing, the verdict and first failing filter, or every reason.',
  ['summary', 'verdicts', 'nodes'],
);

export const OUT_OF_TREE_PLUGINS = enumType(
  'OutOfTreePlugins',
  'What becomes of out-of-tree plugins: their answers are unknown, or they are left out.',
  ['keep', 'leaveOut'],
);

export const schedulerChoiceInput = object(
  'SchedulerChoiceInput',
  'Which scheduler places the pod, and how it is configured.',
  {
    configuration: {
      type: 'kubernetesObject',
      optional: true,
      description: 'A KubeSchedulerConfiguration or a legacy Policy; the one that is stored by default.',
      example: { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' },
    },
    schedulerName: {
      type: 'string',
      optional: true,
      maximumLength: 253,
      description: 'Of the profile; the one that the pod asks for by default.',
      example: 'default-scheduler',
    },
    outOfTreePlugins: {
      type: OUT_OF_TREE_PLUGINS,
      optional: true,
      defaultsTo: 'keep',
      description: 'What becomes of out-of-tree plugins.',
      example: 'keep',
    },
  },
  { openApiName: 'SchedulerChoice' },
);

export const nodesWantedInput = object(
  'NodesWantedInput',
  'Which nodes an answer lists, and how much it says of them.',
  {
    names: {
      type: 'string',
      list: true,
      optional: true,
      maximumLength: 1000,
      description: 'Only nodes of these names.',
      example: ['node-1'],
    },
    labelSelector: {
      type: 'string',
      optional: true,
      description: "Only nodes with these labels, in kubectl's syntax.",
      example: 'pool in (gpu,batch)',
    },
  },
  { openApiName: 'NodesWanted' },
);

/** A question, whichever way it comes. */
export const placementInput = object('PlacementInput', 'A pod, and what is asked about where it can go.', {
  pod: POD_SUBJECT.pod,
  workload: POD_SUBJECT.workload,
  podRef: {
    ...POD_SUBJECT.podRef,
    description:
      'A stored pod, placed as it is stored: as if it were not bound yet, and without counting it on its own node.',
  },
  workloadRef: POD_SUBJECT.workloadRef,
  admission: ADMISSION,
  rules: {
    type: 'string',
    list: true,
    optional: true,
    maximumLength: 50,
    description: `Ask only these filters; all of them by default: ${DEFAULT_FILTERS.map(({ name }) => name).join(', ')}.`,
    example: ['TaintToleration'],
  },
  featureGates: POD_SUBJECT.featureGates,
  scheduler: {
    type: schedulerChoiceInput,
    optional: true,
    description: 'By which scheduler: the stored one by default, and the default profile where none is stored.',
  },
  nodes: { type: nodesWantedInput, optional: true, description: 'Which nodes are listed; the counts are of all.' },
  verdict: { type: VERDICT, optional: true, description: 'List only nodes of this verdict.', example: 'infeasible' },
});

export const DETAIL_PROPERTY = {
  type: DETAIL,
  optional: true,
  description: 'How much is said of the groups or nodes.',
  example: 'nodes',
} as const;

export const VIEW_PROPERTY = {
  type: VIEW,
  optional: true,
  defaultsTo: 'groups',
  description:
    'List the nodes in groups of those that are equal for the pod, or one by one. `detail` says how much is said of each group or node.',
  example: 'groups',
} as const;

export const FIXES = {
  type: 'boolean',
  optional: true,
  description:
    'Propose the smallest changes that would admit the pod to each refused group or node of the page. By default they are given where that is cheap: as long as refused groups of the page times nodes of the cluster are at most 50,000; one by one, in clusters of at most 1,000 nodes, as long as refused nodes times nodes of the cluster are at most 20,000. `fixesOmitted` says when not.',
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
  description: 'At most so many places of the ranking.',
  example: 10,
} as const;

export const RANKING_FROM = {
  type: 'integer',
  optional: true,
  minimum: 0,
  defaultsTo: 0,
  description: 'Places of the ranking to leave out at the top.',
  example: 0,
} as const;

export const SEED = {
  type: 'integer',
  optional: true,
  description:
    'Draws the first among the nodes with the greatest total, the same each time; by default the first by name.',
  example: 1,
} as const;

/** Which places of a ranking are told. */
export const RANKING_OPTIONS = { RANKING, RANKING_LIMIT, RANKING_FROM, SEED } as const;

export const LIMIT = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  defaultsTo: DEFAULT_PAGE_SIZE,
  description: 'At most so many groups or nodes in this page.',
  example: 10,
} as const;

export const placementRequest = object(
  'Placement',
  '',
  {
    ...placementInput.members,
    scenario: SCENARIO,
    view: VIEW_PROPERTY,
    detail: { ...DETAIL_PROPERTY, defaultsTo: 'nodes' },
    ranking: RANKING,
    rankingLimit: RANKING_LIMIT,
    rankingFrom: RANKING_FROM,
    seed: SEED,
    fixes: FIXES,
    limit: LIMIT,
    continue: {
      type: 'string',
      optional: true,
      description: 'The `continue` of the page before; the rest as there. It rests on the same revision as that one.',
    },
  },
  { restOnly: true },
);

export const placementItemRequest = object(
  'PlacementItem',
  '',
  {
    ...placementInput.members,
    id: {
      type: 'string',
      maximumLength: 200,
      description: 'Your name for the item; the answer repeats it.',
      example: 'a',
    },
    view: VIEW_PROPERTY,
    detail: { ...DETAIL_PROPERTY, defaultsTo: 'summary' },
    ranking: RANKING,
    rankingLimit: RANKING_LIMIT,
    rankingFrom: RANKING_FROM,
    seed: SEED,
    fixes: FIXES,
    limit: LIMIT,
  },
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
      maximumLength: MOST_ITEMS,
      readApart: true,
      description: `The questions, at most ${MOST_ITEMS}; each is answered for itself.`,
    },
  },
  { restOnly: true },
);

export const placementItemInput = object('PlacementItemInput', 'One placement of a batch, with a name for it.', {
  ...placementInput.members,
  id: {
    type: 'string',
    maximumLength: 200,
    description: 'Your name for the item; the answer repeats it.',
    example: 'a',
  },
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
      description: "Only clusters with these labels, in kubectl's syntax; all of them by default.",
      example: 'env=prod',
    },
    view: VIEW_PROPERTY,
    detail: { ...DETAIL_PROPERTY, defaultsTo: 'summary' },
    ranking: RANKING,
    rankingLimit: RANKING_LIMIT,
    rankingFrom: RANKING_FROM,
    seed: SEED,
    fixes: FIXES,
    limit: { ...LIMIT, maximum: MOST_CLUSTERS, description: 'At most so many clusters in this page.' },
    perCluster: {
      ...LIMIT,
      description: 'At most so many groups or nodes of each cluster; the cluster alone tells the others.',
    },
    continue: {
      type: 'string',
      optional: true,
      description: 'The `continue` of the page of clusters before; the rest as there.',
    },
  },
  { restOnly: true },
);
