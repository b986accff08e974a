import { InputType, ObjectType } from '@nestjs/graphql';
import type { Cluster, DeletedCluster } from '../../storage/cluster-store.js';
import type { Plain } from './plain.js';
import { Given, Shown } from './property.js';

const NAME = { type: 'string', description: 'The name: a DNS-1123 subdomain.', example: 'eks-prod' } as const;

@ObjectType('Cluster', { description: 'A named Kubernetes cluster whose state is stored.' })
export class ClusterShape {
  @Shown(NAME)
  name!: string;

  @Shown({ type: 'labels', description: 'What clusters are selected by.', example: { env: 'prod' } })
  labels!: Readonly<Record<string, string>>;

  @Shown({ type: 'time', description: 'When the cluster was first named here.', example: '2026-05-04T03:02:01.000Z' })
  createdAt!: Date;

  @Shown({
    type: 'integer',
    optional: true,
    description: 'The newest revision; null while no snapshot was stored.',
    example: 7,
  })
  headRevision!: number | null;
}

@InputType('PutClusterInput')
export class PutClusterBody {
  @Given({
    type: 'labels',
    optional: true,
    description: 'All labels from now on; absent leaves those of an existing cluster as they are.',
    example: { env: 'prod' },
  })
  labels?: Record<string, string>;
}

@ObjectType('DeletedCluster', { description: 'What went with a deleted cluster.' })
export class DeletedClusterShape {
  @Shown(NAME)
  name!: string;

  @Shown({ type: 'integer', description: 'How many revisions were removed.', example: 7 })
  revisions!: number;

  @Shown({ type: 'integer', description: 'How many versions of objects were removed.', example: 5204 })
  objectVersions!: number;
}

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
