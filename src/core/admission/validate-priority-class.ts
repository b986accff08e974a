import { SYSTEM_PRIORITY_CLASSES } from './priority.js';
import { forbidden, notSupported, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { PriorityClass } from '../kubernetes/objects/scheduling.js';
import { validateCoreObjectMeta } from '../kubernetes/validation/metadata.js';
import { nameIsDnsSubdomain } from '../kubernetes/validation/object-names.js';

const PREFIX = 'system-';
const HIGHEST = 1_000_000_000;
const POLICIES = ['Never', 'PreemptLowerPriority'];

/**
 * The API server's faults of a new PriorityClass.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/scheduling/validation/validation.go, `ValidatePriorityClass`; helpers.go,
 * `IsKnownSystemPriorityClass`.
 */
export function validatePriorityClass(object: PriorityClass): FieldError[] {
  const { metadata, value, globalDefault = false, preemptionPolicy } = object;
  const at = FieldPath.of('metadata');
  const errors = validateCoreObjectMeta(metadata, false, nameIsDnsSubdomain, at);
  const { name } = metadata;
  if (name.startsWith(PREFIX)) {
    const fault = systemFault(name, value, globalDefault);
    const text = `priority class names with '${PREFIX}' prefix are reserved for system use only. error: ${fault}`;
    if (fault !== undefined) errors.push(forbidden(at.child('name'), text));
  } else if (value > HIGHEST) {
    const text = `maximum allowed value of a user defined priority is ${HIGHEST}`;
    errors.push(forbidden(FieldPath.of('value'), text));
  }
  if (preemptionPolicy !== undefined && !POLICIES.includes(preemptionPolicy)) {
    errors.push(notSupported(FieldPath.of('preemptionPolicy'), preemptionPolicy, POLICIES));
  }
  return errors;
}

function systemFault(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = SYSTEM_PRIORITY_CLASSES.find(({ metadata }) => metadata.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
