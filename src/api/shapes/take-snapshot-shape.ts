import { defined } from '../../core/collections/defined.js';
import { InputType } from '@nestjs/graphql';
import { snapshotParameters } from '../../contract/snapshots/take-snapshot.js';
import { requestClass } from '../contract/object-classes.js';
import type { TakeSnapshotRequest } from '../../app/snapshots/take-snapshot.js';

@InputType({ isAbstract: true })
export class SnapshotParameters extends requestClass(snapshotParameters) {}

export function snapshotRequest(
  cluster: string,
  parameters: SnapshotParameters,
  body: TakeSnapshotRequest['body'],
): TakeSnapshotRequest {
  const { createCluster, capturedAt, backfill, invalid, allowRemovals, kinds, namespaces, source } = parameters;
  return {
    cluster,
    createCluster: createCluster ?? false,
    backfill: backfill ?? false,
    invalid: invalid ?? 'refuse',
    allowRemovals: allowRemovals ?? false,
    scope: { ...(kinds === undefined ? {} : { kinds }), ...(namespaces === undefined ? {} : { namespaces }) },
    ...(capturedAt === undefined ? {} : { capturedAt: new Date(capturedAt) }),
    ...defined({ source }),
    body,
  };
}
