import { defined } from '../../core/collections/defined.js';
import { ObjectType } from '@nestjs/graphql';
import { EvaluatePlacement, type NodesWanted, type PlacementAnswer } from '../../app/placements/evaluate-placement.js';
import type { RankingRequest } from '../../app/placements/ranking-view.js';
import { PlacementSummary } from '../../app/placements/placement-summary.js';
import { tellNodes, type PlacementDetail } from '../../app/placements/tell-nodes.js';
import { DEFAULT_PAGE_SIZE, type PageRequest } from '../../app/paging/page.js';
import type { RequestEdge } from '../../app/request-edge.js';
import type { Verdict } from '../../core/placement/placement.js';
import { BasisShape } from './basis-shape.js';
import { rankingRequestOf, VERDICT, type RankingOptions } from './placement-body.js';
import { PlacingSchedulerShape, RankingShape } from './ranking-shape.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';

@ObjectType('PodFieldReference', { description: 'A place in the pod or in a node.' })
export class FieldReferenceShape {
  @Shown({ type: 'string', description: '`pod` or `node`.', example: 'pod' })
  object!: string;

  @Shown({ type: 'string', description: 'As Kubernetes writes it.', example: 'spec.tolerations[0]' })
  path!: string;

  @Shown({
    type: 'string',
    description:
      'The same as a JSON pointer: of the pod into the request (or into the stored object), of a node into the node.',
    example: '/pod/spec/tolerations/0',
  })
  pointer!: string;
}

@ObjectType('PlacementReason', { description: 'One reason against one node.' })
export class ReasonShape {
  @Shown({ type: 'string', description: 'The filter of the scheduler.', example: 'TaintToleration' })
  plugin!: string;

  @Shown({ type: 'string', description: 'What it is, for programs.', example: 'UntoleratedTaint' })
  code!: string;

  @Shown({ type: 'boolean', description: 'Whether it is of the filter that Kubernetes stops at.', example: true })
  first!: boolean;

  @Shown({
    type: 'string',
    description:
      "Kubernetes' status: `Unschedulable` (preemption may help), `UnschedulableAndUnresolvable`; `Unknown` is ours.",
    example: 'UnschedulableAndUnresolvable',
  })
  status!: string;

  @Shown({
    type: 'string',
    description: "In Kubernetes' words where it has any.",
    example: 'node(s) had untolerated taint(s)',
  })
  message!: string;

  @Shown({
    type: 'json',
    description: 'What it rests on, as belongs to its code: the taint, the amounts, the label.',
    example: { taint: { key: 'gpu', value: 'true', effect: 'NoSchedule' } },
  })
  facts!: object;

  @Shown({ type: () => FieldReferenceShape, list: true, description: 'The fields that it is about.' })
  fields!: readonly Plain<FieldReferenceShape>[];
}

@ObjectType('PlacementTaint', { description: 'A taint of a node.' })
export class PlacementTaintShape {
  @Shown({ type: 'string', description: 'Its key.', example: 'gpu' })
  key!: string;

  @Shown({ type: 'string', description: 'Its value; empty where it has none.', example: 'true' })
  value!: string;

  @Shown({ type: 'string', description: 'Its effect.', example: 'NoSchedule' })
  effect!: string;

  @Shown({ type: 'string', description: 'As kubectl writes it.', example: 'gpu=true:NoSchedule' })
  text!: string;

  @Shown({ type: 'boolean', description: 'Not on the node itself: its cordon stands for it.', example: false })
  implied!: boolean;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Of a well-known key: who sets it when, and who takes it off.',
    example: null,
  })
  wellKnown!: string | null;
}

@ObjectType('PlacementToleration', { description: 'The toleration that did it.' })
export class PlacementTolerationShape {
  @Shown({ type: 'integer', description: 'Its index in the pod that was placed.', example: 0 })
  index!: number;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Where it stands in the request, or in the stored object; null for one that was added.',
    example: '/pod/spec/tolerations/0',
  })
  pointer!: string | null;

  @Shown({ type: 'string', description: 'In short.', example: 'gpu Exists NoSchedule' })
  text!: string;

  @Shown({ type: 'json', description: 'As it stands in the pod.', example: { key: 'gpu', operator: 'Exists' } })
  toleration!: object;
}

@ObjectType('ToleratedTaint', { description: 'A taint, and the first toleration that matches it.' })
export class ToleratedTaintShape {
  @Shown({ type: () => PlacementTaintShape, description: 'The taint.' })
  taint!: Plain<PlacementTaintShape>;

