import type { FieldError } from '../kubernetes/field-error.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { validatePreparedPod } from '../kubernetes/validation/pod/validate-pod.js';
import { defaultWholePod } from '../kubernetes/whole-pod-defaults.js';

/** Of these, a part is not kept: what stands there cannot be validated. */
const PARTLY_KEPT = /^\/metadata\/ownerReferences|^\/spec\/volumes|\/restartPolicyRules/;

/** Where a pod can go does not hang on these, so a manifest may go without. */
const LEFT_OUT = /^\/metadata\/name$|^\/spec\/(?:containers|(?:initContainers|containers)\/\d+\/(?:name|image))$/;

/**
 * What the API server answers to the creation of a pod of which only the kept fields are known: every complaint about those. A name,
 * the containers and their images may be absent.
 *
 * @param pod defaulted, and prepared by `preparedPod`
 * @throws QuantityError for a text that is no quantity
 */
export const validateKeptPod = (pod: WholePod, gates: TolerationGates): FieldError[] =>
  validatePreparedPod(defaultWholePod(pod), gates).filter(
    ({ type, pointer }) => !PARTLY_KEPT.test(pointer) && !(type === 'FieldValueRequired' && LEFT_OUT.test(pointer)),
  );
