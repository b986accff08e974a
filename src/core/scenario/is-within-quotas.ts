import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import { admitObject } from '../quota/object-admission.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** Whether the quotas admit a new object other than a pod; the refusal is a fault. */
export function* isWithinQuotas(
  draft: ScenarioDraft,
  object: KubernetesObject,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, boolean> {
  if (!draft.quotas.mayCharge(object)) return true;
  const quotas = yield* draft.quotas.of(object.metadata.namespace ?? '');
  try {
    admitObject(quotas, object, (quota) => draft.quotas.chargeOf(quota, object));
    return true;
  } catch (error) {
    if (!(error instanceof AdmissionRefusal)) throw error;
    faults.add(at, 'admission-refused', error.message);
    return false;
  }
}
