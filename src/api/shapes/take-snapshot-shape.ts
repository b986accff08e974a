import { defined } from '../../core/collections/defined.js';
import { InputType } from '@nestjs/graphql';
import type { TakeSnapshotRequest } from '../../app/snapshots/take-snapshot.js';
import { wordsType } from './property-type.js';
import { Given } from './property.js';

const INVALID = wordsType('InvalidObjects', 'What an invalid object does to its snapshot.', ['refuse', 'keep']);

/** What a sender may say of a snapshot, over whichever transport. */
@InputType({ isAbstract: true })
export class SnapshotParameters {
  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Create the cluster with the snapshot if it is absent.',
  })
  createCluster?: boolean;

  @Given({
    type: 'time',
    optional: true,
    description: 'When the state was so in the cluster; the time of receipt unless told.',
  })
  capturedAt?: string;

  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Store it as past state if it was captured before the head was. Without it that is refused.',
  })
  backfill?: boolean;

  @Given({
    type: INVALID,
    optional: true,
    defaultsTo: 'refuse',
    description: 'Whether one invalid object refuses the snapshot, or what can be decoded is kept and reported.',
  })
  invalid?: 'refuse' | 'keep';

  @Given({
    type: 'string',
    list: true,
    optional: true,
    maximumLength: 100,
    description:
      'The kinds that it is complete for: objects of these that it lacks are gone. Unless told: the kinds that occur in ' +
      'it, and Node and Pod (Node only where no namespaces are named).',
  })
  kinds?: string[];

  @Given({
    type: 'string',
    list: true,
    optional: true,
    description: 'The namespaces that it is complete for; all unless told.',
  })
  namespaces?: string[];

  @Given({
    type: 'string',
    optional: true,
    maximumLength: 1024,
    description: 'Where it comes from, in your own words.',
  })
  source?: string;
}

export function snapshotRequest(
  cluster: string,
  parameters: SnapshotParameters,
  body: TakeSnapshotRequest['body'],
): TakeSnapshotRequest {
  const { createCluster, capturedAt, backfill, invalid, kinds, namespaces, source } = parameters;
  return {
    cluster,
    createCluster: createCluster ?? false,
    backfill: backfill ?? false,
    invalid: invalid ?? 'refuse',
    scope: defined({ kinds, namespaces }),
    ...(capturedAt === undefined ? {} : { capturedAt: new Date(capturedAt) }),
    ...defined({ source }),
    body,
  };
}
