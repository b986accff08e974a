import { object, enumType, json } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { placingScheduler, ranking } from './ranking.js';
import { kubernetesToleration } from '../common/kubernetes.js';
import { placementFix } from './fix.js';
import { VERDICT } from './placement-request.js';
import { placementReason, REASON_CODE } from './reason.js';

const COLUMN_UNIT = enumType('AmountUnit', 'The unit of amounts.', ['millicores', 'bytes', 'count']);

export const placementTaint = object('PlacementTaint', 'A taint of a node.', {
  key: { type: 'string', description: 'Its key.', example: 'gpu' },
  value: { type: 'string', description: 'Its value; empty where it has none.', example: 'true' },
  effect: { type: 'string', description: 'Its effect.', example: 'NoSchedule' },
  text: { type: 'string', description: 'As kubectl writes it.', example: 'gpu=true:NoSchedule' },
  implied: { type: 'boolean', description: 'Not on the node itself: its cordon stands for it.', example: false },
  wellKnown: {
    type: 'string',
    optional: true,
    description: 'Of a well-known key: who sets it when, and who takes it off.',
    example: null,
  },
});

export const placementToleration = object('PlacementToleration', 'The toleration that did it.', {
  index: { type: 'integer', description: 'Its index in the pod that was placed.', example: 0 },
  pointer: {
    type: 'string',
    optional: true,
    description: 'Where it stands in the request, or in the stored object; null for one that was added.',
    example: '/pod/spec/tolerations/0',
  },
  text: { type: 'string', description: 'In short.', example: 'gpu Exists NoSchedule' },
  toleration: {
    type: kubernetesToleration,
    description: 'As it stands in the pod.',
    example: { key: 'gpu', operator: 'Exists' },
  },
});

export const toleratedTaint = object('ToleratedTaint', 'A taint, and the first toleration that matches it.', {
  taint: { type: placementTaint, description: 'The taint.' },
  toleration: { type: placementToleration, description: 'The toleration.' },
});

export const placementFixPlan = object(
  'PlacementFixPlan',
  'Changes that belong together.',
  {
    changes: { type: placementFix, list: true, description: 'The changes.' },
    verdict: {
      type: VERDICT,
      description: 'The verdict of the node after them, by evaluating it again.',
      example: 'feasible',
    },
    remaining: { type: placementReason, list: true, description: 'What still stands in the way then.' },
  },
  { openApiName: 'FixPlan' },
);

export const placementFixes = object(
  'PlacementFixes',
  'The smallest changes that would admit the pod to a node.',
  {
    pod: { type: placementFixPlan, optional: true, description: 'Of the pod alone; null where none helps.' },
    node: { type: placementFixPlan, optional: true, description: 'Of the node alone; null where none helps.' },
  },
  { openApiName: 'Fixes' },
);

export const groupFixPlan = object(
  'PlacementGroupFixPlan',
  'Changes that belong together, made for one node of a group.',
  {
    ...placementFixPlan.members,
    nodes: {
      type: 'integer',
      optional: true,
      description:
        'How many nodes of the group have this verdict after the change, by evaluating them all; null for a change of the node, which concerns that node alone.',
      example: 1,
    },
  },
  { openApiName: 'GroupFixPlan' },
);

export const groupFixes = object(
  'PlacementGroupFixes',
  'The smallest changes that would admit the pod to the node of the group that is nearest to taking it.',
  {
    evaluatedOn: {
      type: 'string',
      description:
        'The node that the changes are made for: of nodes that are short of a resource, the one with the most of it. For other nodes of the group, put their names into the command.',
      example: 'node-2',
    },
    pod: { type: groupFixPlan, optional: true, description: 'Of the pod alone; null where none helps.' },
    node: { type: groupFixPlan, optional: true, description: 'Of the node alone; null where none helps.' },
  },
  { openApiName: 'GroupFixes' },
);

export const factColumn = object(
  'PlacementColumn',
  'One fact in which the nodes of a group differ.',
  {
    reason: { type: 'integer', description: 'The index of the reason in `reasons` that it belongs to.', example: 0 },
    name: {
      type: 'string',
      description:
        'Where the fact stands in `facts` of that reason: `available`, `allocatable`, `label.actual`. What pods use of a resource is `allocatable` minus `available`.',
      example: 'available',
    },
    unit: {
      type: COLUMN_UNIT,
      optional: true,
      description: 'Of an amount; null for other facts.',
      example: 'millicores',
    },
    values: {
      type: json<readonly unknown[]>(),
      description: 'A list with one value a node, in the order of `nodes`; null where the node has none.',
      example: [250],
    },
  },
  { openApiName: 'FactColumn' },
);