  @Shown({ type: () => PlacementTolerationShape, description: 'The toleration.' })
  toleration!: Plain<PlacementTolerationShape>;
}

@ObjectType('PlacementFix', { description: 'One change of the pod or of the node.' })
export class FixShape {
  @Shown({ type: 'string', description: 'What is changed.', example: 'AddToleration' })
  kind!: string;

  @Shown({ type: 'string', description: 'In words.', example: 'tolerate gpu=true:NoSchedule' })
  summary!: string;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Of a change of the pod: the part of its `spec` as it would read.',
    example: 'tolerations:\n- key: gpu\n  operator: Equal\n  value: "true"\n  effect: NoSchedule\n',
  })
  yaml!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Of a change of the node: the command that makes it.',
    example: null,
  })
  command!: string | null;

  @Shown({
    type: 'json',
    description: 'The change as data.',
    example: { toleration: { key: 'gpu', operator: 'Equal', value: 'true', effect: 'NoSchedule' } },
  })
  change!: object;
}

@ObjectType('PlacementFixPlan', { description: 'Changes that belong together.' })
export class FixPlanShape {
  @Shown({ type: () => FixShape, list: true, description: 'The changes.' })
  changes!: readonly Plain<FixShape>[];

  @Shown({
    type: VERDICT,
    description: 'The verdict of the node after them, by evaluating it again.',
    example: 'feasible',
  })
  verdict!: Verdict;

  @Shown({ type: () => ReasonShape, list: true, description: 'What still stands in the way then.' })
  remaining!: readonly Plain<ReasonShape>[];
}

@ObjectType('PlacementFixes', { description: 'The smallest changes that would admit the pod to a node.' })
export class FixesShape {
  @Shown({ type: () => FixPlanShape, optional: true, description: 'Of the pod alone; null where none helps.' })
  pod!: Plain<FixPlanShape> | null;

  @Shown({ type: () => FixPlanShape, optional: true, description: 'Of the node alone; null where none helps.' })
  node!: Plain<FixPlanShape> | null;
}

@ObjectType('NodePlacement', { description: 'Whether one node can take the pod, and every reason why not.' })
export class NodePlacementShape {
  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: VERDICT, description: 'Whether it can take the pod.', example: 'infeasible' })
  verdict!: Verdict;

  @Shown({
    type: 'string',
    optional: true,
    description: 'The filter that Kubernetes stops at; null where none refuses.',
    example: 'TaintToleration',
  })
  firstFail!: string | null;

  @Shown({
    type: () => ReasonShape,
    list: true,
    optional: true,
    description: 'Every reason, in calling order of the filters; null where only verdicts are told.',
  })
  reasons!: readonly Plain<ReasonShape>[] | null;

  @Shown({
    type: () => PlacementTaintShape,
    list: true,
    optional: true,
    description:
      'Every NoSchedule and NoExecute taint that the pod does not tolerate; null where only verdicts are told.',
  })
  untoleratedTaints!: readonly Plain<PlacementTaintShape>[] | null;

  @Shown({
    type: () => ToleratedTaintShape,
    list: true,
    optional: true,
    description: 'Every taint that it tolerates; null where only verdicts are told.',
  })
  toleratedTaints!: readonly Plain<ToleratedTaintShape>[] | null;

  @Shown({
    type: () => FixesShape,
    optional: true,
    description: 'What would admit the pod; null where the node is not refused, or where fixes are not told.',
  })
  fixes!: Plain<FixesShape> | null;
}

@ObjectType('PlacementWorkload', { description: 'The workload that the pod belongs to.' })
export class PlacementWorkloadShape {
  @Shown({ type: 'string', description: 'Its kind.', example: 'Deployment' })
  kind!: string;

  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;
}

const SOURCE = wordsType('PodSource', 'Where the pod that was placed came from.', ['manifest', 'template', 'stored']);

@ObjectType('PlacedPod', { description: 'The pod that was placed.' })
export class PlacedPodShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name; made up for a pod of a template.', example: 'web' })
  name!: string;

  @Shown({ type: SOURCE, description: 'Where it came from.', example: 'manifest' })
  source!: string;

  @Shown({ type: () => PlacementWorkloadShape, optional: true, description: 'Its workload; null where it has none.' })
  workload!: Plain<PlacementWorkloadShape> | null;

  @Shown({
    type: 'labels',
    description: 'What it requests in all, overhead included, by resource.',
    example: { cpu: '500m', memory: '128Mi' },
  })
  requests!: Readonly<Record<string, string>>;
}

