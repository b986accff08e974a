import { Args, Parent, Resolver } from '@nestjs/graphql';
import { ServiceError } from '../../app/errors/service-error.js';
import { GetNode } from '../../app/nodes/get-node.js';
import { ListPods } from '../../app/pods/list-pods.js';
import type { RequestContext } from '../../app/request-context.js';
import { node } from '../../contract/nodes/node.js';
import { pod } from '../../contract/pods/pod.js';
import { listPods } from '../../contract/pods/questions.js';
import type { Response } from '../../contract/schema.js';
import { connectionClassOf } from '../contract/graphql-resolvers.js';
import { responseClass } from '../contract/object-classes.js';
import { Ctx } from '../http/request-context.decorator.js';
import { InheritPermission } from '../access/require-permission.js';
import { connection, ConnectionArguments, pageOfConnection } from './connection.js';
import type { ReadConnection, WithOrigin } from './read-connection.js';
import { ResolveField } from './fields.js';

type NodeResponse = Response<typeof node>;
type PodResponse = Response<typeof pod>;

// Evaluated immediately: Nest collects the types before it reads them.
const NodeResponse = responseClass(node);
const PodResponse = responseClass(pod);

/**
 * Resolves the pods of nodes. All lookups of a request share one loaded state, so a page of nodes with their pods takes
 * no more database round trips than the nodes alone.
 */
@Resolver(() => NodeResponse)
export class NodeResolver {
  constructor(private readonly podsOf: ListPods) {}

  @ResolveField(() => connectionClassOf(listPods.response), {
    description: 'Pods bound to the node, including those that have ended.',
  })
  @InheritPermission()
  async pods(
    @Parent() { name, origin }: WithOrigin<NodeResponse>,
    @Args() args: ConnectionArguments,
    @Ctx() requestContext: RequestContext,
  ): Promise<ReadConnection<PodResponse>> {
    const request = { ...origin, nodeName: name, page: pageOfConnection(args) };
    const { page, basis } = await this.podsOf.run(request, requestContext);
    return { ...connection(page, args, (pod) => ({ ...pod, origin })), basis };
  }
}

/** Resolves the node of a pod. */
@Resolver(() => PodResponse)
export class PodResolver {
  constructor(private readonly getNode: GetNode) {}

  @ResolveField(() => NodeResponse, {
    description: 'Node that the pod is bound to; null if it is not bound, or if the node is not stored.',
  })
  @InheritPermission()
  async boundNode(
    @Parent() { node: name, origin }: WithOrigin<PodResponse>,
    @Ctx() requestContext: RequestContext,
  ): Promise<NodeResponse | null> {
    if (name === null) return null;
    try {
      const { node } = await this.getNode.run({ ...origin, name }, requestContext);
      return { ...node, origin } as NodeResponse;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'object-not-found') return null;
      throw error;
    }
  }
}
