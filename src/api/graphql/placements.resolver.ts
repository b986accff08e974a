import { defined } from '../../core/collections/defined.js';
import type { Intents } from '../../app/reads/read-at.js';
import { Args, ArgsType, Field, InputType, ObjectType, Parent, Resolver } from '@nestjs/graphql';
import { AcrossClusters } from '../../app/across-clusters.js';
import { EvaluatePlacement, type NodesWanted, type PlacementAnswer } from '../../app/placements/evaluate-placement.js';
import { EvaluatePlacements, MOST_ITEMS } from '../../app/placements/evaluate-placements.js';
import { PlacementSummary } from '../../app/placements/placement-summary.js';
import { questionHash } from '../../app/placements/placement-request.js';
import type { FixesAnswer, NodeAnswer } from '../../app/placements/node-answer.js';
import { groupFixes, groupResponse, type PlacementGroupResponse } from '../../app/placements/render-groups.js';
import { fixesOf, NODES_BUDGET } from '../../app/placements/render-nodes.js';
import { ResponseBudget } from '../../app/placements/response-budget.js';
import type { RequestContext } from '../../app/request-context.js';
import { TimeSlices } from '../../app/states/time-slices.js';
import { SerialQueue } from '../../app/states/serial-queue.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission, InheritPermission } from '../require-permission.js';
import { AT, INTENTS, MAX_AGE, readAtOf, REVISION } from '../rest/read-at-query.js';
import { BasisShape } from '../shapes/basis-shape.js';
import { PartErrorShape, partErrorShape } from '../shapes/part-error-shape.js';
import {
  nodesWantedOf,
  PlacementInputBody,
  PlacementItemInputBody,
  questionOf,
  RANKING_OPTIONS,
} from '../shapes/placement-body.js';
import { RankingShape } from '../shapes/ranking-shape.js';
import type { RankingView } from '../../app/placements/ranking-view.js';
import { NodePlacementShape, PlacementGroupShape, PlacementHeadShape } from '../shapes/placement-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { connection, ConnectionArguments, connectionOf, pageOfConnection, type Connection } from './connection.js';
import { Query, ResolveField } from './fields.js';

/** An answer on its way through the query: its parts are made when the query reads them. */
class PlacementParent extends PlacementSummary {
  constructor(
    readonly placed: PlacementAnswer,
    readonly wanted: NodesWanted,
  ) {
    super(placed);
  }
}

@ObjectType({ description: 'The nodes of a placement, by name.' })
class NodePlacementConnection extends connectionOf(NodePlacementShape, 'NodePlacement') {
  @Field(() => [String], { description: 'Names that were asked for and that no node has.' })
  missingNodes!: readonly string[];
}

@ObjectType({ description: 'The nodes of a placement in groups of those that are equal for the pod.' })
class PlacementGroupConnection extends connectionOf(PlacementGroupShape, 'PlacementGroup') {
  @Field(() => [String], { description: 'Names that were asked for and that no node has.' })
  missingNodes!: readonly string[];
}

@ArgsType()
class ReadAtArguments {
  @Given(SCENARIO)
  scenario?: ScenarioBody;

  @Given(REVISION)
  revision?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;
}

@ArgsType()
class PlacementArguments extends ReadAtArguments {
  @Given({ type: 'string', description: 'The cluster.', example: 'eks-prod' })
  cluster!: string;

  @Given({ type: () => PlacementInputBody, description: 'The question.' })
  input!: PlacementInputBody;
}

@InputType('PlacementBatchInput', { description: 'Many questions on one state of a cluster.' })
class PlacementBatchInput {
  @Given({
    type: () => PlacementItemInputBody,
    list: true,
    maximumLength: MOST_ITEMS,
    description: `The questions, at most ${MOST_ITEMS}.`,
  })
  items!: PlacementItemInputBody[];
}

@ArgsType()
class PlacementBatchArguments extends ReadAtArguments {
  @Given({ type: 'string', description: 'The cluster.', example: 'eks-prod' })
  cluster!: string;

  @Given({ type: () => PlacementBatchInput, description: 'The questions.' })
  input!: PlacementBatchInput;
}

@ArgsType()
class RankingArguments {
  @Given(RANKING_OPTIONS.RANKING_LIMIT)
  limit?: number;

  @Given(RANKING_OPTIONS.RANKING_FROM)
  from?: number;

  @Given(RANKING_OPTIONS.SEED)
  seed?: number;
}

