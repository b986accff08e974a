import { Args, ArgsType, InputType, Parent, Resolver } from '@nestjs/graphql';
import { EvaluatePlacement, type PlacementResult } from '../../app/placements/evaluate-placement.js';
import { placementHead } from '../../app/placements/placement-head.js';
import { groupsPage, nodesPage, type NodeSelection } from '../../app/placements/placement-pages.js';
import { PlacePodAcrossClusters } from '../../app/placements/place-pod-across-clusters.js';
import { PlacePods } from '../../app/placements/place-pods.js';
import { newNodesResponse } from '../../app/placements/new-nodes-response.js';
import { rankingResponse } from '../../app/placements/ranking-response.js';
import { groupResponse, stepGroupFixes } from '../../app/placements/render-groups.js';
import { NODES_BUDGET, stepFixesOf } from '../../app/placements/render-nodes.js';
import { smallestFixesResponse } from '../../app/placements/smallest-fixes-response.js';
import { ResponseBudget } from '../../app/placements/response-budget.js';
import type { Intents } from '../../app/reads/read-at.js';
import type { RequestContext } from '../../app/request-context.js';
import { SerialQueue } from '../../app/states/serial-queue.js';
import { TimeSlices } from '../../app/states/time-slices.js';
import { cluster as clusterResponse } from '../../contract/clusters/cluster.js';
import { ACROSS_MEMBERS } from '../../contract/common/across.js';
import { MAX_ITEMS } from '../../contract/limits.js';
import {
  placementInput,
  placementItemInput,
  RANKING_FROM,
  RANKING_LIMIT,
  SEED,
} from '../../contract/placements/placement-request.js';
import {
  clusterPlacements,
  nodePlacement,
  placement,
  placementBatch,
  placementGroup,
  placementGroups,
  placementNodes,
  SMALLEST_FIXES,
  smallestFix,
} from '../../contract/placements/placement.js';
import { newNodes } from '../../contract/placements/new-nodes.js';
import { ranking } from '../../contract/placements/ranking.js';
import type { Request, Response } from '../../contract/schema.js';
import { connectionClassOf } from '../contract/graphql-resolvers.js';
import { responseClass } from '../contract/object-classes.js';
import { withPartError } from '../questions/placements.js';
import { Ctx } from '../http/request-context.decorator.js';
import { InheritPermission, RequirePermission } from '../access/require-permission.js';
import { AT, INTENTS, MAX_AGE, RULES_VERSION_MEMBER } from '../../contract/common/revision.js';
import { readAtOf } from '../../app/reads/given-read-at.js';
import { RequestField } from '../contract/field-decorators.js';
import { SCENARIO } from '../../contract/scenarios/scenario-request.js';
import type { ScenarioRequest } from '../../app/reads/given-scenario.js';
import { connection, ConnectionArguments, pageOfConnection } from './connection.js';
import { ReadArguments } from './read-connection.js';
import { Query, ResolveField } from './fields.js';

// Evaluated immediately: Nest collects the types before it reads them.
const ClusterType = responseClass(clusterResponse);
const Placement = responseClass(placement);
const PlacementBatch = responseClass(placementBatch);
const PlacementGroup = responseClass(placementGroup);
const NodePlacement = responseClass(nodePlacement);
const Ranking = responseClass(ranking);
const NewNodes = responseClass(newNodes);
const SmallestFix = responseClass(smallestFix);
const ClusterPlacementConnection = connectionClassOf(clusterPlacements);
const PlacementGroupConnection = connectionClassOf(placementGroups);
const NodePlacementConnection = connectionClassOf(placementNodes);

@ArgsType()
class PlacementArguments extends ReadArguments {
  @RequestField({ type: 'string', description: 'The cluster.', example: 'eks-prod' })
  cluster!: string;

  @RequestField({ type: placementInput, description: 'The pod to place.' })
  input!: Request<typeof placementInput>;
}

@ArgsType()
class ClusterPlacementArguments extends ReadArguments {
  @RequestField({ type: placementInput, description: 'The pod to place.' })
  input!: Request<typeof placementInput>;
}

@InputType('PlacementBatchInput', { description: 'A batch of pods to place on the same state of a cluster.' })
class PlacementBatchInput {
  @RequestField({
    type: placementItemInput,
    list: true,
    maximumLength: MAX_ITEMS,
    description: `The pods to place, at most ${MAX_ITEMS}.`,
  })
  items!: Request<typeof placementItemInput>[];
}

