import { defined } from '../collections/defined.js';
import { fieldErrorText } from '../kubernetes/error-aggregate.js';
import type { ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate } from '../kubernetes/objects/dra.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Pod, PodResourceClaim } from '../kubernetes/objects/pod.js';
import { validateAdminAccess } from '../kubernetes/validation/admin-access.js';
import type { AllocatorFeatures } from './allocator-features.js';
import { withoutDisabledFields } from './disabled-claim-fields.js';

/** What decides whether a claim can be made from a template, and what it is called. */
export interface ClaimSurroundings {
  /** Fields that the API server drops from new claims. */
  readonly features: AllocatorFeatures;
  /** Of the pod's namespace, by name. */
  readonly template: (name: string) => ResourceClaimTemplate | undefined;
  /** Labels of the pod's namespace; undefined if the API server does not check admin access. */
  readonly namespaceLabels: Labels | undefined;
  /** Whether a claim of the pod's namespace has a name. */
  readonly isTaken: (name: string) => boolean;
}

/** The claim; or why the controller cannot make it, with `template` as `namespace/name`. */
export type ClaimFromTemplate =
  { readonly claim: ResourceClaim } | { readonly template?: string; readonly because?: string };

/**
 * The claim that will be made for a pod from a template; its name gets a random end. If the controller cannot make it, the pod waits.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/resourceclaim/controller.go, `handleClaim`; pkg/registry/resource/resourceclaim/strategy.go,
 * `Validate`.
 */
export function claimFromTemplate(
  pod: Pod,
  { name, resourceClaimTemplateName }: PodResourceClaim,
  { features, template: find, namespaceLabels, isTaken }: ClaimSurroundings,
): ClaimFromTemplate {
  if (resourceClaimTemplateName === undefined) return {};
  const template = `${pod.metadata.namespace ?? ''}/${resourceClaimTemplateName}`;
  const found = find(resourceClaimTemplateName);
  if (found === undefined) return { template, because: 'the ResourceClaimTemplate does not exist' };
  const { spec } = found.spec ?? {};
  const [fault] = namespaceLabels === undefined ? [] : validateAdminAccess(spec, namespaceLabels);
  if (fault !== undefined) return { template, because: `the API server refuses the claim: ${fieldErrorText(fault)}` };
  return { claim: claimOfPod(pod, name, withoutDisabledFields(spec, features), isTaken) };
}

/** A claim of a pod, which owns it; its name is not one that another claim has. */
export function claimOfPod(
  pod: Pod,
  end: string,
  spec: ResourceClaimSpec | undefined,
  isTaken: (name: string) => boolean,
  annotations?: Readonly<Record<string, string>>,
): ResourceClaim {
  const { namespace = '', uid } = pod.metadata;
  let name = `${pod.metadata.name}-${end}`;
  while (isTaken(name)) name += '-x';
  const owner = { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, controller: true, ...defined({ uid }) };
  const metadata = { name, namespace, ownerReferences: [owner], ...defined({ annotations }) };
  return { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata, ...(spec && { spec }) };
}
