import { InputType } from '@nestjs/graphql';
import { cluster, putClusterInput, deletedCluster } from '../../contract/clusters/cluster.js';
import { responseClass, requestClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { Cluster, DeletedCluster } from '../../storage/cluster-store.js';
import type { Plain } from './plain.js';

export const ClusterShape = responseClass(cluster);
export type ClusterShape = Response<typeof cluster>;

@InputType({ isAbstract: true })
export class PutClusterBody extends requestClass(putClusterInput) {}

export const DeletedClusterShape = responseClass(deletedCluster);
export type DeletedClusterShape = Response<typeof deletedCluster>;

export function clusterShape(cluster: Cluster): Plain<ClusterShape> {
  const { name, labels, createdAt, headRevision } = cluster;
  return { name, labels, createdAt, headRevision: headRevision === 0 ? null : headRevision };
}

export function deletedClusterShape({
  cluster,
  revisions,
  objectVersions,
}: DeletedCluster): Plain<DeletedClusterShape> {
  return { name: cluster.name, revisions, objectVersions };
}