@ArgsType()
class PlacementBatchArguments extends ReadArguments {
  @RequestField({ type: 'string', description: 'The cluster.', example: 'eks-prod' })
  cluster!: string;

  @RequestField({ type: () => PlacementBatchInput, description: 'The pods.' })
  input!: PlacementBatchInput;
}

@ArgsType()
class PlacementAcrossArguments extends ConnectionArguments {
  @RequestField(ACROSS_MEMBERS.clusterSelector)
  clusterSelector?: string;

  @RequestField({ type: placementInput, description: 'The pod to place.' })
  input!: Request<typeof placementInput>;

  @RequestField(SCENARIO)
  scenario?: ScenarioRequest;

  @RequestField(AT)
  at?: string;

  @RequestField(MAX_AGE)
  maxAge?: string;

  @RequestField(RULES_VERSION_MEMBER)
  rulesVersion?: string;

  @RequestField(INTENTS)
  intents?: Intents;
}

@ArgsType()
class RankingArguments {
  @RequestField(RANKING_LIMIT)
  limit?: number;

  @RequestField(RANKING_FROM)
  from?: number;

  @RequestField(SEED)
  seed?: number;
}

/** The parent value of a placement; its groups, nodes and ranking are computed when the query reads them. */
type PlacementParent = Response<typeof placement> & {
  readonly result: PlacementResult;
  readonly selection: NodeSelection;
};

/** Keeps the getters of the head, which a copy would all evaluate. */
const placementParent = (result: PlacementResult, selection: NodeSelection): PlacementParent =>
  Object.assign(placementHead(result), { result, selection });

/**
 * The parent value of a group or node. Fixes are verified by another evaluation, so they are computed only if the query
 * selects them.
 */
type WithLazyFixes<Item extends { readonly fixes: unknown }> = Item & {
  readonly makeFixes: () => Promise<Item['fixes']>;
};

type GroupParent = WithLazyFixes<Response<typeof placementGroup>>;
type NodeParent = WithLazyFixes<Response<typeof nodePlacement>>;

/** The placement as a field of a cluster, so that one query can place a pod in several clusters. */
@Resolver(() => ClusterType)
export class ClusterPlacementResolver {
  constructor(private readonly evaluatePlacement: EvaluatePlacement) {}

  @ResolveField(() => Placement, {
    description: 'Evaluates where a pod can be scheduled in this cluster, and why not elsewhere.',
  })
  @RequirePermission('evaluate', 'parent')
  async placement(
    @Parent() { name: cluster }: Response<typeof clusterResponse>,
    @Args() args: ClusterPlacementArguments,
    @Ctx() context: RequestContext,
  ): Promise<PlacementParent> {
    const request = { ...args.input, cluster, readAt: readAtOf(args) };
    return placementParent(await this.evaluatePlacement.run(request, context), args.input);
  }
}

/** Resolves the placement of a pod. */
@Resolver(() => Placement)
export class PlacementsResolver {
  constructor(
    private readonly evaluatePlacement: EvaluatePlacement,
    private readonly placePods: PlacePods,
    private readonly placePodAcrossClusters: PlacePodAcrossClusters,
  ) {}

  @Query(() => Placement, {
    description: 'Evaluates where a pod can be scheduled in a cluster, and why not elsewhere.',
  })
  @RequirePermission('evaluate')
  async placement(@Args() args: PlacementArguments, @Ctx() context: RequestContext): Promise<PlacementParent> {
    const { cluster, input } = args;
    const request = { ...input, cluster, readAt: readAtOf(args) };
    return placementParent(await this.evaluatePlacement.run(request, context), input);
  }

  @Query(() => PlacementBatch, {
    description: 'Places a batch of pods on one state; an invalid item fails without the others.',
  })
  @RequirePermission('evaluate')
  async placements(@Args() args: PlacementBatchArguments, @Ctx() context: RequestContext): Promise<object> {
    const items = args.input.items.map((item) => ({ id: item.id, read: () => item }));
    const request = { cluster: args.cluster, readAt: readAtOf(args), items };
    const { basis, items: placed } = await this.placePods.evaluate(request, context, placementParent);
    return { basis, items: placed.map(withPartError) };
  }

