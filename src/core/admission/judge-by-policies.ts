import type { Pod } from '../kubernetes/objects/pod.js';
import { podAsAsked, type AskedAboutPod } from './asked-pod.js';
import { judgePod, type PodPolicyJudgement } from './policies/validating-admission-policy.js';
import { changesUnknown, type UndecidedPlugin } from './undecided-plugins.js';

/** What the policies of the cluster say of a pod, once the plugins have changed it and it is valid. */
export function judgeByPolicies(
  pod: Pod,
  asked: AskedAboutPod & { readonly undecided: readonly UndecidedPlugin[] },
): PodPolicyJudgement {
  const { policies = { policies: [], bindings: [] }, namespace, work, notLoaded = [] } = asked.context.surroundings;
  return judgePod(podAsAsked(pod, asked, 'validating'), {
    ...policies,
    work,
    namespace: notLoaded.includes('Namespace') ? undefined : namespace,
    changesUnknown: changesUnknown(asked.undecided),
  });
}
