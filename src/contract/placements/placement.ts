import { MAX_CHANGED_NODES } from '../../core/placement/fixes/smallest-fixes.js';
import { partError } from '../common/part-error.js';
import { gatePatchOperation } from '../common/patch.js';
import { decisionRef } from '../decisions/decision.js';
import { exampleOf } from '../example-of.js';
import { object, enumType, json, type ObjectType } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { list } from '../question.js';
import { placingScheduler, ranking } from './ranking.js';
import { kubernetesToleration } from '../common/kubernetes.js';
import { placementFix } from './fix.js';
import { VERDICT } from './placement-request.js';
import { nodeDevice } from '../common/node-device.js';
import { newNodes } from './new-nodes.js';
import { placementTaint } from './placement-taint.js';
import { placementReason, REASON_CODE } from './reason.js';

const COLUMN_UNIT = enumType('AmountUnit', 'The unit of amounts.', ['millicores', 'bytes', 'count']);

export const placementToleration = object('PlacementToleration', 'A toleration that matches a taint.', {
  index: { type: 'integer', description: 'Index in the tolerations of the placed pod.', example: 0 },
  pointer: {
    type: 'identifier',
    optional: true,
    description: 'JSON pointer into the request or the stored object; null if the toleration was added.',
    example: '/pod/spec/tolerations/0',
  },
  text: { type: 'string', description: 'The toleration in short form.', example: 'gpu Exists NoSchedule' },
  toleration: {
    type: kubernetesToleration,
    description: 'The toleration as in the Pod object.',
    example: { key: 'gpu', operator: 'Exists' },
  },
});

export const toleratedTaint = object('ToleratedTaint', 'A taint, and the first toleration that matches it.', {
  taint: { type: placementTaint, description: 'The taint.' },
  toleration: { type: placementToleration, description: 'The first toleration that matches the taint.' },
});

const NODE_FIX_EXAMPLE = {
  kind: 'RemoveTaint',
  summary: 'remove the taint gpu=true:NoSchedule',
  yaml: null,
  condition: null,
  command: 'kubectl taint nodes node-2 gpu:NoSchedule-',
  change: { taint: { key: 'gpu', value: 'true', effect: 'NoSchedule' } },
};

export const placementFixPlan = object(
  'PlacementFixPlan',
  'Changes that belong together.',
  {
    changes: { type: placementFix, list: true, description: 'The changes.' },
    verdict: {
      type: VERDICT,
      description: 'The verdict of the node after the changes, evaluated again.',
      example: 'feasible',
    },
    remaining: {
      type: placementReason,
      list: true,
      description: 'The reasons that remain after the changes.',
      example: [],
    },
    refusal: {
      type: 'string',
      optional: true,
      description: 'Why the API server would refuse the changed pod or node; null if it would accept it.',
      example: null,
    },
  },
  { openApiName: 'FixPlan' },
);

const OWNED_KIND = enumType('OwnedPartKind', 'Whether the part of the node is a taint or a label.', ['Taint', 'Label']);

export const ownedPart = object(
  'OwnedPart',
  'A taint or label of a node that its owner sets again if someone else changes it.',
  {
    kind: { type: OWNED_KIND, description: 'A taint or a label.', example: 'Taint' },
    key: { type: 'identifier', description: 'The key.', example: 'node.kubernetes.io/unreachable' },
    effect: { type: 'identifier', optional: true, description: 'The effect of a taint.', example: 'NoSchedule' },
    setBy: {
      type: 'identifier',
      description: 'The owner.',
      example: 'the node lifecycle controller of kube-controller-manager',
    },
    when: {
      type: 'identifier',
      description: 'When the owner sets it.',
      example: "the node's Ready condition is Unknown: its kubelet is unreachable",
    },
    changedBy: {
      type: 'identifier',
      description: 'What removes the taint, or changes the label.',
      example: 'the node lifecycle controller of kube-controller-manager, once Ready is no longer Unknown',
    },
  },
);

const OWNED = {
  type: ownedPart,
  list: true,
  description: 'Taints and labels that keep the pod off and that only their owner changes; no fix contains them.',
  example: [],
} as const;

const CLAIM_FIXES =
  'Changes of ResourceClaims of the pod, or of the templates of these, only; null if the pod does not lack devices of the node, or no change helps.';

export const placementFixes = object(
  'PlacementFixes',
  'The smallest changes that would admit the pod to a node.',
  {
    pod: { type: placementFixPlan, optional: true, description: 'Changes of the pod only; null if none helps.' },
    node: { type: placementFixPlan, optional: true, description: 'Changes of the node only; null if none helps.' },
    claim: {
      type: placementFixPlan,
      optional: true,
      description: CLAIM_FIXES,
      example: null,
    },
    owned: OWNED,
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
        'Number of nodes of the group with this verdict after the change, all evaluated again; null for a change of the node, which concerns that node only.',
      example: 1,
    },
  },
  { openApiName: 'GroupFixPlan' },
);

