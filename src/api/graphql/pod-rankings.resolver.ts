import { Args, ArgsType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { RankPlacedPod } from '../../app/pods/rank-placed-pod.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { AHEAD } from '../rest/pod-rankings.controller.js';
import { readAtOf } from '../rest/read-at-query.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { PodRankingShape } from '../shapes/pod-ranking-shape.js';
import { Given } from '../shapes/property.js';
import { ReadArguments } from './read-connection.js';

@ArgsType()
class PodRankingArguments extends ReadArguments {
  @Given({ type: 'string', description: 'The namespace of the pod.' })
  namespace!: string;

  @Given({ type: 'string', description: 'Its name.' })
  name!: string;

  @Given(AHEAD)
  limit?: number;
}

/** Why running pods are where they are. */
@Resolver(() => ClusterShape)
export class PodRankingsResolver {
  constructor(private readonly rankPlacedPod: RankPlacedPod) {}

  @ResolveField(() => PodRankingShape, {
    description: 'How the node of a running pod ranks for it today, and what has changed since it came there.',
  })
  @RequirePermission('evaluate', 'parent')
  async podRanking(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: PodRankingArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PodRankingShape>> {
    const { namespace, name, limit = 10 } = args;
    return this.rankPlacedPod.run({ cluster, namespace, name, readAt: readAtOf(args), limit }, edge);
  }
}
