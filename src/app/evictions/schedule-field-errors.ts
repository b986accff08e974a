import {
  checkLifecycleParameters,
  DEFAULT_LIFECYCLE_PARAMETERS,
} from '../../core/node-lifecycle/lifecycle-parameters.js';
import { faultAt, placeOf } from '../errors/fault-at.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { selectorIn } from '../label-selector-parameter.js';
import { readTaintsAt } from '../taints/given-taint.js';
import { placeIn } from './read-question.js';
import { isJsonObject } from '../../core/json/json-value.js';

/** Members of a request that is already rejected; they may have any type. */
interface RefusedQuestion {
  readonly nodeSelector?: unknown;
  readonly events?: unknown;
  readonly lifecycle?: unknown;
}

/**
 * Further errors in a rejected request for a schedule that can be found without the cluster.
 * @param root the place of its members, as in `ScheduleRequest`
 */
export function scheduleFieldErrors(
  { nodeSelector, events, lifecycle }: RefusedQuestion,
  root: string,
): readonly ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  if (typeof nodeSelector === 'string') selectorIn(nodeSelector, placeOf(placeIn(root, 'nodeSelector')), faults);
  if (Array.isArray(events)) {
    for (const [index, event] of (events as readonly unknown[]).entries()) {
      const taints = isJsonObject(event) ? event['taints'] : undefined;
      if (!Array.isArray(taints)) continue;
      faults.push(...readTaintsAt(taints, placeIn(root, 'events').index(index).child('taints')).details);
    }
  }
  if (isJsonObject(lifecycle)) {
    const numbers = Object.entries(lifecycle).filter(([, value]) => Number.isFinite(value));
    for (const { parameter, severity, message } of checkLifecycleParameters({
      ...DEFAULT_LIFECYCLE_PARAMETERS,
      ...Object.fromEntries(numbers),
    })) {
      if (severity === 'error') faults.push(faultAt(placeIn(root, 'lifecycle').child(parameter), 'invalid', message));
    }
  }
  return faults;
}
