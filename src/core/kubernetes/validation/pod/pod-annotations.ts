import { forbidden, invalid, quoteGo, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { Toleration } from '../../objects/taints.js';
import type { WholePod, WholePodSpec } from '../../objects/whole-pod.js';
import { parseInt64 } from '../../parse-int64.js';
import type { TolerationGates } from '../../toleration.js';
import { validateTolerations } from '../tolerations.js';
import { validateLocalDescendingPath } from './paths.js';
import { isJsonObject } from '../../../json/json-value.js';

type Annotations = Readonly<Record<string, string>>;

const MIRROR_POD = 'kubernetes.io/config.mirror';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

/** Whether the pod is the mirror of a static pod in the API server. */
export const isMirrorPod = ({ metadata: { annotations = {} } }: Pick<WholePod, 'metadata'>): boolean =>
  Object.hasOwn(annotations, MIRROR_POD);

/**
 * `ValidatePodSpecificAnnotations`: the annotations with a meaning for pods.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 *
 * @param anyDeletionCost allows an invalid deletion cost, as for a pod that already has one
 */
export function validatePodAnnotations(
  annotations: Annotations,
  spec: WholePodSpec,
  path: FieldPath,
  gates: TolerationGates,
  anyDeletionCost: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(annotations)) {
    if (key === MIRROR_POD && (spec.nodeName ?? '') === '') {
      errors.push(invalid(path.key(key), value, 'must set spec.nodeName if mirror pod annotation is set'));
    } else if (key === TOLERATIONS && value !== '') {
      errors.push(...validateTolerationsAnnotation(value, path, gates));
    } else if (key === DELETION_COST && !anyDeletionCost && !isDeletionCost(value)) {
      errors.push(invalid(path.key(key), value, 'must be a 32bit integer'));
    } else if (key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER)) {
      errors.push(...validateSeccompAnnotation(value, path.child(key)));
    } else if (key.startsWith(APP_ARMOR)) {
      errors.push(...validateAppArmorAnnotation(key.slice(APP_ARMOR.length), value, spec, path.key(key)));
    }
  }
  return errors;
}

/** The comparing part of `ValidatePodSpecificAnnotationUpdates`: two kinds of annotations cannot change. */
export function validateAnnotationChanges(now: Annotations, before: Annotations, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const what = key === MIRROR_POD ? 'mirror pod annotation' : key.startsWith(APP_ARMOR) ? 'AppArmor annotations' : '';
    if (what === '') continue;
    const had = Object.hasOwn(before, key);
    const has = Object.hasOwn(now, key);
    if (had && !(has && now[key] === before[key])) {
      errors.push(forbidden(path.key(key), `may not remove or update ${what}`));
    } else if (!had) {
      errors.push(forbidden(path.key(key), `may not add ${what}`));
    }
  }
  return errors;
}

/** Whether the annotations have no deletion cost, or a valid one. */
export const hasGoodDeletionCost = (annotations: Annotations = {}): boolean =>
  !Object.hasOwn(annotations, DELETION_COST) || isDeletionCost(annotations[DELETION_COST]!);

/** `GetDeletionCostFromPodAnnotations`: an int32 without plus sign or leading zeros, although `-007` is accepted. */
function isDeletionCost(text: string): boolean {
  if (!/^(?:0$|[-1-9])/.test(text)) return false;
  const parsed = parseInt64(text);
  return 'value' in parsed && BigInt.asIntN(32, parsed.value) === parsed.value;
}

function validateTolerationsAnnotation(text: string, path: FieldPath, gates: TolerationGates): FieldError[] {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return [invalid(path, TOLERATIONS, error instanceof Error ? error.message : 'invalid JSON')];
  }
  if (given === null) return [];
  if (!Array.isArray(given) || !given.every(isJsonObject)) {
    return [invalid(path, TOLERATIONS, 'json: cannot unmarshal into []core.Toleration')];
  }
  return validateTolerations(given.map(readToleration), path.child(TOLERATIONS), gates);
}

/** The internal type has no JSON names, so field names are read case-insensitively. */
function readToleration(given: Readonly<Record<string, unknown>>): Toleration {
  const fields = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : '';
  };
  const seconds = fields.get('tolerationseconds');
  return {
    key: text('key'),
    operator: text('operator'),
    value: text('value'),
    effect: text('effect'),
    ...(typeof seconds === 'number' && { tolerationSeconds: seconds }),
  };
}

/** `ValidateSeccompProfile`. */
function validateSeccompAnnotation(profile: string, path: FieldPath): FieldError[] {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return [];
  return profile.startsWith('localhost/')
    ? validateLocalDescendingPath(profile.slice('localhost/'.length), path)
    : [invalid(path, profile, 'must be a valid seccomp profile')];
}

function validateAppArmorAnnotation(
  container: string,
  profile: string,
  { containers, initContainers = [], ephemeralContainers = [] }: WholePodSpec,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (![...containers, ...initContainers, ...ephemeralContainers].some(({ name }) => name === container)) {
    errors.push(invalid(path, container, 'container not found'));
  }
  if (!['', 'runtime/default', 'unconfined'].includes(profile) && !profile.startsWith('localhost/')) {
    errors.push(invalid(path, profile, `invalid AppArmor profile name: ${quoteGo(profile)}`));
  }
  return errors;
}
