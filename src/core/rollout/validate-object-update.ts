import { sameValue } from '../json/same-value.js';
import { errorsInWordsOf, forbidden, invalid, type FieldError, type ShownValue } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { jsonGo } from '../kubernetes/go-text.js';
import type { ResourceClaim, ResourceClaimTemplate } from '../kubernetes/objects/dra.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { PriorityClass, RuntimeClass } from '../kubernetes/objects/scheduling.js';
import type { StorageClass } from '../kubernetes/objects/storage.js';
import { rulesOfGates } from '../kubernetes/toleration.js';
import { validateObject, type ObjectContext } from '../scenario/validate-object.js';

const IMMUTABLE = 'field is immutable';

/**
 * What the API server refuses of a change to a stored object that is no pod, node or workload: what it refuses of a new one, and changes of fields that
 * must stay as they are, as far as snapshots keep them.
 *
 * Source: k8s.io/kubernetes v1.36.2, `ValidatePriorityClassUpdate`, `ValidateRuntimeClassUpdate`, `ValidateStorageClassUpdate`,
 * `ValidateResourceQuotaUpdate`, `ValidateResourceClaimUpdate` and `ValidateResourceClaimTemplateUpdate` in validation.go of pkg/apis/scheduling,
 * node, storage, core and resource.
 *
 * @throws QuantityError for an invalid quantity
 */
export const validateObjectUpdate = (
  stored: KubernetesObject,
  merged: KubernetesObject,
  context: ObjectContext,
): readonly FieldError[] =>
  errorsInWordsOf(rulesOfGates(context.gates), [...validateObject(merged, context), ...fixedFaults(stored, merged)]);

function fixedFaults(stored: KubernetesObject, merged: KubernetesObject): readonly FieldError[] {
  switch (merged.kind) {
    case 'PriorityClass': {
      const [before, after] = [stored as PriorityClass, merged as PriorityClass];
      const text = 'may not be changed in an update.';
      return [
        ...(before.value === after.value ? [] : [forbidden(FieldPath.of('value'), text)]),
        ...unchanged('preemptionPolicy', policyOf(before), policyOf(after)),
      ];
    }
    case 'RuntimeClass':
      return unchanged('handler', (stored as RuntimeClass).handler, (merged as RuntimeClass).handler);
    case 'StorageClass': {
      const [before, after] = [stored as StorageClass, merged as StorageClass];
      const text = 'updates to provisioner are forbidden.';
      return [
        ...(before.provisioner === after.provisioner ? [] : [forbidden(FieldPath.of('provisioner'), text)]),
        ...unchanged('reclaimPolicy', before.reclaimPolicy ?? 'Delete', after.reclaimPolicy ?? 'Delete'),
        ...unchanged('volumeBindingMode', modeOf(before), modeOf(after)),
      ];
    }
    case 'ResourceQuota': {
      const [before, after] = [stored, merged].map((one) => [...((one as ResourceQuota).spec?.scopes ?? [])].sort());
      return sameValue(before!, after!)
        ? []
        : [invalid(FieldPath.of('spec', 'scopes'), { text: jsonGo(after!) }, IMMUTABLE)];
    }
    case 'ResourceClaim':
    case 'ResourceClaimTemplate': {
      const [before, after] = [stored, merged].map((one) => (one as ResourceClaim | ResourceClaimTemplate).spec ?? {});
      return sameValue(before!, after!) ? [] : [invalid(FieldPath.of('spec'), { text: jsonGo(after!) }, IMMUTABLE)];
    }
    default:
      return [];
  }
}

const policyOf = ({ preemptionPolicy = 'PreemptLowerPriority' }: PriorityClass): string => preemptionPolicy;
const modeOf = ({ volumeBindingMode = 'Immediate' }: StorageClass): string => volumeBindingMode;

/** `ValidateImmutableField`. */
function unchanged(field: string, before: string | undefined, after: string | undefined): readonly FieldError[] {
  const shown: ShownValue = after ?? { text: 'null' };
  return before === after ? [] : [invalid(FieldPath.of(field), shown, IMMUTABLE)];
}
