import { Args, ArgsType, Parent, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../../app/request-context.js';
import { FindFights } from '../../app/taint-trail/find-fights.js';
import { ReadNodeHistory } from '../../app/taint-trail/read-node-history.js';
import { ReadTrailHead } from '../../app/taint-trail/read-trail-head.js';
import { VerifyTrail } from '../../app/taint-trail/verify-trail.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission, InheritPermission } from '../require-permission.js';
import { TRAIL } from '../shapes/filter-options.js';
import { NodeHistoryShape, nodeHistoryShape } from '../shapes/node-history-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { TaintFightsShape, taintFightsShape } from '../shapes/taint-fight-shape.js';
import {
  CheckpointArguments,
  FightFilters,
  fightsRequest,
  HistoryFilters,
  historyRequest,
  trailWish,
  verifyRequest,
} from '../shapes/trail-request.js';
import {
  TrailHeadShape,
  trailHeadShape,
  TrailShape,
  TrailVerificationShape,
  trailVerificationShape,
} from '../shapes/trail-shape.js';
import { Query, ResolveField } from './fields.js';

@ArgsType()
class HistoryArguments extends HistoryFilters {
  @Given({ type: 'string', description: 'The node.' })
  node!: string;
}

@ArgsType()
class VerificationArguments extends CheckpointArguments {
  @Given({ type: 'string', description: 'The cluster, which need not be there any more.' })
  cluster!: string;

  @Given(TRAIL)
  trail?: number;
}

/** What an auditor asks of a trail, and whether it is as it was written. */
@Resolver(() => TrailShape)
export class TrailQuestionsResolver {
  constructor(
    private readonly readNodeHistory: ReadNodeHistory,
    private readonly findFights: FindFights,
    private readonly verifyTrail: VerifyTrail,
    private readonly readTrailHead: ReadTrailHead,
  ) {}

  @ResolveField(() => NodeHistoryShape, { description: 'The taints and cordons of a node as intervals.' })
  @InheritPermission()
  async history(
    @Parent() trail: TrailShape,
    @Args() { node, ...filters }: HistoryArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<NodeHistoryShape>> {
    const history = nodeHistoryShape(await this.readNodeHistory.run(historyRequest(wishOf(trail), node, filters)));
    edge.withheld.addTold(history);
    return history;
  }

  @ResolveField(() => TaintFightsShape, { description: "Writers who undo one another's changes." })
  @InheritPermission()
  async fights(
    @Parent() trail: TrailShape,
    @Args() filters: FightFilters,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TaintFightsShape>> {
    const fights = taintFightsShape(await this.findFights.run(fightsRequest(wishOf(trail), filters), edge));
    edge.withheld.addTold(fights);
    return fights;
  }

  @ResolveField(() => TrailVerificationShape, { description: 'Whether it is as it was written.' })
  @InheritPermission()
  async verification(
    @Parent() trail: TrailShape,
    @Args() checkpoint: CheckpointArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TrailVerificationShape>> {
    return trailVerificationShape(await this.verifyTrail.run(verifyRequest(wishOf(trail), checkpoint), edge));
  }

  @Query(() => TrailVerificationShape, {
    description: 'Whether a trail is as it was written; with a checkpoint also of one that is not there any more.',
  })
  @RequirePermission('audit')
  async taintTrailVerification(
    @Args() { cluster, trail, ...checkpoint }: VerificationArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TrailVerificationShape>> {
    const request = verifyRequest(trailWish(cluster, trail), checkpoint);
    return trailVerificationShape(await this.verifyTrail.run(request, edge));
  }

  @ResolveField(() => TrailHeadShape, { description: 'Its last record, as a checkpoint to keep elsewhere.' })
  @InheritPermission()
  async head(@Parent() trail: TrailShape, @Ctx() edge: RequestContext): Promise<Plain<TrailHeadShape>> {
    return trailHeadShape(await this.readTrailHead.run(wishOf(trail), edge));
  }
}

const wishOf = ({ cluster, clusterId }: TrailShape) => ({ cluster, trail: Number(clusterId) });
