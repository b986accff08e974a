import { Args, ArgsType, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ServiceError } from '../../app/errors/service-error.js';
import { GetNode } from '../../app/nodes/get-node.js';
import { ListNodes } from '../../app/nodes/list-nodes.js';
import { GetPod } from '../../app/pods/get-pod.js';
import { ListPods } from '../../app/pods/list-pods.js';
import type { RequestContext } from '../../app/request-context.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { Ctx } from '../request-context.decorator.js';
import { readAtOf } from '../rest/read-at-query.js';
import { RequirePermission, InheritPermission } from '../require-permission.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import { NODE_FILTERS, POD_FILTERS } from '../shapes/filter-options.js';
import { NodeShape } from '../shapes/node-shape.js';
import type { Plain } from '../shapes/plain.js';
import { PodShape } from '../shapes/pod-shape.js';
import { Given } from '../shapes/property.js';
import { ConnectionArguments, pageOfConnection } from './connection.js';
import {
  ReadArguments,
  readConnection,
  ReadConnectionArguments,
  readConnectionOf,
  readRequest,
  withOrigin,
  type ReadConnection,
  type WithOrigin,
} from './read-connection.js';

@ObjectType({ description: 'Nodes, by name.' })
export class NodeConnection extends readConnectionOf(NodeShape, 'Node') {}

@ObjectType({ description: 'Pods, by namespace and name.' })
export class PodConnection extends readConnectionOf(PodShape, 'Pod') {}

@ArgsType()
class NodesArguments extends ReadConnectionArguments {
  @Given(NODE_FILTERS.labelSelector)
  labelSelector?: string;

  @Given(NODE_FILTERS.fieldSelector)
  fieldSelector?: string;

  @Given(NODE_FILTERS.taint)
  taint?: string[];

  @Given(NODE_FILTERS.untoleratedBy)
  untoleratedBy?: string;

  @Given({
    type: 'kubernetesObject',
    optional: true,
    description: 'The same as untoleratedBy for the manifest of a pod or of a workload; give one of the two.',
  })
  untoleratedByManifest?: JsonObject;
}

@ArgsType()
class NodeArguments extends ReadArguments {
  @Given({ type: 'string', description: 'The name of the node.' })
  name!: string;
}

@ArgsType()
class PodsArguments extends ReadConnectionArguments {
  @Given(POD_FILTERS.labelSelector)
  labelSelector?: string;

  @Given(POD_FILTERS.fieldSelector)
  fieldSelector?: string;

  @Given(POD_FILTERS.namespace)
  namespace?: string;

  @Given(POD_FILTERS.nodeName)
  nodeName?: string;

  @Given(POD_FILTERS.phase)
  phase?: string;

  @Given(POD_FILTERS.workload)
  workload?: string;

  @Given(POD_FILTERS.workloadKind)
  workloadKind?: string;

  @Given(POD_FILTERS.toleratesTaint)
  toleratesTaint?: string[];
}

@ArgsType()
class PodArguments extends ReadArguments {
  @Given({ type: 'string', description: 'The namespace of the pod.' })
  namespace!: string;

  @Given({ type: 'string', description: 'The name of the pod.' })
  name!: string;
}

/** The nodes and pods of a cluster. */
@Resolver(() => ClusterShape)
export class InventoryResolver {
  constructor(
    private readonly listNodes: ListNodes,
    private readonly getNode: GetNode,
    private readonly listPods: ListPods,
    private readonly getPod: GetPod,
  ) {}

  @ResolveField(() => NodeConnection, { description: 'Its nodes by name, those that every given filter picks.' })
  @RequirePermission('read', 'parent')
  async nodes(
    @Parent() { name }: ClusterShape,
    @Args() args: NodesArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<NodeShape>>> {
    const request = readRequest(name, args);
    return readConnection(await this.listNodes.run({ ...request, filter: args }, edge), args, request.readAt);
  }

  @ResolveField(() => NodeShape, { description: 'One node; an error with the code object-not-found if there is none.' })
  @RequirePermission('read', 'parent')
  async node(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: NodeArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<NodeShape>> {
    const readAt = readAtOf(args);
    const { node, basis } = await this.getNode.run(cluster, args.name, readAt, edge);
    return withOrigin(node, basis, readAt);
  }

  @ResolveField(() => PodConnection, { description: 'Its pods by namespace and name, those that every filter picks.' })
  @RequirePermission('read', 'parent')
  async pods(
    @Parent() { name }: ClusterShape,
    @Args() args: PodsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<PodShape>>> {
    const request = readRequest(name, args);
    return readConnection(await this.listPods.run({ ...request, filter: args }, edge), args, request.readAt);
  }

  @ResolveField(() => PodShape, { description: 'One pod; an error with the code object-not-found if there is none.' })
  @RequirePermission('read', 'parent')
  async pod(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: PodArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PodShape>> {
    const readAt = readAtOf(args);
    const { pod, basis } = await this.getPod.run(cluster, args, readAt, edge);
    return withOrigin(pod, basis, readAt);
  }
}

/**
 * From a node to its pods. All lookups of a request share one loaded state, so a page of nodes with their pods costs no
 * more round trips than the nodes alone.
 */
@Resolver(() => NodeShape)
export class NodeResolver {
  constructor(private readonly listPods: ListPods) {}

  @ResolveField(() => PodConnection, { description: 'The pods that are bound to it, those that ended included.' })
  @InheritPermission()
  async pods(
    @Parent() { name, origin }: WithOrigin<NodeShape>,
    @Args() args: ConnectionArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<PodShape>>> {
    const request = { ...origin, filter: { nodeName: name }, page: pageOfConnection(args) };
    return readConnection(await this.listPods.run(request, edge), args, origin.readAt);
  }
}

/** From a pod to its node. */
@Resolver(() => PodShape)
export class PodResolver {
  constructor(private readonly getNode: GetNode) {}

  @ResolveField(() => NodeShape, {
    nullable: true,
    description: 'The node that it is bound to; null where there is none, or where it is not stored.',
  })
  @InheritPermission()
  async boundNode(
    @Parent() { node: name, origin }: WithOrigin<PodShape>,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<NodeShape> | null> {
    if (name === null) return null;
    try {
      const { node, basis } = await this.getNode.run(origin.cluster, name, origin.readAt, edge);
      return withOrigin(node, basis, origin.readAt);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'object-not-found') return null;
      throw error;
    }
  }
}
