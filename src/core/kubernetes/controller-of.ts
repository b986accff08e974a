import type { OwnerReference } from './objects/meta.js';

/** The owner with `controller: true`, the first if there are several (`metav1.GetControllerOf`, k8s.io/apimachinery v0.36.2). */
export function controllerOf(references: readonly OwnerReference[] | undefined): OwnerReference | undefined {
  return references?.find(({ controller }) => controller === true);
}
