import { Args, ArgsType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { DeleteCluster } from '../../app/clusters/delete-cluster.js';
import { GetCluster } from '../../app/clusters/get-cluster.js';
import { ListClusters } from '../../app/clusters/list-clusters.js';
import { PutCluster } from '../../app/clusters/put-cluster.js';
import type { RequestContext } from '../../app/request-context.js';
import { defined } from '../../core/collections/defined.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { ClusterShape, clusterShape, DeletedClusterShape, deletedClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { ConnectionArguments, connection, connectionOf, pageOfConnection, type Connection } from './connection.js';

@ObjectType({ description: 'Clusters, by name.' })
class ClusterConnection extends connectionOf(ClusterShape, 'Cluster') {}

@ArgsType()
class ClustersArguments extends ConnectionArguments {
  @Given({ type: 'string', optional: true, description: "Only clusters with these labels, in kubectl's syntax." })
  labelSelector?: string;
}

@ArgsType()
class ClusterArguments {
  @Given({ type: 'string', description: 'The name of the cluster.' })
  name!: string;
}

@ArgsType()
class PutClusterArguments extends ClusterArguments {
  @Given({
    type: 'labels',
    optional: true,
    description: 'All labels from now on; absent leaves those of an existing cluster as they are.',
  })
  labels?: Record<string, string>;
}

@Resolver()
export class ClustersResolver {
  constructor(
    private readonly putClusterCase: PutCluster,
    private readonly listClusters: ListClusters,
    private readonly getCluster: GetCluster,
    private readonly deleteClusterCase: DeleteCluster,
  ) {}

  @Query(() => ClusterConnection, { description: 'The clusters, by name.' })
  @RequirePermission('read', 'each')
  async clusters(
    @Args() args: ClustersArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Connection<Plain<ClusterShape>>> {
    const { labelSelector } = args;
    const request = { page: pageOfConnection(args), ...defined({ labelSelector }) };
    const page = await this.listClusters.run(request, edge);
    return connection(page, args, clusterShape);
  }

  @Query(() => ClusterShape, { description: 'One cluster; an error with the code cluster-not-found if there is none.' })
  @RequirePermission('read', 'name')
  async cluster(@Args() { name }: ClusterArguments): Promise<Plain<ClusterShape>> {
    return clusterShape(await this.getCluster.run(name));
  }

  @Mutation(() => ClusterShape, { description: 'Creates a cluster, or gives an existing one other labels.' })
  @RequirePermission('admin', 'name')
  async putCluster(@Args() { name, labels }: PutClusterArguments): Promise<Plain<ClusterShape>> {
    const { cluster } = await this.putClusterCase.run({ name, ...defined({ labels }) });
    return clusterShape(cluster);
  }

  @Mutation(() => DeletedClusterShape, { description: 'Deletes a cluster with all of its revisions.' })
  @RequirePermission('admin', 'name')
  async deleteCluster(
    @Args() { name }: ClusterArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DeletedClusterShape>> {
    return deletedClusterShape(await this.deleteClusterCase.run(name, edge));
  }
}
