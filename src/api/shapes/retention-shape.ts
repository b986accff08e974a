import { InputType } from '@nestjs/graphql';
import type { ApplyRetentionRequest } from '../../app/snapshots/apply-retention.js';
import { defined } from '../../core/collections/defined.js';
import { readDuration } from '../moment.js';
import { Given } from './property.js';

@InputType('RetentionInput')
export class RetentionBody {
  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    description: 'Keep at most so many revisions, the newest.',
    example: 100,
  })
  keepRevisions?: number;

  @Given({
    type: 'string',
    optional: true,
    maximumLength: 40,
    description: 'Remove what was received longer ago than this: `30d`, `12h`, `90` (seconds). The head always stays.',
    example: '30d',
  })
  maxAge?: string;

  @Given({ type: 'boolean', optional: true, defaultsTo: false, description: 'Only tell what would be removed.' })
  dryRun?: boolean;
}

export function retentionRequest(
  cluster: string,
  { keepRevisions, maxAge, dryRun }: RetentionBody,
): ApplyRetentionRequest {
  return {
    cluster,
    dryRun: dryRun ?? false,
    ...defined({ keepRevisions }),
    ...(maxAge === undefined ? {} : { maxAgeSeconds: readDuration(maxAge, 'maxAge') }),
  };
}
