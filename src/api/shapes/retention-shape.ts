import { InputType } from '@nestjs/graphql';
import { retentionInput } from '../../contract/snapshots/retention.js';
import { requestClass } from '../contract/object-classes.js';
import type { ApplyRetentionRequest } from '../../app/snapshots/apply-retention.js';
import { defined } from '../../core/collections/defined.js';
import type { Plain } from './plain.js';
import { readDuration } from '../moment.js';

@InputType({ isAbstract: true })
export class RetentionBody extends requestClass(retentionInput) {}

export function retentionRequest(
  cluster: string,
  { keepRevisions, maxAge, dryRun }: Plain<RetentionBody>,
): ApplyRetentionRequest {
  return {
    cluster,
    dryRun: dryRun ?? false,
    ...defined({ keepRevisions }),
    ...(maxAge === undefined ? {} : { maxAgeSeconds: readDuration(maxAge, 'maxAge') }),
  };
}
