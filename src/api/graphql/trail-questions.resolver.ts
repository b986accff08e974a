import { Args, ArgsType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { RequestEdge } from '../../app/request-edge.js';
import { FindFights } from '../../app/taint-trail/find-fights.js';
import { ReadNodeHistory } from '../../app/taint-trail/read-node-history.js';
import { ReadTrailHead } from '../../app/taint-trail/read-trail-head.js';
import { VerifyTrail } from '../../app/taint-trail/verify-trail.js';
import { AtEdge } from '../edge.js';
import { NeedsNothingMore } from '../needs.js';
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
  verifyRequest,
} from '../shapes/trail-request.js';
import {
  TrailHeadShape,
  trailHeadShape,
  TrailShape,
  TrailVerificationShape,
  trailVerificationShape,
} from '../shapes/trail-shape.js';

@ArgsType()
class HistoryArguments extends HistoryFilters {
  @Given({ type: 'string', description: 'The node.' })
  node!: string;
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
  @NeedsNothingMore()
  async history(
    @Parent() trail: TrailShape,
    @Args() { node, ...filters }: HistoryArguments,
    @AtEdge() edge: RequestEdge,
  ): Promise<Plain<NodeHistoryShape>> {
    const history = nodeHistoryShape(await this.readNodeHistory.run(historyRequest(wishOf(trail), node, filters)));
    edge.withheld.addTold(history);
    return history;
  }

  @ResolveField(() => TaintFightsShape, { description: "Writers who undo one another's changes." })
  @NeedsNothingMore()
  async fights(
    @Parent() trail: TrailShape,
    @Args() filters: FightFilters,
    @AtEdge() edge: RequestEdge,
  ): Promise<Plain<TaintFightsShape>> {
    const fights = taintFightsShape(await this.findFights.run(fightsRequest(wishOf(trail), filters), edge));
    edge.withheld.addTold(fights);
    return fights;
  }

  @ResolveField(() => TrailVerificationShape, { description: 'Whether it is as it was written.' })
  @NeedsNothingMore()
  async verification(
    @Parent() trail: TrailShape,
    @Args() checkpoint: CheckpointArguments,
    @AtEdge() edge: RequestEdge,
  ): Promise<Plain<TrailVerificationShape>> {
    return trailVerificationShape(await this.verifyTrail.run(verifyRequest(wishOf(trail), checkpoint), edge));
  }

  @ResolveField(() => TrailHeadShape, { description: 'Its last record, as a checkpoint to keep elsewhere.' })
  @NeedsNothingMore()
  async head(@Parent() trail: TrailShape, @AtEdge() edge: RequestEdge): Promise<Plain<TrailHeadShape>> {
    return trailHeadShape(await this.readTrailHead.run(wishOf(trail), edge));
  }
}

const wishOf = ({ cluster, clusterId }: TrailShape) => ({ cluster, trail: clusterId });
