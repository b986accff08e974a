import { defined } from '../../core/collections/defined.js';
import { capacityInput } from '../../contract/scheduling/capacity-request.js';
import { requestClass, crossFieldErrors } from '../contract/object-classes.js';
import type { Request } from '../../contract/schema.js';
import type { PlacementSubject } from '../../app/placements/placement-request.js';
import { subjectFaults, subjectOf } from './pod-subject.js';

export const CapacityBody = requestClass(capacityInput);
export type CapacityBody = Request<typeof capacityInput>;
crossFieldErrors(capacityInput, subjectFaults);

export function capacityQuestionOf(
  body: CapacityBody,
): PlacementSubject & Pick<CapacityBody, 'groupBy' | 'taints' | 'timeBudgetMs' | 'configuration'> {
  const { groupBy, taints, timeBudgetMs, configuration } = body;
  return { ...subjectOf(body), ...defined({ groupBy, taints, timeBudgetMs, configuration }) };
}
