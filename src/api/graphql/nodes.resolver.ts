import { Args, ArgsType, ID, Parent, ResolveField as NestResolveField, Resolver } from '@nestjs/graphql';
import { authorize } from '../../app/authorize.js';
import { renderCluster } from '../../app/clusters/cluster-response.js';
import { GetCluster } from '../../app/clusters/get-cluster.js';
import { serviceErrorOf } from '../../app/errors/service-error-of.js';
import { GetNode } from '../../app/nodes/get-node.js';
import { GetPod } from '../../app/pods/get-pod.js';
import { GetPool } from '../../app/pools/get-pool.js';
import type { RequestContext } from '../../app/request-context.js';
import { GetRevision } from '../../app/snapshots/get-revision.js';
import { GetTaintChange } from '../../app/taint-changes/get-taint-change.js';
import { GetRecord } from '../../app/taint-trail/get-record.js';
import type { Permission } from '../../auth/permission.js';
import { cluster } from '../../contract/clusters/cluster.js';
import type { ErrorCode } from '../../contract/error-code.js';
import { node } from '../../contract/nodes/node.js';
import { pod } from '../../contract/pods/pod.js';
import { pool } from '../../contract/pools/pool.js';
import type { ObjectType, Response } from '../../contract/schema.js';
import { snapshot } from '../../contract/snapshots/snapshot.js';
import { trailRecordDetailsResponse } from '../../contract/taint-trail/trail-record.js';
import { responseClass } from '../contract/object-classes.js';
import { Ctx } from '../http/request-context.decorator.js';
import { InheritPermission, RequirePermission } from '../access/require-permission.js';
import { RequestField } from '../contract/field-decorators.js';
import { Query } from './fields.js';
import { type Identity, readGlobalId, writeGlobalId } from './global-ids.js';
import { NodeInterface } from './node-interface.js';
import type { Origin, WithOrigin } from './read-connection.js';

type IdOf<Type extends ObjectType> = (parent: WithOrigin<Response<Type>>) => string;

/** The field `id` of a type whose objects have no id in REST. */
function idField<Type extends ObjectType>(type: Type, idOf: IdOf<Type>): new () => object {
  const made = class {
    id(parent: WithOrigin<Response<Type>>): string {
      return idOf(parent);
    }
  };
  Object.defineProperty(made, 'name', { value: `${type.name}IdResolver` });
  Resolver(() => responseClass(type))(made);
  const descriptor = Object.getOwnPropertyDescriptor(made.prototype, 'id')!;
  const description = 'Opaque, globally unique id, for `node` and `nodes`.';
  NestResolveField(() => ID, { description })(made.prototype, 'id', descriptor);
  Parent()(made.prototype, 'id', 0);
  InheritPermission()(made.prototype, 'id', descriptor);
  return made;
}

export const ID_RESOLVERS = [
  idField(cluster, ({ name }) => writeGlobalId('Cluster', [name])),
  idField(node, ({ name, origin }) => writeGlobalId('KubernetesNode', [origin.cluster, name], origin)),
  idField(pod, ({ namespace, name, origin }) => writeGlobalId('Pod', [origin.cluster, namespace, name], origin)),
  idField(pool, ({ name, origin }) => writeGlobalId('Pool', [origin.cluster, name], origin)),
  idField(snapshot, ({ revision, origin }) => writeGlobalId('Snapshot', [origin.cluster, revision])),
  idField(trailRecordDetailsResponse, ({ cluster, clusterId, sequence }) =>
    writeGlobalId('TrailRecord', [cluster, Number(clusterId), Number(sequence)]),
  ),
];

@ArgsType()
class NodeArguments {
  @RequestField({ type: 'id', description: 'Id of an object.' })
  id!: string;
}

@ArgsType()
class NodesArguments {
  @RequestField({ type: 'id', list: true, maximumLength: 100, description: 'Ids of the objects, at most 100.' })
  ids!: string[];
}

/** An object with the name of its GraphQL type. */
interface Found {
  readonly __typename: string;
}