@ArgsType()
class PlacementAcrossArguments extends ConnectionArguments {
  @Given({
    type: 'string',
    optional: true,
    description: "Only clusters with these labels, in kubectl's syntax; all of them by default.",
  })
  clusterSelector?: string;

  @Given({ type: () => PlacementInputBody, description: 'The question.' })
  input!: PlacementInputBody;

  @Given(SCENARIO)
  scenario?: ScenarioBody;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;
}

@ObjectType('PlacementItem', { description: 'The answer to one item of a batch, or why it has none.' })
class PlacementItemShape {
  @Shown({ type: 'string', description: 'Your name for the item.' })
  id!: string;

  @Shown({ type: () => PlacementHeadShape, optional: true, description: 'Its answer; null where it has none.' })
  placement!: Plain<PlacementHeadShape> | null;

  @Shown({ type: () => PartErrorShape, optional: true, description: 'Why not.' })
  error!: Plain<PartErrorShape> | null;
}

@ObjectType('PlacementBatch', { description: 'Many questions on one state of a cluster.' })
class PlacementBatchShape {
  @Shown({ type: () => BasisShape, description: 'What all answers rest on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: () => PlacementItemShape, list: true, description: 'The answers, in the order of the items.' })
  items!: Plain<PlacementItemShape>[];
}

@ObjectType('ClusterPlacement', { description: "One cluster's answer, or why it has none." })
class ClusterPlacementShape {
  @Shown({ type: 'string', description: 'The cluster.' })
  cluster!: string;

  @Shown({ type: () => PlacementHeadShape, optional: true, description: 'Its answer; null where it has none.' })
  placement!: Plain<PlacementHeadShape> | null;

  @Shown({ type: () => PartErrorShape, optional: true, description: 'Why not.' })
  error!: Plain<PartErrorShape> | null;
}

@ObjectType({ description: 'One question to many clusters, by name.' })
class ClusterPlacementConnection extends connectionOf(ClusterPlacementShape, 'ClusterPlacement') {}

/** Where a pod can go, and why not elsewhere. */
@Resolver(() => PlacementHeadShape)
export class PlacementsResolver {
  constructor(
    private readonly evaluatePlacement: EvaluatePlacement,
    private readonly evaluatePlacements: EvaluatePlacements,
    private readonly acrossClusters: AcrossClusters,
  ) {}

  @Query(() => PlacementHeadShape, { description: 'Where a pod can go in one cluster, and why not elsewhere.' })
  @RequirePermission('evaluate')
  async placement(@Args() args: PlacementArguments, @Ctx() edge: RequestContext): Promise<Plain<PlacementHeadShape>> {
    const { cluster, input } = args;
    const wanted = nodesWantedOf(input);
    EvaluatePlacement.check(questionOf(input), wanted);
    const request = { cluster, readAt: readAtOf(args), ...questionOf(input) };
    return new PlacementParent(await this.evaluatePlacement.run(request, edge), wanted);
  }

  @Query(() => PlacementBatchShape, { description: 'Many questions on one state; a bad one fails alone.' })
  @RequirePermission('evaluate')
  async placements(
    @Args() args: PlacementBatchArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PlacementBatchShape>> {
    const items = args.input.items.map((item) => ({
      id: item.id,
      read: () => {
        const wanted = nodesWantedOf(item);
        EvaluatePlacement.check(questionOf(item), wanted);
        return { ...questionOf(item), wanted };
      },
    }));
    const found = await this.evaluatePlacements.run(
      { cluster: args.cluster, readAt: readAtOf(args), items },
      edge,
      (answer, { wanted }) => Promise.resolve(new PlacementParent(answer, wanted)),
    );
    return {
      basis: found.basis,
      items: found.items.map(({ id, answer, error }) => ({
        id,
        placement: answer,
        error: error === null ? null : partErrorShape(error),
      })),
    };
  }

  @Query(() => ClusterPlacementConnection, {
    description: 'One question to every cluster that a selector picks; each answers for itself.',
  })
  @RequirePermission('evaluate', 'each')
  async placementsAcross(
    @Args() args: PlacementAcrossArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Connection<Plain<ClusterPlacementShape>>> {
    const question = questionOf(args.input);
    const wanted = nodesWantedOf(args.input);
    EvaluatePlacement.check(question, wanted);
    const readAt = readAtOf(args);
    const page = await this.acrossClusters.run(
      {
        clusterSelector: args.clusterSelector,
        page: pageOfConnection(args),
        question: ['placement', questionHash(question), readAt.scenario?.hash, readAt.intents],
        needs: 'evaluate',
      },
      async ({ name }) =>
        new PlacementParent(await this.evaluatePlacement.run({ cluster: name, readAt, ...question }, edge), wanted),
      edge,
    );
    return connection(page, args, ({ cluster, answer, error }) => ({
      cluster: cluster.name,
      placement: answer,
      error: error === null ? null : partErrorShape(error),
    }));
  }

  @ResolveField(() => RankingShape, {
    description: 'The nodes that can take the pod, from the best to the worst, with the arithmetic of every score.',
  })
  @InheritPermission()
  ranking(@Parent() placement: PlacementParent, @Args() { limit = 10, from = 0, seed }: RankingArguments): RankingView {
    return placement.ranking({ limit, from, ...defined({ seed }) });
  }

  @ResolveField(() => PlacementGroupConnection, {
    description:
      'The nodes that were asked for, in groups of those that are equal for the pod. A cursor of another revision needs that revision named.',
  })
  @InheritPermission()
  groups(
    @Parent() { placed, wanted }: PlacementParent,
    @Args() args: ConnectionArguments,
    @Ctx() edge: RequestContext,
  ): Connection<Plain<PlacementGroupShape>> & { readonly missingNodes: readonly string[] } {
    const { evaluated } = placed;
    const page = this.evaluatePlacement.groups(placed, wanted, pageOfConnection(args));
    const budget = ResponseBudget.of(edge);
    budget.addNodes(page.items.reduce((sum, { item }) => sum + item.nodes.length, 0));
    const queue = new SerialQueue(new TimeSlices({ budgetMs: NODES_BUDGET, signal: edge.signal }));
    return {
      ...connection(page, args, (group): LazyGroup => {
        const answer = groupResponse(evaluated, group);
        budget.add(answer);
        const makeFixes = (): Promise<PlacementGroupResponse['fixes']> =>
          queue.run(() => {
            const fixes = groupFixes(evaluated, group);
            budget.addFixes(fixes);
            return fixes;
          });
        return { ...answer, makeFixes };
      }),
      missingNodes: page.missing,
    };
  }

  @ResolveField(() => NodePlacementConnection, {
    description: 'The nodes that were asked for. A cursor of another revision needs that revision named.',
  })
  @InheritPermission()
  nodes(
    @Parent() { placed, wanted }: PlacementParent,
    @Args() args: ConnectionArguments,
    @Ctx() edge: RequestContext,
  ): Connection<Plain<NodePlacementShape>> & { readonly missingNodes: readonly string[] } {
    const { evaluated } = placed;
    const page = this.evaluatePlacement.nodes(placed, wanted, pageOfConnection(args));
    const told = ResponseBudget.of(edge);
    told.addNodes(page.items.length);
    const turns = new SerialQueue(new TimeSlices({ budgetMs: NODES_BUDGET, signal: edge.signal }));
    return {
      ...connection(page, args, (node): LazyNode => {
        const answer = evaluated.node(node);
        told.add(answer);
        const makeFixes = (): Promise<FixesAnswer | null> =>
          turns.run(() => {
            const fixes = fixesOf(evaluated, node);
            told.addFixes(fixes);
            return fixes;
          });
        return { ...answer, fixes: null, makeFixes };
      }),
      missingNodes: page.missing,
    };
  }
}

/** A group on its way through the query, as a node. */
interface LazyGroup extends PlacementGroupResponse {
  readonly fixes: null;
  readonly makeFixes: () => Promise<PlacementGroupResponse['fixes']>;
}

@Resolver(() => PlacementGroupShape)
export class PlacementGroupsResolver {
  @ResolveField()
  @InheritPermission()
  fixes(@Parent() { makeFixes }: LazyGroup): Promise<Plain<PlacementGroupShape>['fixes']> {
    return makeFixes();
  }
}

/** A node on its way through the query. Fixes are verified by evaluating again: only where the query asks for them. */
interface LazyNode extends NodeAnswer {
  readonly fixes: null;
  readonly makeFixes: () => Promise<FixesAnswer | null>;
}

/** What is told of one node only where it is asked for. */
@Resolver(() => NodePlacementShape)
export class NodePlacementsResolver {
  @ResolveField()
  @InheritPermission()
  fixes(@Parent() { makeFixes }: LazyNode): Promise<Plain<NodePlacementShape>['fixes']> {
    return makeFixes();
  }
}
