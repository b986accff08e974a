import { invalid, notSupported, required, type FieldError } from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import { jsonGo } from '../kubernetes/go-text.js';
import type { JobSpec } from '../kubernetes/objects/workloads.js';
import { nonNegative } from '../kubernetes/validation/non-negative.js';
import { validatePodFailurePolicy, validateSuccessPolicy } from './validate-job-policies.js';

/** Fields of a Job that snapshots do not keep, if they were sent. */
export interface WholeJobSpec extends JobSpec {
  readonly activeDeadlineSeconds?: number;
  readonly maxFailedIndexes?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly manualSelector?: boolean;
}

const INDEXED = 'Indexed';
const NON_INDEXED = 'NonIndexed';
const MOST_PARALLEL = 100_000;
const MOST_FAILED = 100_000;
/** Above so many completions, fewer may run or fail at once. */
const MANY_COMPLETIONS = 100_000;
const MOST_PARALLEL_OF_MANY = 10_000;
const MOST_FAILED_OF_MANY = 10_000;
const REPLACEMENT_POLICIES = ['Failed', 'TerminatingOrFailed'];

const tooGreat = (path: FieldPath, value: number, detail: string): FieldError =>
  invalid(path, { text: String(value) }, detail);

/**
 * The API server's faults of a Job's numbers, modes and policies, without those of its template.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/batch/validation/validation.go, `validateJobSpec`.
 */
export function validateJobFields(spec: WholeJobSpec, at: FieldPath): FieldError[] {
  const { completionMode, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const counts = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const;
  const errors = counts.flatMap((name) => nonNegative(spec[name], at.child(name)));
  const perIndex = at.child('backoffLimitPerIndex');
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    errors.push(required(perIndex, 'when maxFailedIndexes is specified'));
  }
  if (completionMode !== undefined && completionMode !== NON_INDEXED && completionMode !== INDEXED) {
    errors.push(notSupported(at.child('completionMode'), completionMode, [INDEXED, NON_INDEXED]));
  }
  if (completionMode === INDEXED) errors.push(...validateIndexed(spec, at));
  if (completionMode === undefined || completionMode === NON_INDEXED) {
    const needed = 'requires indexed completion mode';
    if (backoffLimitPerIndex !== undefined) errors.push(tooGreat(perIndex, backoffLimitPerIndex, needed));
    if (maxFailedIndexes !== undefined) errors.push(tooGreat(at.child('maxFailedIndexes'), maxFailedIndexes, needed));
  }
  return [
    ...errors,
    ...validatePodFailurePolicy(spec, at.child('podFailurePolicy')),
    ...validateSuccessPolicy(spec, at.child('successPolicy')),
    ...validateReplacement(spec, at.child('podReplacementPolicy')),
  ];
}

function validateIndexed(spec: WholeJobSpec, at: FieldPath): FieldError[] {
  const { completions, parallelism, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const [ofParallelism, ofFailed] = [at.child('parallelism'), at.child('maxFailedIndexes')];
  const errors: FieldError[] = [];
  if (completions === undefined) {
    errors.push(required(at.child('completions'), `when completion mode is ${INDEXED}`));
  }
  if (parallelism !== undefined && parallelism > MOST_PARALLEL) {
    const text = `must be less than or equal to ${MOST_PARALLEL} when completion mode is ${INDEXED}`;
    errors.push(tooGreat(ofParallelism, parallelism, text));
  }
  if (maxFailedIndexes !== undefined && completions !== undefined && maxFailedIndexes > completions) {
    errors.push(tooGreat(ofFailed, maxFailedIndexes, 'must be less than or equal to completions'));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > MOST_FAILED) {
    errors.push(tooGreat(ofFailed, maxFailedIndexes, `must be less than or equal to ${MOST_FAILED}`));
  }
  if (completions === undefined || completions <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return errors;
  if (maxFailedIndexes === undefined) {
    errors.push(required(ofFailed, `must be specified when completions is above ${MANY_COMPLETIONS}`));
  }
  const ofMany = (most: number): string =>
    `must be less than or equal to ${most} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (parallelism !== undefined && parallelism > MOST_PARALLEL_OF_MANY) {
    errors.push(tooGreat(ofParallelism, parallelism, ofMany(MOST_PARALLEL_OF_MANY)));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > MOST_FAILED_OF_MANY) {
    errors.push(tooGreat(ofFailed, maxFailedIndexes, ofMany(MOST_FAILED_OF_MANY)));
  }
  return errors;
}

/** `validatePodReplacementPolicy`. */
function validateReplacement({ podReplacementPolicy, podFailurePolicy }: WholeJobSpec, at: FieldPath): FieldError[] {
  const allowed = podFailurePolicy === undefined ? REPLACEMENT_POLICIES : ['Failed'];
  if (podReplacementPolicy === undefined || allowed.includes(podReplacementPolicy)) return [];
  return [notSupported(at, podReplacementPolicy, allowed)];
}

/** What the API server refuses of a Job in the template of a CronJob (`ValidateJobTemplateSpec`). */
export function validateJobSelector({ selector, manualSelector }: WholeJobSpec, at: FieldPath): FieldError[] {
  return [
    ...(selector === undefined
      ? []
      : [invalid(at.child('selector'), { text: jsonGo(selector) }, '`selector` will be auto-generated')]),
    ...(manualSelector === true ? [notSupported(at.child('manualSelector'), { text: 'true' }, ['nil', 'false'])] : []),
  ];
}