export const groupFixes = object(
  'PlacementGroupFixes',
  'The smallest changes that would admit the pod to the node of the group that is closest to admitting it.',
  {
    evaluatedOn: {
      type: 'identifier',
      description:
        'The node that the changes are for: if the nodes lack a resource, the one with the most of it. For other nodes of the group, replace the name in the command.',
      example: 'node-2',
    },
    pod: {
      type: groupFixPlan,
      optional: true,
      description: 'Changes of the pod only; null if none helps.',
      example: exampleOf(groupFixPlan),
    },
    node: {
      type: groupFixPlan,
      optional: true,
      description: 'Changes of the node only; null if none helps.',
      example: { ...exampleOf(groupFixPlan), changes: [NODE_FIX_EXAMPLE], nodes: null },
    },
    claim: { type: groupFixPlan, optional: true, description: CLAIM_FIXES, example: null },
    owned: OWNED,
  },
  { openApiName: 'GroupFixes' },
);

const FIXED_OBJECT = enumType('FixedObject', 'What a fix changes.', ['Pod', 'Node', 'Claim']);

export const smallestFix = object(
  'SmallestFix',
  'Changes that make nodes feasible, said once for all of these nodes.',
  {
    object: {
      type: FIXED_OBJECT,
      description: 'Whether the pod changes, each of the nodes, or a claim of the pod.',
      example: 'Pod',
    },
    changes: {
      type: placementFix,
      list: true,
      description:
        'The changes. Those of nodes are for the first node; for the others, replace the name in the command.',
    },
    count: { type: 'integer', description: 'Number of nodes that become feasible.', example: 1 },
    nodes: {
      type: 'identifier',
      list: true,
      description: `The names of these nodes, in order. A change of nodes is evaluated for at most ${MAX_CHANGED_NODES} of them.`,
      example: ['node-2'],
    },
    patch: {
      type: gatePatchOperation,
      list: true,
      optional: true,
      description:
        'For a change of the pod: the JSON Patch that makes it to the manifest as it was sent, or to the stored object. Null for a change of nodes or claims.',
      example: [{ op: 'add', path: '/spec/tolerations', value: [{ key: 'gpu', operator: 'Exists' }] }],
    },
  },
);

export const SMALLEST_FIXES = {
  type: smallestFix,
  list: true,
  optional: true,
  description:
    'The smallest changes that make refused nodes feasible, over all nodes of the cluster: those with the fewest changes first, then those that open the most nodes; at most 10. Each is evaluated. Null if fixes are omitted.',
  example: null,
} as const;

export const factColumn = object(
  'PlacementColumn',
  'One fact in which the nodes of a group differ.',
  {
    reason: { type: 'integer', description: 'Index in `reasons` of the reason that the fact belongs to.', example: 0 },
    name: {
      type: 'identifier',
      description:
        'The path of the fact in `facts` of that reason: `available`, `allocatable`, `label.actual`. Pods use `allocatable` minus `available` of a resource.',
      example: 'available',
    },
    unit: {
      type: COLUMN_UNIT,
      optional: true,
      description: 'The unit of an amount; null for other facts.',
      example: 'millicores',
    },
    values: {
      type: json<readonly unknown[]>(),
      taintValue: true,
      columnOf: 'reasons.facts',
      description: 'One value per node, in the order of `nodes`; null if a node has none.',
      example: [250],
    },
  },
  { openApiName: 'FactColumn' },
);

export const placementGroup = object(
  'PlacementGroup',
  'Nodes that are equal for the pod: the same verdict, reasons, taints, and facts except those in columns.',
  {
    verdict: { type: VERDICT, description: VERDICT.description, example: 'infeasible' },
    count: { type: 'integer', description: 'Number of nodes.', example: 1 },
    firstFail: {
      type: 'identifier',
      optional: true,
      description: 'The first failing filter, where Kubernetes stops; null if none fails.',
      example: 'TaintToleration',
    },
    reasons: {
      type: placementReason,
      list: true,
      optional: true,
      description:
        'Every reason, in calling order of the filters; facts in which the nodes differ are in `columns`. Null with `detail: verdicts`.',
      example: [exampleOf(placementReason)],
    },
    untoleratedTaints: {
      type: placementTaint,
      list: true,
      optional: true,
      description: 'Every NoSchedule and NoExecute taint that the pod does not tolerate; null with `detail: verdicts`.',
      example: [exampleOf(placementTaint)],
    },
    toleratedTaints: {
      type: toleratedTaint,
      list: true,
      optional: true,
      description: 'Every taint that the pod tolerates; null with `detail: verdicts`.',
      example: [],
    },
    fixes: {
      type: groupFixes,
      optional: true,
      description: 'Changes that would admit the pod; null if the nodes are not refused, or if fixes are omitted.',
      example: exampleOf(groupFixes),
    },
    nodes: { type: 'identifier', list: true, description: 'The names of all nodes, in order.', example: ['node-2'] },
    columns: {
      type: factColumn,
      list: true,
      description: 'The facts in which the nodes differ; none with `detail: verdicts`.',
      example: [],
    },
  },
);

