import { Args, ArgsType, Field, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ExplainPodResources } from '../../app/resources/explain-pod-resources.js';
import { ListAllocations } from '../../app/resources/list-allocations.js';
import { ReadNodeAllocation } from '../../app/resources/read-node-allocation.js';
import type { OverheadGroup } from '../../app/resources/read-overhead-costs.js';
import { ReadOverheadCosts } from '../../app/resources/read-overhead-costs.js';
import { WriteStateMetrics } from '../../app/resources/write-state-metrics.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { readAtOf } from '../rest/read-at-query.js';
import {
  ALLOCATION_FILTERS,
  NamedOverheadShape,
  NodeAllocationHeadShape,
  NodeAllocationShape,
  OVERHEAD_BY,
  OverheadCostsHeadShape,
  PodAllocationShape,
} from '../shapes/allocation-shape.js';
import { ClusterMetricsShape, METRIC_FAMILIES } from '../shapes/cluster-metrics-shape.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { PodResourcesQuestionBody, resourcesQuestionOf } from '../shapes/pod-resources-body.js';
import { PodResourcesShape } from '../shapes/pod-resources-shape.js';
import { Given } from '../shapes/property.js';
import { connection, connectionOf, type Connection } from './connection.js';
import {
  ReadArguments,
  readConnection,
  ReadConnectionArguments,
  readConnectionOf,
  readRequest,
  type ReadConnection,
} from './read-connection.js';

@ObjectType({ description: 'Pods of a node, by namespace and name.' })
class PodAllocationConnection extends connectionOf(PodAllocationShape, 'PodAllocation') {}

@ObjectType({ description: 'Nodes and what their pods hold of them.' })
class NodeAllocationConnection extends readConnectionOf(NodeAllocationShape, 'NodeAllocationSummary') {}

@ObjectType({ description: 'What overhead costs each, by name.' })
class NamedOverheadConnection extends connectionOf(NamedOverheadShape, 'NamedOverhead') {}

@ObjectType('NodeAllocation', { description: 'What the pods of a node hold of it, pod by pod.' })
class NodeAllocationAnswerShape extends NodeAllocationHeadShape {
  @Field(() => PodAllocationConnection, { description: 'The pods: the page that was asked for.' })
  pods!: Connection<Plain<PodAllocationShape>>;
}

@ObjectType('OverheadCosts', { description: 'What the overhead of pods costs.' })
class OverheadCostsShape extends OverheadCostsHeadShape {
  @Field(() => NamedOverheadConnection, { description: 'What it costs each: the page that was asked for.' })
  items!: Connection<Plain<NamedOverheadShape>>;
}

@ArgsType()
class PodResourcesArguments extends ReadArguments {
  @Given({ type: () => PodResourcesQuestionBody, description: 'Which pod, on what a kubelet.' })
  question!: PodResourcesQuestionBody;
}

const NODE = { type: 'string', description: 'The node.', example: 'node-1' } as const;

@ArgsType()
class NodeAllocationArguments extends ReadConnectionArguments {
  @Given(NODE)
  node!: string;
}

@ArgsType()
class DescribeNodeArguments extends ReadArguments {
  @Given(NODE)
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
class AllocationsArguments extends ReadConnectionArguments {
  @Given(ALLOCATION_FILTERS.labelSelector)
  labelSelector?: string;

  @Given(ALLOCATION_FILTERS.freest)
  freest?: string;
}

@ArgsType()
class OverheadCostsArguments extends ReadConnectionArguments {
  @Given(OVERHEAD_BY)
  by?: OverheadGroup;
}

@ArgsType()
class ClusterMetricsArguments extends ReadArguments {
  @Given(METRIC_FAMILIES)
  families?: string[];
}

/** What pods cost. */
@Resolver(() => ClusterShape)
export class ResourcesResolver {
  constructor(
    private readonly explainPodResources: ExplainPodResources,
    private readonly readNodeAllocation: ReadNodeAllocation,
    private readonly listAllocations: ListAllocations,
    private readonly readOverheadCosts: ReadOverheadCosts,
    private readonly writeStateMetrics: WriteStateMetrics,
  ) {}

  @ResolveField(() => PodResourcesShape, {
    description: 'What a pod costs, at every place that counts it, from admission to its cgroup.',
  })
  @RequirePermission('evaluate', 'parent')
  async podResources(
    @Parent() { name }: ClusterShape,
    @Args() args: PodResourcesArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PodResourcesShape>> {
    const request = { cluster: name, readAt: readAtOf(args), ...resourcesQuestionOf(args.question) };
    return this.explainPodResources.run(request, edge);
  }

  @ResolveField(() => NodeAllocationAnswerShape, {
    description: 'What the pods of a node hold of it; `first` and `after` choose among them.',
  })
  @RequirePermission('read', 'parent')
  async nodeAllocation(
    @Parent() { name }: ClusterShape,
    @Args() args: NodeAllocationArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<NodeAllocationAnswerShape>> {
    const { page, ...head } = await this.readNodeAllocation.run({ ...readRequest(name, args), node: args.node }, edge);
    return { ...head, pods: connection(page, args, (pod) => pod) };
  }

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

  @ResolveField(() => NodeAllocationConnection, { description: 'What the pods of each node hold of it.' })
  @RequirePermission('read', 'parent')
  async allocations(
    @Parent() { name }: ClusterShape,
    @Args() args: AllocationsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<NodeAllocationShape>>> {
    const { labelSelector, freest } = args;
    const request = { ...readRequest(name, args), labelSelector, freest };
    return readConnection(await this.listAllocations.run(request, edge), args);
  }

  @ResolveField(() => OverheadCostsShape, { description: 'What the overhead of its pods costs.' })
  @RequirePermission('read', 'parent')
  async overheadCosts(
    @Parent() { name }: ClusterShape,
    @Args() args: OverheadCostsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<OverheadCostsShape>> {
    const { page, ...head } = await this.readOverheadCosts.run({ ...readRequest(name, args), by: args.by }, edge);
    return { ...head, items: connection(page, args, (item) => item) };
  }

  @ResolveField(() => ClusterMetricsShape, {
    description: 'The cluster as kube-state-metrics would export it; a long page is for REST, which streams it.',
  })
  @RequirePermission('read', 'parent')
  async metrics(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: ClusterMetricsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<ClusterMetricsShape>> {
    return this.writeStateMetrics.whole({ cluster, readAt: readAtOf(args), families: args.families }, edge);
  }
}
