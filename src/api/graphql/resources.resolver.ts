import { Args, ArgsType, Parent, Resolver } from '@nestjs/graphql';
import { ExplainPodResources } from '../../app/resources/explain-pod-resources.js';
import { ReadNodeAllocation } from '../../app/resources/read-node-allocation.js';
import { WriteStateMetrics } from '../../app/resources/write-state-metrics.js';
import type { RequestContext } from '../../app/request-context.js';
import { clusterMetrics, METRIC_FAMILIES } from '../../contract/resources/cluster-metrics.js';
import type { Response } from '../../contract/schema.js';
import { responseClass } from '../contract/object-classes.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { readAtOf } from '../rest/read-at-query.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import { Given } from '../shapes/property.js';
import { ReadArguments } from './read-connection.js';
import { ResolveField } from './fields.js';

// Now, and not when it is asked for: Nest collects types before it asks.
const ClusterMetricsShape = responseClass(clusterMetrics);

@ArgsType()
class DescribeNodeArguments extends ReadArguments {
  @Given({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;
}

@ArgsType()
class DescribePodArguments extends ReadArguments {
  @Given({ type: 'string', description: 'The namespace of the pod.' })
  namespace!: string;

  @Given({ type: 'string', description: 'The name of the pod.' })
  name!: string;
}

@ArgsType()
class ClusterMetricsArguments extends ReadArguments {
  @Given(METRIC_FAMILIES)
  families?: string[];
}

/** What kubectl and kube-state-metrics print of pods and nodes, as text. */
@Resolver(() => ClusterShape)
export class ResourcesResolver {
  constructor(
    private readonly explainPodResources: ExplainPodResources,
    private readonly readNodeAllocation: ReadNodeAllocation,
    private readonly writeStateMetrics: WriteStateMetrics,
  ) {}

  @ResolveField(() => String, {
    description: "A node's taints and the tables of its pods and resources, as kubectl describe prints them.",
  })
  @RequirePermission('read', 'parent')
  async describeNode(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: DescribeNodeArguments,
    @Ctx() edge: RequestContext,
  ): Promise<string> {
    return this.readNodeAllocation.describe({ cluster, readAt: readAtOf(args), node: args.node }, edge);
  }

  @ResolveField(() => String, { description: "A stored pod's tolerations, as kubectl describe prints them." })
  @RequirePermission('read', 'parent')
  async describePod(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: DescribePodArguments,
    @Ctx() edge: RequestContext,
  ): Promise<string> {
    const { namespace, name } = args;
    return this.explainPodResources.describe({ cluster, readAt: readAtOf(args), podRef: { namespace, name } }, edge);
  }

  @ResolveField(() => ClusterMetricsShape, {
    description: 'The cluster as kube-state-metrics would export it; a long page is for REST, which streams it.',
  })
  @RequirePermission('read', 'parent')
  async metrics(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: ClusterMetricsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Response<typeof clusterMetrics>> {
    return this.writeStateMetrics.whole({ cluster, readAt: readAtOf(args), families: args.families }, edge);
  }
}
