import { duplicate, forbidden, invalid, notSupported, required, tooMany, type FieldError } from '../../field-error.js';
import type { KubernetesRules } from '../../kubernetes-rules.js';
import { shownName } from '../resource-name-rules.js';
import type { FieldPath } from '../../field-path.js';
import type { Container } from '../../objects/pod.js';
import type { RestartRule, WholeContainer } from '../../objects/whole-pod.js';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

/** Before 1.34, which brings ContainerRestartRules, only sidecars have a policy of their own. */
const RULES_SINCE = 34;

/**
 * `validateContainerRestartPolicy`, for containers and init containers: gates ContainerRestartRules and
 * RestartAllContainersOnContainerExits are on.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateContainerRestart(
  {
    restartPolicy: policy,
    restartPolicyRules: rules = [],
  }: Pick<WholeContainer, 'restartPolicy' | 'restartPolicyRules'>,
  isInit: boolean,
  path: FieldPath,
  { minor }: KubernetesRules,
): FieldError[] {
  const errors: FieldError[] = [];
  const at = path.child('restartPolicy');
  if (minor < RULES_SINCE) {
    if (policy === undefined || (isInit && policy === 'Always')) return [];
    return isInit ? [notSupported(at, policy, ['Always'])] : [forbidden(at, 'may not be set for non-init containers')];
  }
  if (policy === undefined) {
    if (rules.length > 0) errors.push(required(at, 'must specify restartPolicy when restart rules are used'));
    // The rules of an init container are not checked without a policy.
    if (isInit || rules.length === 0) return errors;
  } else if (!POLICIES.includes(policy)) {
    errors.push(notSupported(at, policy, POLICIES));
  }
  const list = path.child('restartPolicyRules');
  if (rules.length > MAX_RULES) errors.push(tooMany(list, rules.length, MAX_RULES));
  return [...errors, ...rules.flatMap((rule, index) => validateRule(rule, list.index(index)))];
}

function validateRule({ action, exitCodes }: RestartRule, path: FieldPath): FieldError[] {
  const errors = ACTIONS.includes(action) ? [] : [notSupported(path.child('action'), action, ACTIONS)];
  const at = path.child('exitCodes');
  if (exitCodes === undefined) return [...errors, required(at, 'must be specified')];
  const { operator = '', values = [] } = exitCodes;
  if (!OPERATORS.includes(operator)) errors.push(notSupported(at.child('operator'), operator, OPERATORS));
  if (values.length > MAX_EXIT_CODES) errors.push(tooMany(at.child('values'), values.length, MAX_EXIT_CODES));
  return errors;
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
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
    return [
      ...errors,
      ...(resourceName === '' || RESIZABLE.includes(resourceName)
        ? oneOf(resourceName, RESIZABLE, path)
        : [notSupported(path, shownName(resourceName), RESIZABLE)]),
      ...oneOf(restartPolicy, RESIZE_POLICIES, path),
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
