import {
  duplicate,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  type FieldError,
} from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { PodFailurePolicy, SuccessPolicy } from '../kubernetes/objects/workloads.js';
import { jsonGo, quoteGo } from '../kubernetes/go-text.js';
import { byteLength } from '../kubernetes/validation/names.js';
import { validateLabelName } from '../kubernetes/validation/label.js';
import { nonNegative } from '../kubernetes/validation/non-negative.js';
import type { WholeJobSpec } from './validate-job.js';

type FailureRule = NonNullable<PodFailurePolicy['rules']>[number];
type ExitCodes = NonNullable<FailureRule['onExitCodes']>;
type SuccessRule = NonNullable<SuccessPolicy['rules']>[number];

const MOST_RULES = 20;
const MOST_EXIT_CODES = 255;
const MOST_CONDITIONS = 20;
const MOST_INDEX_BYTES = 64 * 1024;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

const validValues = (values: readonly string[]): string => `valid values: [${values.map(quoteGo).join(' ')}]`;

const shown = (value: number): { readonly text: string } => ({ text: String(value) });

/** A value of which upstream shows nothing (`field.OmitValueType`). */
function invalidAlone(at: FieldPath, detail: string): FieldError {
  return { ...invalid(at, '', detail), message: `Invalid value: ${detail}` };
}

/** One of some values; a missing one is required. */
function oneOf(at: FieldPath, value = '', values: readonly string[]): FieldError[] {
  if (value === '') return [required(at, validValues(values))];
  return values.includes(value) ? [] : [notSupported(at, value, values)];
}

/** Source: k8s.io/kubernetes v1.36.2, pkg/apis/batch/validation/validation.go, `validatePodFailurePolicy`. */
export function validatePodFailurePolicy(spec: WholeJobSpec, at: FieldPath): FieldError[] {
  if (spec.podFailurePolicy === undefined) return [];
  const ofRules = at.child('rules');
  const { rules = [] } = spec.podFailurePolicy;
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const names = new Set([...containers, ...initContainers].map(({ name }) => name));
  return [
    ...(rules.length > MOST_RULES ? [tooMany(ofRules, rules.length, MOST_RULES)] : []),
    ...rules.flatMap((rule, index) => validateFailureRule(rule, ofRules.index(index), { spec, names })),
  ];
}

function validateFailureRule(
  { action = '', onExitCodes, onPodConditions = [] }: FailureRule,
  at: FieldPath,
  { spec, names }: { readonly spec: WholeJobSpec; readonly names: ReadonlySet<string> },
): FieldError[] {
  const ofAction = at.child('action');
  const ofConditions = at.child('onPodConditions');
  const needsLimit = action === 'FailIndex' && spec.backoffLimitPerIndex === undefined;
  const hasBoth = onExitCodes !== undefined && onPodConditions.length > 0;
  const hasNone = onExitCodes === undefined && onPodConditions.length === 0;
  return [
    ...oneOf(ofAction, action, ACTIONS),
    ...(needsLimit ? [invalid(ofAction, action, 'requires the backoffLimitPerIndex to be set')] : []),
    ...(onExitCodes === undefined ? [] : validateExitCodes(onExitCodes, at.child('onExitCodes'), names)),
    ...(onPodConditions.length > MOST_CONDITIONS
      ? [tooMany(ofConditions, onPodConditions.length, MOST_CONDITIONS)]
      : []),
    ...onPodConditions.flatMap(({ type = '', status = '' }, index) => [
      ...validateLabelName(type, ofConditions.index(index).child('type')),
      // Absent, it is `True` (`SetDefaults_PodFailurePolicyOnPodConditionsPattern`).
      ...(status === '' ? [] : oneOf(ofConditions.index(index).child('status'), status, STATUSES)),
    ]),
    ...(hasBoth ? [invalidAlone(at, 'specifying both OnExitCodes and OnPodConditions is not supported')] : []),
    ...(hasNone ? [invalidAlone(at, 'specifying one of OnExitCodes and OnPodConditions is required')] : []),
  ];
}

function validateExitCodes(
  { containerName, operator, values }: ExitCodes,
  at: FieldPath,
  names: ReadonlySet<string>,
): FieldError[] {
  const errors = oneOf(at.child('operator'), operator, OPERATORS);
  if (containerName !== undefined && !names.has(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalid(at.child('containerName'), containerName, detail));
  }
  const ofValues = at.child('values');
  const codes = values ?? [];
  if (codes.length === 0)
    errors.push(invalid(ofValues, { text: values === undefined ? 'null' : '[]' }, 'at least one value is required'));
  else if (codes.length > MOST_EXIT_CODES) errors.push(tooMany(ofValues, codes.length, MOST_EXIT_CODES));
  const seen = new Set<number>();
  for (const [index, code] of codes.entries()) {
    const ofCode = ofValues.index(index);
    if (operator === 'In' && code === 0) errors.push(invalid(ofCode, shown(code), 'must not be 0 for the In operator'));
    if (seen.has(code)) errors.push(duplicate(ofCode, shown(code)));
    seen.add(code);
  }
  const isOrdered = codes.every((code, index) => index === 0 || codes[index - 1]! <= code);
  if (!isOrdered) errors.push(invalid(ofValues, { text: jsonGo(codes) }, 'must be ordered'));
  return errors;
}