export const nodePlacement = object('NodePlacement', 'Whether one node can take the pod, and every reason why not.', {
  node: { type: 'identifier', description: 'The node.', example: 'node-1' },
  verdict: { type: VERDICT, description: VERDICT.description, example: 'infeasible' },
  firstFail: {
    type: 'identifier',
    optional: true,
    description: 'The first failing filter, where Kubernetes stops; null if none fails.',
    example: 'TaintToleration',
  },
  reasons: {
    type: placementReason,
    list: true,
    optional: true,
    description: 'Every reason, in calling order of the filters; null with `detail: verdicts`.',
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
    description: 'Every taint that the pod tolerates; null with `detail: verdicts`.',
  },
  devices: {
    type: nodeDevice,
    list: true,
    optional: true,
    description:
      'The devices that claims of the pod would get on the node, in the order of their allocation; null if there are none to allocate, or with `detail: verdicts`.',
  },
  fixes: {
    type: placementFixes,
    optional: true,
    description: 'Changes that would admit the pod; null if the node is not refused, or if fixes are omitted.',
  },
});

export const placementWorkload = object('PlacementWorkload', 'The workload that the pod belongs to.', {
  kind: { type: 'identifier', description: 'Workload kind.', example: 'Deployment' },
  namespace: { type: 'identifier', description: 'Workload namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Workload name.', example: 'web' },
});

export const SOURCE = enumType('PodSource', 'The source of the placed pod.', ['manifest', 'template', 'stored']);

export const placedPod = object('PlacedPod', 'The pod that was placed.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name; generated if the pod comes from a template.', example: 'web' },
  source: { type: SOURCE, description: SOURCE.description, example: 'manifest' },
  workload: { type: placementWorkload, optional: true, description: 'Workload of the pod; null if it has none.' },
  requests: {
    type: 'labels',
    description: 'Total requests of the pod by resource, including overhead.',
    example: { cpu: '500m', memory: '128Mi' },
  },
});

export const podAddition = object(
  'PodAddition',
  'A part of the placed pod that was not in the request.',
  {
    by: { type: 'identifier', description: 'What adds the part.', example: 'defaults' },
    pointer: {
      type: 'identifier',
      description: 'JSON pointer into the pod.',
      example: '/spec/restartPolicy',
    },
    value: {
      type: 'json',
      taintValue: true,
      optional: true,
      description: 'The new value; null if it was removed.',
      example: 'Always',
    },
    why: { type: 'string', description: 'Why it is added.', example: 'the API server sets the default' },
  },
  { openApiName: 'Addition' },
);

export const placementCounts = object('PlacementCounts', 'All nodes of the cluster by verdict.', {
  nodes: { type: 'integer', description: 'Number of nodes.', example: 2 },
  feasible: { type: 'integer', description: 'Number of nodes that can take the pod.', example: 1 },
  infeasible: { type: 'integer', description: 'Number of nodes that cannot.', example: 1 },
  unknown: { type: 'integer', description: 'Number of nodes with an unknown verdict.', example: 0 },
});

export const countedTaint = object('CountedTaint', 'An untolerated taint, and the number of nodes with this taint.', {
  taint: { type: 'string', description: 'The taint as kubectl prints it.', example: 'gpu=true:NoSchedule' },
  nodes: { type: 'integer', description: 'Number of nodes with this untolerated taint.', example: 1 },
  wellKnown: {
    type: 'string',
    optional: true,
    description: 'For a well-known key: what sets the taint and when, and what removes it.',
    example: null,
  },
});

