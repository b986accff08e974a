import { validatePriorityClass } from '../admission/validate-priority-class.js';
import { validateBinding, validatePolicy } from '../admission/policies/validate-policy.js';
import { CelUnsupported } from '../cel/errors.js';
import { validateClaim, validateDeviceClass, type ClaimContext } from '../devices/validate-claim.js';
import { errorsInWordsOf, type FieldError } from '../kubernetes/field-error.js';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../kubernetes/objects/admission-policies.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type {
  DeviceClass,
  DeviceTaintRule,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../kubernetes/objects/dra.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import type { LimitRange, ResourceQuota } from '../kubernetes/objects/quota.js';
import type { PriorityClass, RuntimeClass } from '../kubernetes/objects/scheduling.js';
import { rulesOfGates, type TolerationGates } from '../kubernetes/toleration.js';
import { validateDeviceTaintRule } from '../kubernetes/validation/device-taint-rule.js';
import { validateLimitRange } from '../kubernetes/validation/limit-range.js';
import { validateCoreObjectMeta } from '../kubernetes/validation/metadata.js';
import { nameIsDnsLabel } from '../kubernetes/validation/object-names.js';
import { validatePodDisruptionBudget } from '../kubernetes/validation/pod-disruption-budget.js';
import { validateResourceQuota } from '../kubernetes/validation/resource-quota.js';
import { validateResourceSlice } from '../kubernetes/validation/resource-slice.js';
import { validateRuntimeClass } from '../kubernetes/validation/runtime-class.js';

/** What faults of an object depend on. */
export interface ObjectContext extends ClaimContext {
  readonly gates: TolerationGates;
}

/**
 * The API server's faults of a new object that is no pod, node or workload. For kinds that are not listed here it has none. Neither has a
 * policy with expressions that this service does not evaluate: whether it is valid is then not known, and what it says of pods is unknown by
 * its name.
 *
 * @param object with all fields, not pruned
 * @returns the faults in the words of the version
 * @throws QuantityError for an invalid quantity
 */
export const validateObject = (object: KubernetesObject, context: ObjectContext): readonly FieldError[] =>
  errorsInWordsOf(rulesOfGates(context.gates), faultsOf(object, context));

function faultsOf(object: KubernetesObject, context: ObjectContext): readonly FieldError[] {
  const { gates } = context;
  switch (object.kind) {
    case 'Namespace':
      return validateCoreObjectMeta(object.metadata, false, nameIsDnsLabel, FieldPath.of('metadata'));
    case 'ResourceQuota':
      return validateResourceQuota(object as ResourceQuota, rulesOfGates(gates));
    case 'LimitRange':
      return validateLimitRange(object as LimitRange);
    case 'RuntimeClass':
      return validateRuntimeClass(object as RuntimeClass, gates);
    case 'PriorityClass':
      return validatePriorityClass(object as PriorityClass);
    case 'PodDisruptionBudget':
      return validatePodDisruptionBudget(object as PodDisruptionBudget);
    case 'ValidatingAdmissionPolicy':
      return supported(() => validatePolicy(object as ValidatingAdmissionPolicy));
    case 'ValidatingAdmissionPolicyBinding':
      return validateBinding(object as ValidatingAdmissionPolicyBinding);
    case 'ResourceClaim':
    case 'ResourceClaimTemplate':
      return validateClaim(object as ResourceClaim | ResourceClaimTemplate, context);
    case 'ResourceSlice':
      return validateResourceSlice(object as ResourceSlice, rulesOfGates(gates));
    case 'DeviceTaintRule':
      return validateDeviceTaintRule(object as DeviceTaintRule);
    case 'DeviceClass':
      return validateDeviceClass(object as DeviceClass, rulesOfGates(gates));
    default:
      return [];
  }
}

function supported(validate: () => readonly FieldError[]): readonly FieldError[] {
  try {
    return validate();
  } catch (error) {
    if (error instanceof CelUnsupported) return [];
    throw error;
  }
}