/** Source: k8s.io/kubernetes v1.36.2, pkg/apis/batch/validation/validation.go, `validateSuccessPolicy`. */
export function validateSuccessPolicy(
  { successPolicy, completionMode, completions }: WholeJobSpec,
  at: FieldPath,
): FieldError[] {
  if (successPolicy === undefined) return [];
  const { rules = [] } = successPolicy;
  if (completionMode !== 'Indexed') {
    return [invalid(at, { text: shownSuccessPolicy(successPolicy) }, 'requires indexed completion mode')];
  }
  const ofRules = at.child('rules');
  return [
    ...(rules.length === 0
      ? [required(ofRules, 'at least one rules must be specified when the successPolicy is specified')]
      : []),
    ...(rules.length > MOST_RULES ? [tooMany(ofRules, rules.length, MOST_RULES)] : []),
    // Without completions, which such a Job must have, the API server cannot check further.
    ...(completions === undefined
      ? []
      : rules.flatMap((rule, index) => validateSuccessRule(rule, ofRules.index(index), completions))),
  ];
}

/** As Go's encoding shows the internal type, which has no names of its own for JSON. */
export function shownSuccessPolicy({ rules }: SuccessPolicy): string {
  const internal = rules?.map(({ succeededIndexes = null, succeededCount = null }) => ({
    SucceededIndexes: succeededIndexes,
    SucceededCount: succeededCount,
  }));
  return jsonGo({ Rules: internal ?? null });
}

/** Likewise; the status of a condition is True by default. */
export function shownFailurePolicy({ rules }: PodFailurePolicy): string {
  const internal = rules?.map(({ action = '', onExitCodes, onPodConditions }) => ({
    Action: action,
    OnExitCodes: onExitCodes === undefined ? null : shownExitCodes(onExitCodes),
    OnPodConditions: onPodConditions?.map(({ type = '', status = 'True' }) => ({ Type: type, Status: status })) ?? null,
  }));
  return jsonGo({ Rules: internal ?? null });
}

const shownExitCodes = ({ containerName, operator = '', values }: ExitCodes): object => ({
  ContainerName: containerName ?? null,
  Operator: operator,
  Values: values ?? null,
});

function validateSuccessRule(
  { succeededIndexes, succeededCount }: SuccessRule,
  at: FieldPath,
  completions: number,
): FieldError[] {
  const errors: FieldError[] = [];
  if (succeededCount === undefined && succeededIndexes === undefined) {
    errors.push(required(at, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const ofIndexes = at.child('succeededIndexes');
    if (byteLength(succeededIndexes) > MOST_INDEX_BYTES) errors.push(tooLong(ofIndexes, MOST_INDEX_BYTES));
    const counted = countIndexes(succeededIndexes, completions);
    if ('fault' in counted) {
      errors.push(invalid(ofIndexes, succeededIndexes, `error parsing succeededIndexes: ${counted.fault}`));
    } else total = counted.total;
  }
  if (succeededCount === undefined) return errors;
  const ofCount = at.child('succeededCount');
  errors.push(...nonNegative(succeededCount, ofCount));
  const tooGreat = (most: number, what: string): FieldError =>
    invalid(ofCount, shown(succeededCount), `must be less than or equal to ${most} (the number of ${what})`);
  if (succeededCount > completions) errors.push(tooGreat(completions, 'specified completions'));
  if (succeededIndexes !== undefined && succeededCount > total) {
    errors.push(tooGreat(total, 'indexes in the specified succeededIndexes field'));
  }
  return errors;
}

/** `validateIndexesFormat`. */
function countIndexes(text: string, completions: number): { readonly total: number } | { readonly fault: string } {
  if (text === '') return { total: 0 };
  let [total, last] = [0, -Infinity];
  for (const part of text.split(',')) {
    const interval = readInterval(part, completions);
    if ('fault' in interval) return interval;
    const { first, end } = interval;
    if (last >= first) return { fault: `non-increasing order, previous: ${last}, current: ${first}` };
    total += end - first + 1;
    last = end;
  }
  return { total };
}

/** `parseIndexInterval`. */
function readInterval(
  text: string,
  completions: number,
): { readonly first: number; readonly end: number } | { readonly fault: string } {
  const limits = text.split('-');
  if (limits.length > 2) {
    const rule = "an index interval can have at most two parts separated by '-'";
    return { fault: `the fragment ${quoteGo(text)} violates the requirement that ${rule}` };
  }
  const read: number[] = [];
  for (const limit of limits) {
    if (!/^\+?\d+$/.test(limit) || BigInt(limit.replace('+', '')) > GREATEST) {
      return { fault: `cannot convert string to integer for index: ${quoteGo(limit)}` };
    }
    const index = Number(limit);
    if (index >= completions) return { fault: `too large index: ${quoteGo(limit)}` };
    read.push(index);
  }
  const [first = 0, end = first] = read;
  if (read.length > 1 && first >= end) return { fault: `non-increasing order, previous: ${first}, current: ${end}` };
  return { first, end };
}

const GREATEST = 2n ** 63n - 1n;
