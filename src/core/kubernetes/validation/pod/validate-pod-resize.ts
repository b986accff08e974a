import { errorsInWordsOf, forbidden, invalid, type FieldError } from '../../field-error.js';
import { FieldPath } from '../../field-path.js';
import type { ResourceList } from '../../objects/meta.js';
import type { Container, Pod, ResourceRequirements } from '../../objects/pod.js';
import type { WholePod } from '../../objects/whole-pod.js';
import { hasPodLevelResources } from '../../pod-resources/pod-level-resources.js';
import { decodeQuantity } from '../../quantity.js';
import { specsAreEqual } from '../../semantic-equal.js';
import { rulesOfGates, type TolerationGates } from '../../toleration.js';
import type { KubernetesRules } from '../../kubernetes-rules.js';
import { defaultWholePod } from '../../whole-pod-defaults.js';
import { leniencyTowards } from './leniency-towards.js';
import { isMirrorPod } from './pod-annotations.js';
import { validatePodParts } from './validate-pod.js';

const SPEC = FieldPath.of('spec');
const NOWHERE = FieldPath.of('');

/**
 * The API server's faults of a resize in place of a pod: only amounts of cpu and memory may change, and none may go.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go, `ValidatePodResize`.
 *
 * @param qos the pod's QoS class, and the one that its new resources give it
 * @throws QuantityError for an invalid quantity
 */
export function validatePodResize(
  given: Pod,
  stored: Pod,
  qos: { readonly before: string; readonly after: string },
  gates: TolerationGates,
): FieldError[] {
  const rules = rulesOfGates(gates);
  const [now, before] = [given, stored].map((pod) => defaultWholePod(pod as unknown as WholePod)) as [
    WholePod,
    WholePod,
  ];
  const refused = refusedPodLevel(given, stored, rules);
  if (refused.length > 0 && rules.minor < 35) return refused;
  const errors = validatePodParts(now, leniencyTowards(before, gates));
  if (isMirrorPod(stored)) return [forbidden(NOWHERE, 'static pods cannot be resized')];
  if (before.spec.os?.name === 'windows') return [forbidden(NOWHERE, 'windows pods cannot be resized')];
  if (qos.before !== qos.after) {
    errors.push(invalid(SPEC, qos.before, 'Pod QOS Class may not change as a result of resizing'));
  }
  if (refused.length > 0) return errorsInWordsOf(rules, [...errors, ...refused]);
  if (!sameNames(given.spec.containers, stored.spec.containers)) return errorsInWordsOf(rules, [...errors, REORDERED]);
  errors.push(
    ...given.spec.containers.flatMap((container, index) =>
      validateChange(container, stored.spec.containers[index]!, SPEC.child('containers').index(index), rules),
    ),
    ...validateInitContainers(given, stored, rules),
  );
  if (!specsAreEqual(withoutAmounts(given), withoutAmounts(stored))) {
    errors.push(forbidden(SPEC, 'only cpu and memory resources are mutable'));
  }
  return errorsInWordsOf(rules, errors);
}

const REORDERED = forbidden(SPEC.child('containers'), 'containers may not be added or removed on resize');

function refusedPodLevel(now: Pod, before: Pod, { minor, featureGates }: KubernetesRules): FieldError[] {
  if (featureGates.InPlacePodLevelResourcesVerticalScaling) return [];
  if (!hasPodLevelResources(now) && !hasPodLevelResources(before)) return [];
  const rule =
    minor >= 35
      ? 'resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled'
      : 'pods with pod-level resources cannot be resized';
  return [forbidden(NOWHERE, rule)];
}

function validateInitContainers(now: Pod, before: Pod, rules: KubernetesRules): FieldError[] {
  return (now.spec.initContainers ?? []).flatMap((container, index) => {
    const old = before.spec.initContainers?.[index];
    if (old === undefined) return [];
    const at = SPEC.child('initContainers').index(index);
    const isFree = container.restartPolicy === 'Always' || rules.featureGates.InPlacePodVerticalScalingInitContainers;
    if (isFree) return validateChange(container, old, at, rules);
    return specsAreEqual({ resources: container.resources }, { resources: old.resources })
      ? []
      : [forbidden(SPEC, 'resources for non-sidecar init containers are immutable')];
  });
}

/** `validateContainerResize`. */
function validateChange(now: Container, before: Container, path: FieldPath, { minor }: KubernetesRules): FieldError[] {
  const at = path.child('resources');
  const errors: FieldError[] = [];
  for (const [list, words] of [
    ['requests', 'resource requests cannot be removed'],
    ['limits', 'resource limits cannot be removed'],
  ] as const) {
    const [left, had] = [now.resources?.[list] ?? {}, before.resources?.[list] ?? {}];
    if (RESIZABLE.some((name) => Object.hasOwn(had, name) && !Object.hasOwn(left, name))) {
      errors.push(forbidden(at.child(list), words));
    }
  }
  const [limit, former] = [now.resources?.limits?.['memory'], before.resources?.limits?.['memory']];
  const restarts = before.resizePolicy?.some(
    ({ resourceName, restartPolicy }) => resourceName === 'memory' && restartPolicy === 'RestartContainer',
  );
  // Allowed since 1.34.
  if (minor < 34 && restarts !== true && isLess(limit, former)) {
    const rule = 'memory limits cannot be decreased unless resizePolicy is RestartContainer';
    errors.push(forbidden(at.child('limits').key('memory'), rule));
  }
  return errors;
}

const RESIZABLE = ['cpu', 'memory'];

const isLess = (amount: string | undefined, former: string | undefined): boolean =>
  amount !== undefined && former !== undefined && decodeQuantity(amount).cmp(decodeQuantity(former)) < 0;

const sameNames = (a: readonly Container[], b: readonly Container[]): boolean =>
  a.length === b.length && a.every(({ name }, index) => name === b[index]?.name);

/** The resources that a resize may not change. */
function withoutAmounts({ spec }: Pod): object {
  const others = ({ resources }: { readonly resources?: ResourceRequirements }): object => ({
    requests: rest(resources?.requests),
    limits: rest(resources?.limits),
  });
  return {
    resources: others(spec),
    containers: spec.containers.map(others),
    initContainers: (spec.initContainers ?? []).map(others),
  };
}

const rest = (list: ResourceList = {}): ResourceList =>
  Object.fromEntries(Object.entries(list).filter(([name]) => !RESIZABLE.includes(name)));