export const reasonCount = object('ReasonCount', 'One reason counted over all nodes.', {
  plugin: { type: 'identifier', description: 'The filter of the scheduler.', example: 'TaintToleration' },
  code: { type: REASON_CODE, description: REASON_CODE.description, example: 'UntoleratedTaint' },
  message: {
    type: 'string',
    description: "Kubernetes' message if it has one.",
    example: 'node(s) had untolerated taint(s)',
  },
  nodes: { type: 'integer', description: 'Number of nodes with this reason.', example: 1 },
  first: {
    type: 'integer',
    description: 'Number of these nodes where it comes from the first failing filter.',
    example: 1,
  },
  examples: { type: 'identifier', list: true, description: 'The first few nodes by name.', example: ['node-2'] },
  note: {
    type: 'string',
    optional: true,
    description: 'What the message leaves out: the ResourceClaimTemplate from which no claim can be made, and why.',
    example: null,
  },
  taints: {
    type: countedTaint,
    list: true,
    description: 'The taints, for untolerated taints.',
  },
});

export const RULE_DIFFERENCE_CODE = enumType('RuleDifferenceCode', 'Stable code of a rule that differs.', [
  'spread-inclusion-policies',
  'spread-min-domains',
  'spread-match-label-keys',
  'scheduling-gates',
  'sidecar-containers',
  'affinity-match-label-keys',
  'in-place-resize',
  'pod-level-resources',
  'dynamic-resource-allocation',
  'message-names-taint',
  'comparison-operators',
  'declared-features',
  'pod-level-resize',
  'dra-extended-resources',
  'balanced-allocation-score',
  'newer-than-rules',
  'feature-gate-not-evaluated',
]);

export const ruleDifference = object(
  'RuleDifference',
  "A rule that differs between the cluster's version and the applied one, and that may affect this response.",
  {
    code: { type: RULE_DIFFERENCE_CODE, description: RULE_DIFFERENCE_CODE.description, example: 'message-names-taint' },
    since: { type: 'identifier', description: 'The version that introduced the newer rule.', example: '1.35' },
    message: { type: 'string', description: 'What differs.', example: 'Before 1.35 the message names the taint.' },
  },
);

/** The members that REST and GraphQL share: all except the nodes, which each paginates differently. */
export const placement = object(
  'Placement',
  'The nodes of a cluster that can take a pod, and why the others cannot.',
  {
    basis: { type: answerBasis, description: 'The state that the response is based on.' },
    pod: { type: placedPod, description: 'The pod that was placed.' },
    added: {
      type: podAddition,
      list: true,
      description: 'What the API server, controllers and the RuntimeClass add to the request.',
    },
    droppedFields: {
      type: 'integer',
      description: 'Number of manifest fields that Kubernetes knows and placement ignores.',
      example: 0,
    },
    unknownFieldCount: {
      type: 'integer',
      description: 'Number of manifest fields that Kubernetes v1.36 does not know.',
      example: 0,
    },
    unknownFields: {
      type: 'identifier',
      list: true,
      description: 'The paths of the first of these fields.',
      example: [],
    },
    summary: { type: placementCounts, description: 'All nodes by verdict, not only those of this page.' },
    message: {
      type: 'string',
      optional: true,
      description:
        "The exact message that Kubernetes writes into the pod's condition and event; null if a node is feasible.",
      example: null,
    },
    messageNote: {
      type: 'string',
      optional: true,
      description: 'What the message omits, or why it is null although no node is feasible.',
      example: null,
    },
    rollup: { type: reasonCount, list: true, description: 'The reasons counted over all nodes, most frequent first.' },
    assumptions: {
      type: 'string',
      list: true,
      description: 'Assumptions made because no snapshot contained a kind.',
      example: [],
    },
    scheduler: {
      type: placingScheduler,
      optional: true,
      description: 'The scheduler profile used; null for the default profile without a configuration.',
      example: null,
    },
    ruleDifferences: {
      type: ruleDifference,
      list: true,
      description:
        'Rules that differ between the Kubernetes version of the cluster and the applied one, and feature gates of the cluster that are not evaluated.',
      example: [],
    },
  },
  { openApiName: 'PlacementHead' },
);

const FEASIBLE_GROUP_EXAMPLE = {
  ...exampleOf(placementGroup),
  verdict: 'feasible',
  firstFail: null,
  reasons: [],
  untoleratedTaints: [],
  fixes: null,
  nodes: ['node-1'],
};

export const NEW_NODES = {
  type: newNodes,
  optional: true,
  description: 'Whether new nodes would take the pod; null unless the request has `newNodes: true`.',
  example: null,
} as const;

