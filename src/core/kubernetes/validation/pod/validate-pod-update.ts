import { errorsInWordsOf, forbidden, invalid, required, type FieldError } from '../../field-error.js';
import { FieldPath } from '../../field-path.js';
import { dropDisabledFields } from '../../disabled-fields.js';
import type { PodSpec } from '../../objects/pod.js';
import type { Toleration } from '../../objects/taints.js';
import type { WholePod, WholePodSpec } from '../../objects/whole-pod.js';
import { specsAreEqual } from '../../semantic-equal.js';
import { rulesOfGates, type TolerationGates } from '../../toleration.js';
import { defaultWholePod } from '../../whole-pod-defaults.js';
import { validateMetaUpdate } from '../metadata-update.js';
import { between, invalidNumber } from './complaints.js';
import { validateImageSpaces } from './containers.js';
import { validateNodeAffinityChange, validateNodeSelectorChange } from './gated-pod-changes.js';
import { leniencyTowards } from './leniency-towards.js';
import { validateAnnotationChanges } from './pod-annotations.js';
import { validatePodParts } from './validate-pod.js';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');

/**
 * The API server's faults of an update of a whole pod: `ValidatePodUpdate` after defaulting, without admission plugins. Few
 * fields of a spec may change: images; the deadline, to a lower one; tolerations, by additions; gates, by removals; and, while
 * the pod has gates, node selector and required node affinity, by additions.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 *
 * @param given the new pod, decoded whole, with its namespace
 * @param stored the stored pod, as returned by `newPod`
 * @throws QuantityError for an invalid quantity
 */
export function validatePodUpdate(given: WholePod, stored: WholePod, gates: TolerationGates): FieldError[] {
  const defaulted = defaultWholePod(given);
  const rules = rulesOfGates(gates);
  const pod: WholePod = { ...defaulted, spec: dropDisabledFields(defaulted.spec, rules, stored.spec) };
  const leniency = leniencyTowards(stored, gates);
  const now = pod.metadata.annotations ?? {};
  return errorsInWordsOf(rules, [
    ...validateMetaUpdate(pod.metadata, stored.metadata, METADATA),
    ...validatePodParts(pod, leniency),
    ...validateAnnotationChanges(now, stored.metadata.annotations ?? {}, METADATA.child('annotations')),
    ...validateChanges(pod.spec, stored.spec),
  ]);
}

function validateChanges(spec: WholePodSpec, stored: WholePodSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['containers', 'initContainers'] as const) {
    const at = SPEC.child(field);
    const containers = spec[field] ?? [];
    if (containers.length !== (stored[field] ?? []).length) {
      return [...errors, forbidden(at, 'pod updates may not add or remove containers')];
    }
    for (const [index, container] of containers.entries()) {
      if ((container.image ?? '') === '') errors.push(required(at.index(index).child('image')));
      errors.push(...validateImageSpaces(container, at.index(index)));
    }
  }
  const deadline = validateDeadlineChange(spec, stored);
  errors.push(...deadline.errors);
  if (deadline.stops) return errors;
  errors.push(
    ...validateTolerationChanges(spec.tolerations ?? [], stored.tolerations ?? []),
    ...validateGateChanges(spec.schedulingGates ?? [], stored.schedulingGates ?? []),
  );
  return specsAreEqual(spec, stored) ? errors : [...errors, ...validateRest(spec, stored)];
}

const MAX_SECONDS = 2 ** 31 - 1;

/** A deadline may be added, and moved forward. An invalid one ends validation. */
function validateDeadlineChange(
  { activeDeadlineSeconds: now }: PodDeadline,
  { activeDeadlineSeconds: before }: PodDeadline,
): { readonly errors: FieldError[]; readonly stops: boolean } {
  const at = SPEC.child('activeDeadlineSeconds');
  if (now === undefined) {
    const rule = 'must not update from a positive integer to nil value';
    return { errors: before === undefined ? [] : [invalid(at, { text: 'null' }, rule)], stops: false };
  }
  if (now < 0 || now > MAX_SECONDS) {
    return { errors: [invalidNumber(at, now, between(0, MAX_SECONDS))], stops: true };
  }
  if (before !== undefined && before < now) {
    return { errors: [invalidNumber(at, now, 'must be less than or equal to previous value')], stops: true };
  }
  return { errors: [], stops: false };
}

