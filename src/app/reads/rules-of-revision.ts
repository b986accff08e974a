import {
  chooseRules,
  type ChosenRules,
  declaredVersionOf,
  faultOfVersion,
  type VersionEvidence,
} from '../../core/kubernetes/cluster-version.js';
import { parseKubernetesVersion } from '../../core/kubernetes/versions.js';
import type { Revision } from '../../storage/revision.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';

/** What is stored with a revision about the version of the cluster. */
export type RevisionVersions = Pick<Revision, 'kubernetesVersion' | 'declaredVersion' | 'apiServerVersion'>;

export const versionEvidenceOf = ({
  kubernetesVersion,
  declaredVersion,
  apiServerVersion,
}: RevisionVersions): VersionEvidence => ({
  declared: declaredVersionOf(declaredVersion ?? undefined),
  apiServer: apiServerVersion,
  kubelets: kubernetesVersion,
});

/**
 * The rules by which questions about a revision are answered.
 * @param asked the version that the question asks for, which was checked
 */
export const rulesOfRevision = (revision: RevisionVersions, asked?: string): ChosenRules =>
  chooseRules(versionEvidenceOf(revision), asked);

/**
 * A version of Kubernetes to answer by.
 * @param field name of the parameter, for errors
 * @throws {InvalidRequestError} if it is not a version, or its rules are not known
 */
export function readRulesVersion(text: string, field: string): string {
  const message = faultOfVersion(text);
  if (message === undefined) return text;
  throw new InvalidRequestError([{ field, code: 'isRulesVersion', message }]);
}

/**
 * A version that an API server reports, which may be any.
 * @param field name of the parameter, for errors
 * @throws {InvalidRequestError} if it is not a version
 */
export function readKubernetesVersion(text: string, field: string): string {
  if (parseKubernetesVersion(text) !== undefined) return text;
  throw new InvalidRequestError([
    { field, code: 'isKubernetesVersion', message: 'must be a version of Kubernetes such as v1.34.1' },
  ]);
}
