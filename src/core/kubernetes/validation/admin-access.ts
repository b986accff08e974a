import { forbidden, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import type { KubernetesRules } from '../kubernetes-rules.js';
import type { ResourceClaimSpec } from '../objects/dra.js';
import type { Labels } from '../objects/meta.js';

const ADMIN_ACCESS = 'resource.kubernetes.io/admin-access';

/** The first minor version with the label; 1.33 has another one, and the gate is off by default. */
const CHECKED_SINCE = 34;

/** Whether the API server lets claims have admin access, and then checks their namespace. */
export const checksAdminAccess = ({ minor, featureGates }: KubernetesRules): boolean =>
  minor >= CHECKED_SINCE && featureGates.DRAAdminAccess;

/** Whether a claim asks for admin access. */
export const asksForAdminAccess = (claim: ResourceClaimSpec | undefined): boolean => indexOfAdmin(claim) >= 0;

const indexOfAdmin = (claim: ResourceClaimSpec | undefined): number =>
  (claim?.devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);

/**
 * What the API server says of a new ResourceClaim or ResourceClaimTemplate whose namespace does not allow admin access. The path is that
 * of a claim without `exactly`, for templates as well.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/resource/utils.go, `AuthorizedForAdmin`.
 */
export function validateAdminAccess(claim: ResourceClaimSpec | undefined, namespaceLabels: Labels): FieldError[] {
  const request = indexOfAdmin(claim);
  if (request < 0 || namespaceLabels[ADMIN_ACCESS] === 'true') return [];
  const path = FieldPath.of('spec', 'devices', 'requests').index(request).child('adminAccess');
  const detail = `admin access to devices requires the \`${ADMIN_ACCESS}: true\` label on the containing namespace`;
  return [forbidden(path, detail)];
}