@ObjectType('PodAddition', { description: 'Something that is in the pod that was placed, but not in what was sent.' })
export class AdditionShape {
  @Shown({ type: 'string', description: 'Who adds it.', example: 'defaults' })
  by!: string;

  @Shown({ type: 'string', description: 'Where in the pod, as a JSON pointer.', example: '/spec/restartPolicy' })
  pointer!: string;

  @Shown({
    type: 'json',
    optional: true,
    description: 'What stands there now; null: it was taken away.',
    example: 'Always',
  })
  value!: unknown;

  @Shown({ type: 'string', description: 'Why.', example: 'the API server fills in its default' })
  why!: string;
}

@ObjectType('PlacementCounts', { description: 'All nodes of the cluster by verdict.' })
export class PlacementCountsShape {
  @Shown({ type: 'integer', description: 'All of them.', example: 3 })
  nodes!: number;

  @Shown({ type: 'integer', description: 'Those that can take the pod.', example: 2 })
  feasible!: number;

  @Shown({ type: 'integer', description: 'Those that cannot.', example: 1 })
  infeasible!: number;

  @Shown({ type: 'integer', description: 'Those of which it is not known.', example: 0 })
  unknown!: number;
}

@ObjectType('CountedTaint', { description: 'An untolerated taint, and how many nodes have it.' })
export class CountedTaintShape {
  @Shown({ type: 'string', description: 'As kubectl writes it.', example: 'gpu=true:NoSchedule' })
  taint!: string;

  @Shown({ type: 'integer', description: 'Nodes that have it.', example: 1 })
  nodes!: number;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Of a well-known key: who sets it when, and who takes it off.',
    example: null,
  })
  wellKnown!: string | null;
}

@ObjectType('ReasonCount', { description: 'One reason counted over all nodes.' })
export class ReasonCountShape {
  @Shown({ type: 'string', description: 'The filter of the scheduler.', example: 'TaintToleration' })
  plugin!: string;

  @Shown({ type: 'string', description: 'What it is, for programs.', example: 'UntoleratedTaint' })
  code!: string;

  @Shown({
    type: 'string',
    description: "In Kubernetes' words where it has any.",
    example: 'node(s) had untolerated taint(s)',
  })
  message!: string;

  @Shown({ type: 'integer', description: 'The nodes that have it.', example: 1 })
  nodes!: number;

  @Shown({ type: 'integer', description: 'Those of them where Kubernetes stops at it.', example: 1 })
  first!: number;

  @Shown({ type: 'string', list: true, description: 'The first few of the nodes by name.', example: ['node-1'] })
  examples!: readonly string[];

  @Shown({ type: () => CountedTaintShape, list: true, description: 'Of untolerated taints: each of them.' })
  taints!: readonly Plain<CountedTaintShape>[];
}

@ObjectType('RuleDifference', {
  description:
    "A rule of which the cluster's version has another than the one applied, and that can show in this answer.",
})
export class RuleDifferenceShape {
  @Shown({ type: 'string', description: 'What it is, for programs.', example: 'message-names-taint' })
  code!: string;

  @Shown({ type: 'string', description: 'The version that brought the rule applied here.', example: '1.35' })
  since!: string;

  @Shown({ type: 'string', description: 'What differs.', example: 'Before 1.35 the message names the taint.' })
  message!: string;
}

/** What REST and GraphQL have in common: all but the nodes, of which each cuts pages in its own way. */
@ObjectType('Placement', { description: 'Where one pod can go in one cluster, and why not elsewhere.' })
export class PlacementHeadShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: () => PlacedPodShape, description: 'The pod that was placed.' })
  pod!: Plain<PlacedPodShape>;

  @Shown({
    type: () => AdditionShape,
    list: true,
    description: 'What the API server, controllers and the RuntimeClass add to what was sent.',
  })
  added!: readonly Plain<AdditionShape>[];

  @Shown({
    type: 'integer',
    description: 'Fields of the manifest that Kubernetes knows and placement does not look at.',
    example: 0,
  })
  droppedFields!: number;

  @Shown({ type: 'integer', description: 'Fields of the manifest that Kubernetes v1.36 does not know.', example: 0 })
  unknownFieldCount!: number;

  @Shown({ type: 'string', list: true, description: 'The first of them, by their paths.', example: [] })
  unknownFields!: readonly string[];

  @Shown({ type: () => PlacementCountsShape, description: 'All nodes by verdict, whatever the page.' })
  summary!: Plain<PlacementCountsShape>;

  @Shown({
    type: 'string',
    optional: true,
    description:
      "What Kubernetes writes into the pod's condition and event, to the letter; null where some node is feasible.",
    example: null,
  })
  message!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What the message leaves out, or why there is none although no node is feasible.',
    example: null,
  })
  messageNote!: string | null;

  @Shown({ type: () => ReasonCountShape, list: true, description: 'The reasons over all nodes, most frequent first.' })
  rollup!: readonly Plain<ReasonCountShape>[];

  @Shown({
    type: 'string',
    list: true,
    description: 'What was taken for given because the kind that would tell was never loaded.',
    example: [],
  })
  assumptions!: readonly string[];

  @Shown({
    type: () => PlacingSchedulerShape,
    optional: true,
    description:
      'The profile that answers; null where nothing is stored of the scheduler, and nothing was asked: the default profile.',
    example: null,
  })
  scheduler!: Plain<PlacingSchedulerShape> | null;

  @Shown({ type: () => RuleDifferenceShape, list: true, description: 'How the rules of the cluster differ.' })
  ruleDifferences!: readonly Plain<RuleDifferenceShape>[];
}

