import { createHash } from 'node:crypto';
import type { placementInput } from '../../contract/placements/placement-request.js';
import type { Request } from '../../contract/schema.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { DEFAULT_FILTERS } from '../../core/placement/profile.js';
import { DEFAULT_GATES } from '../../core/kubernetes/toleration.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import { checkScheduler } from './placing-profile.js';
import { readManifest } from './read-manifest.js';

/** A question about one pod, and which nodes are listed. */
export type PlacementQuestion = Request<typeof placementInput>;

/** What is placed: exactly one of the first four is given. */
export type PlacementSubject = Pick<PlacementQuestion, 'pod' | 'workload' | 'podRef' | 'workloadRef' | 'admission'>;

export type AdmissionMode = NonNullable<PlacementSubject['admission']>;

const SUBJECTS = ['pod', 'workload', 'podRef', 'workloadRef'] as const;

/** The member of the request that says what is placed. */
export type SubjectField = (typeof SUBJECTS)[number];

/**
 * Refuses what can be refused without a look at any cluster; the manifest is not read yet.
 *
 * @throws {InvalidRequestError} none or several subjects, unknown filters, all of them named; a label selector that cannot be read
 */
export function checkQuestion(question: PlacementQuestion): SubjectField {
  const { field, details: ofSubject } = checkSubject(question);
  const details: ErrorDetail[] = [...ofSubject];
  const known = DEFAULT_FILTERS.map(({ name }) => name);
  question.filters?.forEach((filter, index) => {
    if (known.includes(filter)) return;
    details.push({
      pointer: `/filters/${index}`,
      field: `filters[${index}]`,
      code: 'unknown-filter',
      message: `unknown filter ${JSON.stringify(filter)}; known are ${known.join(', ')}`,
    });
  });
  if (question.filters?.length === 0) {
    const message = 'name a filter, or leave filters out';
    details.push({ pointer: '/filters', field: 'filters', code: 'required', message });
  }
  if (details.length > 0 || field === undefined) {
    throw new InvalidRequestError([...details, ...schedulerFaults(question), ...manifestFaults(question)]);
  }
  checkScheduler(question.scheduler);
  readLabelSelector(question.nodes?.labelSelector, 'nodes.labelSelector');
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
  filters,
  featureGates,
  scheduler,
}: PlacementQuestion): string {
  const canonical = stringifyJson(
    [
      ...[pod, workload, podRef, workloadRef, admission, filters, featureGates?.TaintTolerationComparisonOperators],
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
