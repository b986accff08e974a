import { createHash } from 'node:crypto';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { DEFAULT_FILTERS } from '../../core/placement/profile.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import { DEFAULT_GATES } from '../gates.js';
import { checkScheduler, type SchedulerChoice } from './placing-profile.js';
import { readManifest } from './read-manifest.js';

/** What is to be placed: exactly one of the four is given. */
export interface PlacementSubject {
  /** A manifest of a Pod or of a workload; its kind decides. */
  readonly pod?: JsonObject;
  /** A manifest of a workload. */
  readonly workload?: JsonObject;
  /** A stored pod; the namespace is `default` if none is named. */
  readonly podRef?: { readonly namespace?: string; readonly name: string };
  /** A stored workload, whose template is placed. */
  readonly workloadRef?: { readonly kind: string; readonly namespace?: string; readonly name: string };
  /** Whether what is not stored passes the cluster's admission first; it does by default. */
  readonly admission?: AdmissionMode;
}

export type AdmissionMode = 'run' | 'skip';

/** A question about one pod, apart from which nodes are to be told of. */
export interface PlacementQuestion extends PlacementSubject {
  /** Names of filters; all of them by default. */
  readonly rules?: readonly string[];
  readonly featureGates?: { readonly TaintTolerationComparisonOperators?: boolean };
  readonly scheduler?: SchedulerChoice;
}

const SUBJECTS = ['pod', 'workload', 'podRef', 'workloadRef'] as const;

/** The member of the request that says what is placed. */
export type SubjectField = (typeof SUBJECTS)[number];

/** @throws {InvalidRequestError} none or several subjects, or unknown rules, all of them named */
export function checkQuestion(question: PlacementQuestion): SubjectField {
  const { field, details: ofSubject } = checkSubject(question);
  const details: ErrorDetail[] = [...ofSubject];
  const known = DEFAULT_FILTERS.map(({ name }) => name);
  question.rules?.forEach((rule, index) => {
    if (known.includes(rule)) return;
    details.push({
      pointer: `/rules/${index}`,
      field: `rules[${index}]`,
      code: 'unknown-rule',
      message: `unknown rule ${JSON.stringify(rule)}; known are ${known.join(', ')}`,
    });
  });
  if (question.rules?.length === 0) {
    details.push({ pointer: '/rules', field: 'rules', code: 'required', message: 'name a rule, or leave rules out' });
  }
  if (details.length > 0 || field === undefined) {
    throw new InvalidRequestError([...details, ...schedulerFaults(question), ...manifestFaults(question)]);
  }
  checkScheduler(question.scheduler);
  return field;
}

/** The member that says what is meant, and what is wrong where there is not exactly one. */
export function checkSubject(question: PlacementSubject): {
  readonly field: SubjectField | undefined;
  readonly details: readonly ErrorDetail[];
} {
  const details: ErrorDetail[] = [];
  const given = SUBJECTS.filter((name) => question[name] !== undefined);
  if (given.length === 0) {
    details.push({ pointer: '', code: 'required', message: `give one of ${SUBJECTS.join(', ')}` });
  }
  for (const name of given.slice(1)) {
    details.push({
      pointer: `/${name}`,
      field: name,
      code: 'conflicting-fields',
      message: `give one of ${SUBJECTS.join(', ')}; ${given[0]!} is given already`,
    });
  }
  return { field: given[0], details };
}

/**
 * Everything that is wrong with a question of which it is known already that it is refused: beside what is found there,
 * the caller learns what else there is to mend.
 */
export function questionFaults(question: PlacementQuestion): readonly ErrorDetail[] {
  try {
    checkQuestion(question);
  } catch (error) {
    if (error instanceof ServiceError) return error.details;
    throw error;
  }
  return manifestFaults(question);
}

function schedulerFaults({ scheduler }: PlacementQuestion): readonly ErrorDetail[] {
  try {
    checkScheduler(scheduler);
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return error.details;
    throw error;
  }
}

function manifestFaults(question: PlacementQuestion): readonly ErrorDetail[] {
  const comparisonOperators =
    question.featureGates?.TaintTolerationComparisonOperators ?? DEFAULT_GATES.comparisonOperators;
  return (['pod', 'workload'] as const).flatMap((field) => {
    const manifest = question[field];
    if (manifest === undefined) return [];
    try {
      readManifest(field, manifest, { comparisonOperators });
      return [];
    } catch (error) {
      if (error instanceof ServiceError) return error.details;
      throw error;
    }
  });
}

/** Characters of a question as JSON: etcd takes no object of more than 1.5 MiB, so no cluster holds a larger one. */
const LONGEST_QUESTION = 1.5 * 1024 * 1024;

/**
 * The same for equal questions, however their members are ordered; 22 characters.
 * @throws {ServiceError} `body-too-large` for a manifest that no API server could store
 */
export function questionHash({
  pod,
  workload,
  podRef,
  workloadRef,
  admission,
  rules,
  featureGates,
  scheduler,
}: PlacementQuestion): string {
  const canonical = stringifyJson(
    [
      ...[pod, workload, podRef, workloadRef, admission, rules, featureGates?.TaintTolerationComparisonOperators],
      ...(scheduler === undefined ? [] : [scheduler]),
    ].map((part) => part ?? null),
    { sortKeys: true },
  );
  if (canonical.length > LONGEST_QUESTION) {
    const message = `A manifest may have at most ${LONGEST_QUESTION} characters, as much as etcd stores; this one has ${canonical.length}.`;
    throw new ServiceError('body-too-large', message);
  }
  return createHash('sha256').update(canonical).digest('base64url').slice(0, 22);
}
