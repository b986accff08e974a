import { Args, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { PlanPool } from '../../app/pools/plan-pool.js';
import type { RequestEdge } from '../../app/request-edge.js';
import { AtEdge } from '../edge.js';
import { Needs } from '../needs.js';
import { readAtOf } from '../rest/read-at-query.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { RemainingPoolChangesShape, remainingShape } from '../shapes/pool-shape.js';
import { PoolArguments } from './pools.resolver.js';

@Resolver(() => ClusterShape)
export class PoolChangesResolver {
  constructor(private readonly planPool: PlanPool) {}

  @ResolveField(() => RemainingPoolChangesShape, {
    description: 'What is still to be made of the nodes of a pool, with what that would do.',
  })
  @Needs('evaluate', 'parent')
  async remainingPoolChanges(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: PoolArguments,
    @AtEdge() edge: RequestEdge,
  ): Promise<Plain<RemainingPoolChangesShape>> {
    return remainingShape(await this.planPool.run({ cluster, name: args.name, readAt: readAtOf(args) }, edge));
  }
}