type PodDeadline = Pick<PodSpec, 'activeDeadlineSeconds'>;

/** `validateOnlyAddedTolerations`: every former toleration is still there, possibly with other seconds. */
function validateTolerationChanges(now: readonly Toleration[], before: readonly Toleration[]): FieldError[] {
  const identities = new Set(now.map(identity));
  return before.every((toleration) => identities.has(identity(toleration)))
    ? []
    : [forbidden(SPEC.child('tolerations'), 'existing toleration can not be modified except its tolerationSeconds')];
}

const identity = ({ key = '', operator = '', value = '', effect = '' }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);

type Gates = NonNullable<PodSpec['schedulingGates']>;

/** `validateOnlyDeletedSchedulingGates`. */
function validateGateChanges(now: Gates, before: Gates): FieldError[] {
  const known = new Set(before.map(({ name }) => name));
  // Of two gates with the same name, the later one counts.
  const added = new Map(now.map(({ name }, index) => [name, index]));
  return [...added]
    .filter(([name]) => !known.has(name))
    .map(([name, index]) => {
      const at = SPEC.child('schedulingGates').index(index).child('name');
      return forbidden(at, `only deletion is allowed, but found new scheduling gate '${name}'`);
    });
}

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** Checks that nothing else has changed. Upstream appends the difference on further lines, which are omitted here. */
function validateRest(spec: WholePodSpec, stored: WholePodSpec): FieldError[] {
  const errors: FieldError[] = [];
  let changed: WholePodSpec = {
    ...spec,
    containers: withImagesOf(spec.containers, stored.containers),
    ...(spec.initContainers && { initContainers: withImagesOf(spec.initContainers, stored.initContainers ?? []) }),
  };
  changed = withFieldsOf(changed, stored, ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']);
  if ((stored.schedulingGates ?? []).length > 0) {
    errors.push(
      ...validateNodeSelectorChange(spec.nodeSelector ?? {}, stored.nodeSelector ?? {}, SPEC.child('nodeSelector')),
      ...validateNodeAffinityChange(spec.affinity, stored.affinity, SPEC.child('affinity', 'nodeAffinity')),
    );
    changed = withNodeAffinityOf(withFieldsOf(changed, stored, ['nodeSelector']), stored);
  }
  if (specsAreEqual(changed, stored)) return errors;
  return [...errors, forbidden(SPEC, `pod updates may not change fields other than ${UPDATABLE.join(',')}`)];
}

const withImagesOf = <T extends { readonly image?: string }>(containers: readonly T[], stored: readonly T[]): T[] =>
  containers.map((container, index) => ({ ...container, image: stored[index]?.image ?? '' }));

function withFieldsOf<T extends object>(spec: T, stored: T, fields: readonly (keyof T)[]): T {
  const entries = new Map(Object.entries(spec));
  const others = new Map<string, unknown>(Object.entries(stored));
  for (const field of fields) {
    entries.delete(String(field));
    if (others.has(String(field))) entries.set(String(field), others.get(String(field)));
  }
  return Object.fromEntries(entries) as T;
}

/** The spec with the node affinity of another one; without any affinity if it would be empty and the other one has none. */
function withNodeAffinityOf(spec: WholePodSpec, { affinity: before }: WholePodSpec): WholePodSpec {
  const { affinity, ...rest } = spec;
  if (affinity === undefined) {
    const nodeAffinity = before?.nodeAffinity;
    return nodeAffinity === undefined ? spec : { ...rest, affinity: { nodeAffinity } };
  }
  const others = withFieldsOf(affinity, before ?? {}, ['nodeAffinity']);
  const changes = !specsAreEqual({ a: affinity.nodeAffinity }, { a: before?.nodeAffinity });
  const goes = changes && before === undefined && Object.keys(others).length === 0;
  return goes ? rest : { ...rest, affinity: others };
}
