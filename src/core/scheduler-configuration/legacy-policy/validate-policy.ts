import { fieldErrorText } from '../../kubernetes/error-aggregate.js';
import { invalid } from '../../kubernetes/field-error.js';
import { FieldPath } from '../../kubernetes/field-path.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import { validateShape } from '../../placement/weighted-resources.js';
import { faultOf } from '../configuration-reading.js';
import type { ConfigurationFault } from '../decode-configuration.js';
import { validateExtenders } from '../validate-configuration.js';
import type { Policy, PriorityPolicy } from './policy-types.js';

const MAX_WEIGHT = (2n ** 63n - 1n) / 10n;

/**
 * Every fault of a Policy, with upstream's messages.
 *
 * Source: k8s.io/kubernetes v1.22, pkg/scheduler/apis/config/validation/validation.go, `ValidatePolicy`, and
 * pkg/scheduler/framework/plugins/legacy_registry.go, `validatePredicate` and `validatePriority`.
 */
export function validatePolicy(policy: Policy): ConfigurationFault[] {
  const { predicates = [], priorities = [], extenders = [], hardPodAffinitySymmetricWeight: hard = 0 } = policy;
  const declared = new Map<string, PriorityPolicy>();
  const faults = priorities.flatMap((priority, index) => {
    const pointer = `/priorities/${index}`;
    return validatePriority(priority, declared).map((message) => ({ message, pointer }));
  });
  for (const error of validateExtenders(extenders)) faults.push(faultOf(error));
  if (hard < 0 || hard > 100) {
    const path = FieldPath.of('hardPodAffinitySymmetricWeight');
    const error = invalid(path, { text: String(hard) }, 'not in valid range [0-100]');
    faults.push(faultOf(error));
  }
  predicates.forEach(({ name = '', argument }, index) => {
    if (argument === undefined) return;
    const count = countOf(argument);
    if (count === 1) return;
    const message = `exactly 1 predicate argument is required, numArgs: ${count}, predicate ${name}`;
    faults.push({ message, pointer: `/predicates/${index}/argument` });
  });
  return faults;
}

const countOf = (argument: object): number => Object.values(argument).filter((value) => value !== undefined).length;

function validatePriority(priority: PriorityPolicy, declared: Map<string, PriorityPolicy>): string[] {
  const { name = '', weight = 0, argument } = priority;
  const messages: string[] = [];
  if (weight <= 0 || BigInt(weight) >= MAX_WEIGHT) {
    messages.push(`priority ${name} should have a positive weight applied to it or it has overflown`);
  }
  if (argument === undefined) return messages;
  const { labelPreference, serviceAntiAffinity, requestedToCapacityRatioArguments: ratio } = argument;
  const count = countOf(argument);
  if (count === 0) messages.push(`no priority arguments set for priority ${name}`);
  if (count > 1) messages.push(`exactly 1 priority argument is required, numArgs: ${count}, priority ${name}`);
  if (labelPreference !== undefined || serviceAntiAffinity !== undefined) {
    const type = labelPreference === undefined ? 'ServiceAntiAffinity' : 'LabelPreference';
    const before = declared.get(type);
    if (before !== undefined && BigInt(before.weight ?? 0) !== BigInt(weight)) {
      messages.push(`${type}  priority ${quoteGo(name)} has a different weight with ${quoteGo(before.name ?? '')}`);
    }
    declared.set(type, priority);
  }
  if (ratio !== undefined) {
    const type = 'RequestedToCapacityRatio';
    const before = declared.get(type);
    if (before !== undefined) {
      const from = quoteGo(before.name ?? '');
      messages.push(`priority ${quoteGo(name)} redeclares custom priority ${quoteGo(type)}, from: ${from}`);
    } else declared.set(type, priority);
    for (const error of validateShape(ratio.shape ?? [], FieldPath.of('shape'))) messages.push(fieldErrorText(error));
  }
  return messages;
}
