import { namespaceNotFound, podForbidden, spokenName } from '../kubernetes/admission-refusal.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Pod } from '../kubernetes/objects/pod.js';

export const NAME = 'NamespaceLifecycle';

/**
 * Refuses a pod whose namespace does not exist, and a new one whose namespace is being deleted.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/namespace/lifecycle/admission.go.
 *
 * @throws {AdmissionRefusal} with status 404 or 403
 */
export function requireNamespace(pod: Pod, namespace: Namespace | undefined, operation: 'create' | 'update'): void {
  const name = pod.metadata.namespace ?? '';
  if (namespace === undefined) throw namespaceNotFound(NAME, name);
  if (operation !== 'create' || namespace.status?.phase !== 'Terminating') return;
  const reason = `unable to create new content in namespace ${name} because it is being terminated`;
  throw podForbidden(NAME, spokenName(pod), reason, undefined, [
    { type: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
  ]);
}