/** Errors for objects that do not exist or that the caller may not see. */
const ABSENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'cluster-not-found',
  'revision-not-found',
  'no-snapshot',
  'object-not-found',
  'trail-not-found',
  'record-not-found',
  'change-not-found',
  'invalid-request',
]);

/** Resolves global ids, for callers with the permission to read the object. */
@Resolver()
export class NodesResolver {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly getNode: GetNode,
    private readonly getPod: GetPod,
    private readonly getPool: GetPool,
    private readonly getRevision: GetRevision,
    private readonly getTaintChange: GetTaintChange,
    private readonly getRecord: GetRecord,
  ) {}

  @Query(() => NodeInterface, {
    description: 'The object with this id; null if it does not exist or the caller may not see it.',
  })
  @RequirePermission('read', 'each')
  async node(@Args() { id }: NodeArguments, @Ctx() requestContext: RequestContext): Promise<Found | null> {
    return this.find(id, requestContext);
  }

  @Query(() => [NodeInterface], {
    description: 'The objects with these ids, in the same order; null for each that does not exist.',
    nullable: 'itemsAndList',
  })
  @RequirePermission('read', 'each')
  async nodes(
    @Args() { ids }: NodesArguments,
    @Ctx() requestContext: RequestContext,
  ): Promise<readonly (Found | null)[]> {
    return Promise.all(ids.map((id) => this.find(id, requestContext)));
  }

  private async find(id: string, requestContext: RequestContext): Promise<Found | null> {
    const identity = readGlobalId(id);
    if (identity === undefined) return null;
    try {
      const found = await this.read(identity, requestContext);
      return found === undefined ? null : { __typename: identity.type, ...found };
    } catch (error) {
      if (ABSENT.has(serviceErrorOf(error).code)) return null;
      throw error;
    }
  }

  private async read({ type, parts, revision }: Identity, requestContext: RequestContext): Promise<object | undefined> {
    const [first, ...rest] = parts;
    const readAt = revision === undefined ? {} : { revision };
    const inCluster = (permission: Permission): { readonly cluster: string; readonly readAt: Origin['readAt'] } => {
      const cluster = String(first);
      authorize(requestContext, permission, cluster);
      return { cluster, readAt };
    };
    const withOrigin = (value: object): object => ({
      ...value,
      origin: { cluster: String(first), readAt, isPinned: revision !== undefined },
    });
    const [second = '', third = ''] = rest.map(String);
    switch (type) {
      case 'Cluster':
        return renderCluster(await this.getCluster.run(inCluster('read').cluster));
      case 'KubernetesNode':
        return withOrigin((await this.getNode.run({ ...inCluster('read'), name: second }, requestContext)).node);
      case 'Pod':
        return withOrigin(
          (await this.getPod.run({ ...inCluster('read'), namespace: second, name: third, root: '' }, requestContext))
            .pod,
        );
      case 'Pool':
        return withOrigin(
          (await this.getPool.run({ ...inCluster('read'), name: second, root: '' }, requestContext)).pool,
        );
      case 'Snapshot': {
        const { cluster } = inCluster('read');
        const { snapshot } = await this.getRevision.run({ cluster, revision: second, root: '' }, requestContext);
        return withOrigin(snapshot);
      }
      case 'TaintChange': {
        const cluster = await this.getTaintChange.clusterOf(String(first));
        if (cluster === undefined) return undefined;
        authorize(requestContext, 'read', cluster);
        const { change, nodes } = await this.getTaintChange.run(
          { cluster, id: String(first), root: '' },
          requestContext,
        );
        requestContext.withheld.addSource(nodes);
        return change ?? undefined;
      }
      case 'TrailRecord': {
        const { cluster } = inCluster('audit');
        const request = { cluster, trail: Number(second), sequence: third, effects: false, root: '' };
        const found = await this.getRecord.run(request, requestContext);
        requestContext.withheld.addSource(found);
        return found;
      }
      default:
        return undefined;
    }
  }
}
