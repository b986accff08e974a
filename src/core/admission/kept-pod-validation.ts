import type { FieldError } from '../kubernetes/field-error.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import { rulesOfGates, type TolerationGates } from '../kubernetes/toleration.js';
import { newPod, validatePreparedPod } from '../kubernetes/validation/pod/validate-pod.js';
import { defaultWholePod } from '../kubernetes/whole-pod-defaults.js';

/** Of these, a part is not kept: what stands there cannot be validated. */
const PARTLY_KEPT =
  /^\/metadata\/ownerReferences|^\/spec\/volumes|\/restartPolicyRules\/\d+\/exitCodes|\/(?:liveness|readiness|startup)Probe|\/lifecycle/;

/** Where a pod can go does not hang on these, so a manifest may go without. */
const LEFT_OUT = /^\/metadata\/name$|^\/spec\/(?:containers|(?:initContainers|containers)\/\d+\/(?:name|image))$/;

/** Complaints about a security context as a whole quote all of it. */
const QUOTES_CONTEXT = /\/securityContext$/;

/**
 * What the API server answers to the creation of a pod of which only the kept fields are known: every complaint about those. A name,
 * the containers and their images may be absent.
 *
 * @param pod defaulted, and prepared by `preparedPod`
 * @param whole all of it, where it is known: complaints that quote fields that are not kept are about this; without it they are left out
 * @throws QuantityError for a text that is no quantity
 */
export function validateKeptPod(pod: WholePod, gates: TolerationGates, whole?: WholePod): FieldError[] {
  const errors = aboutKeptFields(validatePreparedPod(defaultWholePod(pod), gates)).filter(
    ({ type, pointer }) => !(type === 'FieldValueRequired' && LEFT_OUT.test(pointer)),
  );
  if (!errors.some(({ pointer }) => QUOTES_CONTEXT.test(pointer))) return errors;
  const ofWhole = whole === undefined ? [] : validatePreparedPod(newPod(whole, rulesOfGates(gates)), gates);
  return errors.flatMap((error) =>
    QUOTES_CONTEXT.test(error.pointer) ? ofWhole.filter((other) => isSame(error, other)) : [error],
  );
}

/** Without complaints about fields of which only a part is kept. */
export const aboutKeptFields = (errors: readonly FieldError[]): FieldError[] =>
  errors.filter(({ pointer }) => !PARTLY_KEPT.test(pointer));

/** Whether two complaints say the same of the same place, whatever they quote. */
const isSame = (a: FieldError, b: FieldError): boolean =>
  a.pointer === b.pointer && ruleOf(a.message) === ruleOf(b.message);

const ruleOf = (message: string): string => message.slice(message.lastIndexOf('}: ') + 1);
