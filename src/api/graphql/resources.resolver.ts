import { Args, ArgsType, Parent, Resolver } from '@nestjs/graphql';
import { WriteStateMetrics } from '../../app/resources/write-state-metrics.js';
import type { RequestContext } from '../../app/request-context.js';
import { cluster } from '../../contract/clusters/cluster.js';
import { clusterMetrics, METRIC_FAMILIES } from '../../contract/resources/cluster-metrics.js';
import type { Response } from '../../contract/schema.js';
import { responseClass } from '../contract/object-classes.js';
import { Ctx } from '../http/request-context.decorator.js';
import { RequirePermission } from '../access/require-permission.js';
import { readAtOf } from '../../app/reads/given-read-at.js';
import { RequestField } from '../contract/field-decorators.js';
import { ReadArguments } from './read-connection.js';
import { ResolveField } from './fields.js';

// Evaluated immediately: Nest collects the types before it reads them.
const ClusterResponse = responseClass(cluster);
const ClusterMetricsResponse = responseClass(clusterMetrics);

@ArgsType()
class ClusterMetricsArguments extends ReadArguments {
  @RequestField(METRIC_FAMILIES)
  families?: string[];
}

/** The metrics of a cluster as one string; REST streams them. */
@Resolver(() => ClusterResponse)
export class ResourcesResolver {
  constructor(private readonly writeStateMetrics: WriteStateMetrics) {}

  @ResolveField(() => ClusterMetricsResponse, {
    description:
      "The cluster's metrics as kube-state-metrics would export them; use REST, which streams them, for long pages.",
  })
  @RequirePermission('read', 'parent')
  async metrics(
    @Parent() { name }: Response<typeof cluster>,
    @Args() args: ClusterMetricsArguments,
    @Ctx() requestContext: RequestContext,
  ): Promise<Response<typeof clusterMetrics>> {
    return this.writeStateMetrics.whole(
      { cluster: name, readAt: readAtOf(args), families: args.families },
      requestContext,
    );
  }
}
