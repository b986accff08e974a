import { createHash } from 'node:crypto';
import type { placementInput } from '../../contract/placements/placement-request.js';
import type { Request } from '../../contract/schema.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { DEFAULT_FILTERS } from '../../core/placement/profile.js';
import { DEFAULT_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import { rulesUnderGates } from '../reads/state-under-gates.js';
import { checkScheduler } from './placing-profile.js';
import { readManifest } from './read-manifest.js';

/** A request to place one pod, and to list some of the nodes. */
export type PlacementQuestion = Request<typeof placementInput>;

/** The pod to place: exactly one of the first four members is given. */
export type PlacementSubject = Pick<PlacementQuestion, 'pod' | 'workload' | 'podRef' | 'workloadRef' | 'admission'>;

export type AdmissionMode = NonNullable<PlacementSubject['admission']>;

const SUBJECTS = ['pod', 'workload', 'podRef', 'workloadRef'] as const;

/** The member of the request that names the pod to place. */
export type SubjectField = (typeof SUBJECTS)[number];

/**
 * Checks a request as far as possible without a cluster; the manifest is not parsed yet.
 *
 * @throws {InvalidRequestError} for none or several subjects, unknown filters and an invalid scheduler, all reported
 *   together
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
      message: `unknown filter ${JSON.stringify(filter)}; known filters are ${known.join(', ')}`,
    });
  });
  if (question.filters?.length === 0) {
    const message = 'name at least one filter, or omit filters';
    details.push({ pointer: '/filters', field: 'filters', code: 'required', message });
  }
  details.push(...schedulerFaults(question));
  if (details.length > 0 || field === undefined) {
    throw new InvalidRequestError([...details, ...manifestFaults(question)]);
  }
  return field;
}

/** The member that names the pod to place, and the errors if there is not exactly one. */
export function checkSubject(question: PlacementSubject): {
  readonly field: SubjectField | undefined;
  readonly details: readonly ErrorDetail[];
} {
  const details: ErrorDetail[] = [];
  const given = SUBJECTS.filter((name) => question[name] !== undefined);
  if (given.length === 0) {
    details.push({ pointer: '', code: 'required', message: `give exactly one of ${SUBJECTS.join(', ')}` });
  }
  for (const name of given.slice(1)) {
    details.push({
      pointer: `/${name}`,
      field: name,
      code: 'conflicting-fields',
      message: `give exactly one of ${SUBJECTS.join(', ')}; ${given[0]!} is also given`,
    });
  }
  return { field: given[0], details };
}

/** Errors in a request that can be found without a cluster, those of the manifest included. */
export function questionErrors(question: PlacementQuestion): readonly ErrorDetail[] {
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
  const gates = gatesOf(rulesUnderGates(DEFAULT_RULES, question.featureGates));
  return (['pod', 'workload'] as const).flatMap((field) => {
    const manifest = question[field];
    if (manifest === undefined) return [];
    try {
      readManifest(field, manifest, gates);
      return [];
    } catch (error) {
      if (error instanceof ServiceError) return error.details;
      throw error;
    }
  });
}

/** Maximum characters of a request as JSON: etcd stores no object of more than 1.5 MiB. */
const MAX_REQUEST_CHARACTERS = 1.5 * 1024 * 1024;

/**
 * A hash of 22 characters that is the same for equal requests, whatever the order of their members.
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
      ...(featureGates?.DRADeviceTaintRules === undefined ? [] : [featureGates.DRADeviceTaintRules]),
    ].map((part) => part ?? null),
    { sortKeys: true },
  );
  if (canonical.length > MAX_REQUEST_CHARACTERS) {
    const message = `A manifest may have at most ${MAX_REQUEST_CHARACTERS} characters, the maximum that etcd stores; this one has ${canonical.length}.`;
    throw new ServiceError('body-too-large', message);
  }
  return createHash('sha256').update(canonical).digest('base64url').slice(0, 22);
}