/** The REST response, which holds the groups or nodes of a page. */
export const placementResponse = object(
  'Placement',
  '',
  {
    ...placement.members,
    items: {
      type: nodePlacement,
      list: true,
      description: 'The nodes of this page, by name; none in a summary, or with `view: groups`.',
      example: [],
    },
    groups: {
      type: placementGroup,
      list: true,
      description:
        'The groups of this page: feasible, then unknown, then infeasible, each with the largest group first. None in a summary, or with `view: nodes`.',
      example: [FEASIBLE_GROUP_EXAMPLE, exampleOf(placementGroup)],
    },
    missingNodes: {
      type: 'identifier',
      list: true,
      description: 'Requested names that no node has.',
      example: [],
    },
    ranking: {
      type: ranking,
      optional: true,
      description: 'The feasible nodes, best first; null unless the request has `ranking: true`.',
      example: null,
    },
    newNodes: NEW_NODES,
    smallestFixes: SMALLEST_FIXES,
    fixesOmitted: {
      type: 'boolean',
      description: 'Whether fixes were omitted because they would be costly; request them with `fixes: true`.',
      example: false,
    },
    continue: { type: 'identifier', optional: true, description: 'The token of the next page; null on the last page.' },
    remainingItemCount: {
      type: 'integer',
      description: 'Number of groups or nodes after this page.',
      example: 0,
    },
    decision: {
      type: decisionRef,
      optional: true,
      description: 'The recorded decision; null unless the request has `record: true`.',
      example: null,
    },
  },
  { restOnly: true },
);

const MISSING_NODES = {
  type: 'identifier',
  list: true,
  description: 'Requested names that no node has.',
  example: [],
} as const;

/** The nodes of a placement in GraphQL. */
export const placementNodes = list({
  name: 'PlacementNodes',
  item: nodePlacement,
  itemsDescription: 'The nodes, by name.',
  head: { missingNodes: MISSING_NODES },
  connection: { name: 'NodePlacement', description: 'The nodes of a placement, by name.' },
});

/** The groups of a placement in GraphQL. */
export const placementGroups = list({
  name: 'PlacementGroups',
  item: placementGroup,
  itemsDescription: 'The groups, those with the most nodes first.',
  head: { missingNodes: MISSING_NODES },
  connection: {
    name: 'PlacementGroup',
    description: 'The nodes of a placement, in groups that are equal for the pod.',
  },
});

const SUMMARY_EXAMPLE = { ...exampleOf(placementResponse), groups: [] };
const ERROR = {
  type: partError,
  optional: true,
  description: 'Why there is no placement; null if there is one.',
} as const;

/** @param type the type of the placement: that of REST holds a page of groups or nodes */
const answerMember = <const Type extends ObjectType>(type: Type) =>
  ({
    type,
    optional: true,
    description: 'The placement; null if there is an error.',
    example: SUMMARY_EXAMPLE,
  }) as const;

const batchItemMembers = <const Type extends ObjectType>(type: Type) => ({
  id: { type: 'identifier', description: 'Your id for the item.', example: 'a' } as const,
  placement: answerMember(type),
  error: ERROR,
});

const batchMembers = <const Item extends ObjectType>(item: Item) => ({
  basis: { type: answerBasis, description: 'The state that all placements are based on.' } as const,
  items: { type: item, list: true, description: 'The placements, in the order of the items.' } as const,
});

const batchItemResponse = object('BatchItem', '', batchItemMembers(placementResponse), { restOnly: true });

/** The REST response to a batch. */
export const placementBatchResponse = object('Batch', '', batchMembers(batchItemResponse), { restOnly: true });

const placementItem = object(
  'PlacementItem',
  'The placement of one item of a batch, or its error.',
  batchItemMembers(placement),
);

/** The GraphQL response to a batch. */
export const placementBatch = object(
  'PlacementBatch',
  'Many placements on one state of a cluster.',
  batchMembers(placementItem),
);

const clusterPlacementMembers = <const Type extends ObjectType>(type: Type) => ({
  cluster: { type: 'identifier', description: 'The cluster.', example: 'eks-prod' } as const,
  placement: answerMember(type),
  error: ERROR,
});

const clustersList = <const Item extends ObjectType>(item: Item) =>
  list({
    name: 'Across',
    item,
    itemsDescription: 'The clusters of this page, by name.',
    head: {},
    connection: {
      name: 'ClusterPlacement',
      description: 'The placements of one pod in several clusters, by name of the cluster.',
    },
  });

/** The REST response for several clusters. */
export const clusterPlacementsResponse = clustersList(
  object('ClusterPlacement', '', clusterPlacementMembers(placementResponse), { restOnly: true }),
);

/** The GraphQL response for several clusters. */
export const clusterPlacements = clustersList(
  object('ClusterPlacement', 'The placement in one cluster, or its error.', clusterPlacementMembers(placement), {
    openApiName: 'ClusterPlacementHead',
  }),
);