  @Query(() => ClusterPlacementConnection, {
    description: 'Places one pod in each cluster that a selector matches, independently of the others.',
  })
  @RequirePermission('evaluate', 'each')
  async placementsAcross(@Args() args: PlacementAcrossArguments, @Ctx() context: RequestContext): Promise<object> {
    const { input, clusterSelector } = args;
    const request = {
      ...input,
      ...(clusterSelector !== undefined && { clusterSelector }),
      readAt: readAtOf(args),
      page: pageOfConnection(args),
    };
    const page = await this.placePodAcrossClusters.evaluate(request, context, (result) =>
      placementParent(result, input),
    );
    return connection(page, args, withPartError);
  }

  @ResolveField(() => Ranking, {
    description: 'The feasible nodes, best first, with the calculation of every score.',
  })
  @InheritPermission()
  ranking(
    @Parent() { result }: PlacementParent,
    @Args() args: RankingArguments,
    @Ctx() context: RequestContext,
  ): Promise<Response<typeof ranking>> {
    return rankingResponse(result.evaluated, args, new TimeSlices({ signal: context.signal }));
  }

  @ResolveField(() => NewNodes, { description: newNodes.description })
  @InheritPermission()
  newNodes(@Parent() { result }: PlacementParent, @Ctx() context: RequestContext): Promise<Response<typeof newNodes>> {
    return newNodesResponse(result.evaluated, context);
  }

  @ResolveField(() => [SmallestFix], { description: SMALLEST_FIXES.description })
  @InheritPermission()
  smallestFixes(
    @Parent() { result }: PlacementParent,
    @Ctx() context: RequestContext,
  ): ReturnType<typeof smallestFixesResponse> {
    return smallestFixesResponse(result.evaluated, context);
  }

  @ResolveField(() => PlacementGroupConnection, {
    description:
      'The requested nodes in groups of nodes that are equal for the pod. A cursor of another revision requires `revision`.',
  })
  @InheritPermission()
  groups(
    @Parent() { result, selection }: PlacementParent,
    @Args() args: ConnectionArguments,
    @Ctx() context: RequestContext,
  ): object {
    const { evaluated } = result;
    const page = groupsPage(result, selection, pageOfConnection(args));
    const budget = ResponseBudget.of(context);
    budget.addNodes(page.items.reduce((sum, { item }) => sum + item.nodes.length, 0));
    const queue = fixesQueue(context);
    const groupParent = (group: (typeof page)['items'][number]['item']): GroupParent => {
      const response = groupResponse(evaluated, group);
      budget.add(response);
      const makeFixes = () => queue.run(stepCounted(budget, stepGroupFixes(evaluated, group)));
      return { ...response, makeFixes };
    };
    return { ...connection(page, args, groupParent), missingNodes: page.missing };
  }

  @ResolveField(() => NodePlacementConnection, {
    description: 'The requested nodes. A cursor of another revision requires `revision`.',
  })
  @InheritPermission()
  nodes(
    @Parent() { result, selection }: PlacementParent,
    @Args() args: ConnectionArguments,
    @Ctx() context: RequestContext,
  ): object {
    const { evaluated } = result;
    const page = nodesPage(result, selection, pageOfConnection(args));
    const budget = ResponseBudget.of(context);
    budget.addNodes(page.items.length);
    const queue = fixesQueue(context);
    const nodeParent = (node: number): NodeParent => {
      const response = evaluated.node(node);
      budget.add(response);
      const makeFixes = () => queue.run(stepCounted(budget, stepFixesOf(evaluated, node)));
      return { ...response, devices: evaluated.devicesOn(node), fixes: null, makeFixes };
    };
    return { ...connection(page, args, nodeParent), missingNodes: page.missing };
  }
}

function* stepCounted<Fixes extends Parameters<ResponseBudget['addFixes']>[0]>(
  budget: ResponseBudget,
  steps: Generator<undefined, Fixes>,
): Generator<undefined, Fixes> {
  return budget.withFixes(yield* steps);
}

/** Computes the fixes of a page one after another. */
const fixesQueue = ({ signal }: RequestContext): SerialQueue =>
  new SerialQueue(new TimeSlices({ budgetMs: NODES_BUDGET, signal }));

@Resolver(() => PlacementGroup)
export class PlacementGroupsResolver {
  @ResolveField()
  @InheritPermission()
  fixes(@Parent() { makeFixes }: GroupParent): ReturnType<GroupParent['makeFixes']> {
    return makeFixes();
  }
}

@Resolver(() => NodePlacement)
export class NodePlacementsResolver {
  @ResolveField()
  @InheritPermission()
  fixes(@Parent() { makeFixes }: NodeParent): ReturnType<NodeParent['makeFixes']> {
    return makeFixes();
  }
}