export class PlacementShape extends PlacementHeadShape {
  @Shown({
    type: () => NodePlacementShape,
    list: true,
    description: 'The nodes of this page, by name; none in a summary.',
  })
  nodes!: readonly Plain<NodePlacementShape>[];

  @Shown({ type: 'string', list: true, description: 'Names that were asked for and that no node has.', example: [] })
  missingNodes!: readonly string[];

  @Shown({
    type: () => RankingShape,
    optional: true,
    description: 'The nodes that can take the pod, from the best to the worst; null unless `ranking` asks for it.',
    example: null,
  })
  ranking!: Plain<RankingShape> | null;

  @Shown({
    type: 'boolean',
    description: 'Fixes were left out because they are costly here; ask for them with `fixes: true`.',
    example: false,
  })
  fixesOmitted!: boolean;

  @Shown({ type: 'string', optional: true, description: 'For the next page; null when this is the last one.' })
  continue!: string | null;

  @Shown({ type: 'integer', description: 'How many nodes follow after this page.', example: 0 })
  remainingItemCount!: number;
}

/** How an answer is to be told. */
export interface Telling {
  readonly wanted: NodesWanted;
  readonly page: PageRequest;
  readonly detail: PlacementDetail;
  readonly fixes?: boolean;
  readonly ranking?: RankingRequest;
}

export function tellingOf(
  body: RankingOptions & {
    readonly detail?: PlacementDetail;
    readonly fixes?: boolean;
    readonly limit?: number;
    readonly continue?: string;
  },
  wanted: NodesWanted,
  detail: PlacementDetail,
): Telling {
  const ranking = rankingRequestOf(body);
  return {
    wanted,
    ...defined({ ranking }),
    detail: body.detail ?? detail,
    page: {
      size: body.limit ?? DEFAULT_PAGE_SIZE,
      afterName: 'continue',
      ...defined({ after: body.continue }),
    },
    ...defined({ fixes: body.fixes }),
  };
}

/** The answer as REST gives it. @throws {ServiceError} `invalid-continue-token`, `cancelled`, `budget-exceeded` */
export async function placementShape(
  evaluatePlacement: EvaluatePlacement,
  answer: PlacementAnswer,
  { wanted, page, detail, fixes, ranking }: Telling,
  edge: RequestEdge,
): Promise<Plain<PlacementShape>> {
  const head = placementHead(answer);
  const nodes = detail === 'summary' ? undefined : evaluatePlacement.nodes(answer, wanted, page);
  const told = await tellNodes(answer.evaluated, nodes?.items.map(({ item }) => item) ?? [], detail, fixes, edge);
  return {
    ...head,
    nodes: told.nodes,
    missingNodes: nodes?.missing ?? [],
    ranking: ranking === undefined ? null : new PlacementSummary(answer).ranking(ranking),
    fixesOmitted: told.fixesOmitted,
    continue: nodes?.hasMore === true ? (nodes.items.at(-1)?.token ?? null) : null,
    remainingItemCount: nodes?.remaining ?? 0,
  };
}

function placementHead(answer: PlacementAnswer): Plain<PlacementHeadShape> {
  const head = new PlacementSummary(answer);
  return {
    basis: head.basis,
    pod: head.pod,
    summary: head.summary,
    message: head.message,
    messageNote: head.messageNote,
    rollup: head.rollup,
    added: head.added,
    droppedFields: head.droppedFields,
    unknownFieldCount: head.unknownFieldCount,
    unknownFields: head.unknownFields,
    assumptions: head.assumptions,
    scheduler: head.scheduler,
    ruleDifferences: head.ruleDifferences,
  };
}