export const placementGroup = object(
  'PlacementGroup',
  'Nodes that are equal for the pod: the same verdict, reasons, taints, and facts but for those in columns.',
  {
    verdict: { type: VERDICT, description: 'Whether they can take the pod.', example: 'infeasible' },
    nodeCount: { type: 'integer', description: 'How many nodes are in the group.', example: 1 },
    firstFail: {
      type: 'string',
      optional: true,
      description: 'The filter that Kubernetes stops at; null where none refuses.',
      example: 'TaintToleration',
    },
    reasons: {
      type: placementReason,
      list: true,
      optional: true,
      description:
        'Every reason, in calling order of the filters; their facts lack what the nodes differ in. Null with `detail: verdicts`.',
    },
    untoleratedTaints: {
      type: placementTaint,
      list: true,
      optional: true,
      description: 'Every NoSchedule and NoExecute taint that the pod does not tolerate; null with `detail: verdicts`.',
    },
    toleratedTaints: {
      type: toleratedTaint,
      list: true,
      optional: true,
      description: 'Every taint that it tolerates; null with `detail: verdicts`.',
    },
    fixes: {
      type: groupFixes,
      optional: true,
      description: 'What would admit the pod; null where the nodes are not refused, or where fixes are left out.',
    },
    nodes: { type: 'string', list: true, description: 'The names of all of them, in order.', example: ['node-2'] },
    columns: {
      type: factColumn,
      list: true,
      description: 'The facts in which the nodes differ; none with `detail: verdicts`.',
      example: [],
    },
  },
);

export const nodePlacement = object('NodePlacement', 'Whether one node can take the pod, and every reason why not.', {
  node: { type: 'string', description: 'The node.', example: 'node-1' },
  verdict: { type: VERDICT, description: 'Whether it can take the pod.', example: 'infeasible' },
  firstFail: {
    type: 'string',
    optional: true,
    description: 'The filter that Kubernetes stops at; null where none refuses.',
    example: 'TaintToleration',
  },
  reasons: {
    type: placementReason,
    list: true,
    optional: true,
    description: 'Every reason, in calling order of the filters; null where only verdicts are told.',
  },
  untoleratedTaints: {
    type: placementTaint,
    list: true,
    optional: true,
    description:
      'Every NoSchedule and NoExecute taint that the pod does not tolerate; null where only verdicts are told.',
  },
  toleratedTaints: {
    type: toleratedTaint,
    list: true,
    optional: true,
    description: 'Every taint that it tolerates; null where only verdicts are told.',
  },
  fixes: {
    type: placementFixes,
    optional: true,
    description: 'What would admit the pod; null where the node is not refused, or where fixes are not told.',
  },
});

export const placementWorkload = object('PlacementWorkload', 'The workload that the pod belongs to.', {
  kind: { type: 'string', description: 'Its kind.', example: 'Deployment' },
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web' },
});

export const SOURCE = enumType('PodSource', 'Where the pod that was placed came from.', [
  'manifest',
  'template',
  'stored',
]);

export const placedPod = object('PlacedPod', 'The pod that was placed.', {
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name; made up for a pod of a template.', example: 'web' },
  source: { type: SOURCE, description: 'Where it came from.', example: 'manifest' },
  workload: { type: placementWorkload, optional: true, description: 'Its workload; null where it has none.' },
  requests: {
    type: 'labels',
    description: 'What it requests in all, overhead included, by resource.',
    example: { cpu: '500m', memory: '128Mi' },
  },
});

export const podAddition = object(
  'PodAddition',
  'Something that is in the pod that was placed, but not in what was sent.',
  {
    by: { type: 'string', description: 'Who adds it.', example: 'defaults' },
    pointer: { type: 'string', description: 'Where in the pod, as a JSON pointer.', example: '/spec/restartPolicy' },
    value: {
      type: 'json',
      optional: true,
      description: 'What stands there now; null: it was taken away.',
      example: 'Always',
    },
    why: { type: 'string', description: 'Why.', example: 'the API server fills in its default' },
  },
  { openApiName: 'Addition' },
);

export const placementCounts = object('PlacementCounts', 'All nodes of the cluster by verdict.', {
  nodes: { type: 'integer', description: 'All of them.', example: 3 },
  feasible: { type: 'integer', description: 'Those that can take the pod.', example: 2 },
  infeasible: { type: 'integer', description: 'Those that cannot.', example: 1 },
  unknown: { type: 'integer', description: 'Those of which it is not known.', example: 0 },
});

