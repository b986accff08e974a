import { rulesOfMinor, type KubernetesRules } from '../../../src/core/kubernetes/kubernetes-rules.js';
import { parseKubernetesVersion } from '../../../src/core/kubernetes/versions.js';

/** The rules by which a recording is judged: those of the version of Kubernetes that was recorded. */
export function rulesOfRecording({ k8sVersion }: { readonly k8sVersion?: unknown }): KubernetesRules {
  const version = typeof k8sVersion === 'string' ? parseKubernetesVersion(k8sVersion) : undefined;
  if (version === undefined) throw new Error(`the version ${JSON.stringify(k8sVersion)} is none of Kubernetes`);
  return rulesOfMinor(version.minor);
}
