import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  type FieldError,
} from '../../field-error.js';
import { shownName } from '../resource-name-rules.js';
import type { FieldPath } from '../../field-path.js';
import type { Container } from '../../objects/pod.js';
import type { RestartRule, WholeContainer } from '../../objects/whole-pod.js';
import { rulesOfGates } from '../../toleration.js';
import type { PodLeniency } from './pod-leniency.js';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart'];
const ALL_ACTIONS = [...ACTIONS, 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

/** Before 1.34, which brings ContainerRestartRules, only sidecars have a policy of their own. */
const RULES_SINCE = 34;
/** Before 1.35 the rules of an init container without a policy are not looked at. */
const POLICY_OF_INIT_SINCE = 35;
/** Before 1.36 too many rules are too long, and RestartAllContainers is not named among the supported actions. */
const COUNTED_SINCE = 36;

/**
 * `validateContainerRestartPolicy` and `validateInitContainerRestartPolicy`. Where the gate ContainerRestartRules is off, fields are dropped
 * before. Sidecars may have rules only with RestartAllContainersOnContainerExits.
 *
 * Source: k8s.io/kubernetes v1.31.2, v1.32.5, v1.33.3, v1.34.1, v1.35.7 and v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateContainerRestart(
  {
    restartPolicy: policy,
    restartPolicyRules: rules = [],
  }: Pick<WholeContainer, 'restartPolicy' | 'restartPolicyRules'>,
  isInit: boolean,
  path: FieldPath,
  { gates, restartsAll }: PodLeniency,
): FieldError[] {
  const { minor } = rulesOfGates(gates);
  const errors: FieldError[] = [];
  const at = path.child('restartPolicy');
  const list = path.child('restartPolicyRules');
  if (minor < RULES_SINCE) {
    if (policy === undefined || (isInit && policy === 'Always')) return [];
    return isInit ? [notSupported(at, policy, ['Always'])] : [forbidden(at, 'may not be set for non-init containers')];
  }
  if (policy === undefined) {
    if (rules.length > 0 && (!isInit || minor >= POLICY_OF_INIT_SINCE)) {
      errors.push(required(at, 'must specify restartPolicy when restart rules are used'));
    }
    // The rules of an init container are not checked without a policy.
    if (isInit || rules.length === 0) return errors;
  } else if (isInit && policy === 'Always' && !restartsAll) {
    const rule = 'restartPolicyRules are not allowed for init containers with restart policy Always';
    return rules.length > 0 ? [forbidden(list, rule)] : [];
  } else if (!POLICIES.includes(policy)) {
    errors.push(notSupported(at, policy, POLICIES));
  }
  const limited = (items: readonly unknown[], most: number, place: FieldPath): FieldError[] => {
    if (items.length <= most) return [];
    return [minor < COUNTED_SINCE ? tooLong(place, most) : tooMany(place, items.length, most)];
  };
  const allowed = restartsAll ? ALL_ACTIONS : ACTIONS;
  const named = minor < COUNTED_SINCE ? ACTIONS : allowed;
  const validateRule = ({ action, exitCodes }: RestartRule, place: FieldPath): FieldError[] => {
    const faults = allowed.includes(action) ? [] : [notSupported(place.child('action'), action, named)];
    const codes = place.child('exitCodes');
    if (exitCodes === undefined) return [...faults, required(codes, 'must be specified')];
    const { operator = '', values = [] } = exitCodes;
    if (!OPERATORS.includes(operator)) faults.push(notSupported(codes.child('operator'), operator, OPERATORS));
    return [...faults, ...limited(values, MAX_EXIT_CODES, codes.child('values'))];
  };
  return [
    ...errors,
    ...limited(rules, MAX_RULES, list),
    ...rules.flatMap((rule, index) => validateRule(rule, list.index(index))),
  ];
}

const RESIZABLE = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

/** `validateResizePolicy`: all faults except duplicates are reported with the path of the list. */
export function validateResizePolicy(
  policies: NonNullable<Container['resizePolicy']>,
  podRestartPolicy: string | undefined,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap(({ resourceName, restartPolicy }, index) => {
    const errors = seen.has(resourceName) ? [duplicate(path.index(index), shownName(resourceName))] : [];
    seen.add(resourceName);
    const restarts = podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired';
    return [
      ...errors,
      ...(resourceName === '' || RESIZABLE.includes(resourceName)
        ? oneOf(resourceName, RESIZABLE, path)
        : [notSupported(path, shownName(resourceName), RESIZABLE)]),
      ...oneOf(restartPolicy, RESIZE_POLICIES, path),
      ...(restarts ? [invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")] : []),
    ];
  });
}

function oneOf(value: string, values: readonly string[], path: FieldPath): FieldError[] {
  if (value === '') return [required(path)];
  return values.includes(value) ? [] : [notSupported(path, value, values)];
}

/** The rules for init containers that are not sidecars: fields for running containers are forbidden. */
export function validateEndingInitContainer(
  container: WholeContainer,
  anyResizePolicy: boolean,
  path: FieldPath,
): FieldError[] {
  const errors = (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
    .filter((field) => container[field] !== undefined)
    .map((field) => forbidden(path.child(field), 'may not be set for init containers without restartPolicy=Always'));
  if (anyResizePolicy) return errors;
  for (const [index, { restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    if (restartPolicy !== 'RestartContainer') continue;
    const at = path.child('resizePolicy').index(index).child('restartPolicy');
    errors.push(invalid(at, restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers"));
  }
  return errors;
}