export const countedTaint = object('CountedTaint', 'An untolerated taint, and how many nodes have it.', {
  taint: { type: 'string', description: 'As kubectl writes it.', example: 'gpu=true:NoSchedule' },
  nodes: { type: 'integer', description: 'Nodes that have it.', example: 1 },
  wellKnown: {
    type: 'string',
    optional: true,
    description: 'Of a well-known key: who sets it when, and who takes it off.',
    example: null,
  },
});

export const reasonCount = object('ReasonCount', 'One reason counted over all nodes.', {
  plugin: { type: 'string', description: 'The filter of the scheduler.', example: 'TaintToleration' },
  code: { type: REASON_CODE, description: 'What it is, for programs.', example: 'UntoleratedTaint' },
  message: {
    type: 'string',
    description: "In Kubernetes' words where it has any.",
    example: 'node(s) had untolerated taint(s)',
  },
  nodes: { type: 'integer', description: 'The nodes that have it.', example: 1 },
  first: { type: 'integer', description: 'Those of them where Kubernetes stops at it.', example: 1 },
  examples: { type: 'string', list: true, description: 'The first few of the nodes by name.', example: ['node-1'] },
  taints: { type: countedTaint, list: true, description: 'Of untolerated taints: each of them.' },
});

export const ruleDifference = object(
  'RuleDifference',
  "A rule of which the cluster's version has another than the one applied, and that can show in this answer.",
  {
    code: { type: 'string', description: 'What it is, for programs.', example: 'message-names-taint' },
    since: { type: 'string', description: 'The version that brought the rule applied here.', example: '1.35' },
    message: { type: 'string', description: 'What differs.', example: 'Before 1.35 the message names the taint.' },
  },
);

/** What REST and GraphQL have in common: all but the nodes, of which each cuts pages in its own way. */
export const placement = object(
  'Placement',
  'Where one pod can go in one cluster, and why not elsewhere.',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    pod: { type: placedPod, description: 'The pod that was placed.' },
    added: {
      type: podAddition,
      list: true,
      description: 'What the API server, controllers and the RuntimeClass add to what was sent.',
    },
    droppedFields: {
      type: 'integer',
      description: 'Fields of the manifest that Kubernetes knows and placement does not look at.',
      example: 0,
    },
    unknownFieldCount: {
      type: 'integer',
      description: 'Fields of the manifest that Kubernetes v1.36 does not know.',
      example: 0,
    },
    unknownFields: { type: 'string', list: true, description: 'The first of them, by their paths.', example: [] },
    summary: { type: placementCounts, description: 'All nodes by verdict, whatever the page.' },
    message: {
      type: 'string',
      optional: true,
      description:
        "What Kubernetes writes into the pod's condition and event, to the letter; null where some node is feasible.",
      example: null,
    },
    messageNote: {
      type: 'string',
      optional: true,
      description: 'What the message leaves out, or why there is none although no node is feasible.',
      example: null,
    },
    rollup: { type: reasonCount, list: true, description: 'The reasons over all nodes, most frequent first.' },
    assumptions: {
      type: 'string',
      list: true,
      description: 'What was taken for given because the kind that would tell was never loaded.',
      example: [],
    },
    scheduler: {
      type: placingScheduler,
      optional: true,
      description:
        'The profile that answers; null where nothing is stored of the scheduler, and nothing was asked: the default profile.',
      example: null,
    },
    ruleDifferences: { type: ruleDifference, list: true, description: 'How the rules of the cluster differ.' },
  },
  { openApiName: 'PlacementHead' },
);

export const placementResponse = object(
  'Placement',
  '',
  {
    ...placement.members,
    nodes: {
      type: nodePlacement,
      list: true,
      description: 'The nodes of this page, by name; none in a summary, or with `view: groups`.',
    },
    groups: {
      type: placementGroup,
      list: true,
      description:
        'The groups of this page: nodes that can take the pod first, then those of which it is not known, then the others; of each the most nodes first. None in a summary, or with `view: nodes`.',
    },
    missingNodes: {
      type: 'string',
      list: true,
      description: 'Names that were asked for and that no node has.',
      example: [],
    },
    ranking: {
      type: ranking,
      optional: true,
      description: 'The nodes that can take the pod, from the best to the worst; null unless `ranking` asks for it.',
      example: null,
    },
    fixesOmitted: {
      type: 'boolean',
      description: 'Fixes were left out because they are costly here; ask for them with `fixes: true`.',
      example: false,
    },
    continue: { type: 'string', optional: true, description: 'For the next page; null when this is the last one.' },
    remainingItemCount: {
      type: 'integer',
      description: 'How many groups or nodes follow after this page.',
      example: 0,
    },
  },
  { restOnly: true },
);
