import { notBuilt } from '../../not-built.js';
import type { FilterPlugin } from '../../plugin.js';
import { podField, type FieldReference } from '../../reason.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';

export const NAME = 'NodeDeclaredFeatures';

/**
 * Features that a pod needs its node to declare. Not built yet: unknown for a pod that asks for one, which at scheduling
 * are two only: a restart rule with `RestartAllContainers`, and the host's network with `hostUsers: false`.
 *
 * Source: k8s.io/component-helpers v0.36.2, nodedeclaredfeatures/features.
 */
export const nodeDeclaredFeatures: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod }) => {
    const fields = askedFor(pod);
    if (fields.length === 0) return { outcome: 'Skip' };
    return notBuilt(state, { plugin: NAME, why: 'the pod needs a feature that its node must declare', fields });
  },
};

function askedFor({ spec }: Pod): readonly FieldReference[] {
  const rules = (['containers', 'initContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ restartPolicyRules = [] }, container) =>
      restartPolicyRules.flatMap(({ action }, rule) =>
        action === 'RestartAllContainers' ? [podField('spec', list, container, 'restartPolicyRules', rule)] : [],
      ),
    ),
  );
  return spec.hostNetwork === true && spec.hostUsers === false ? [...rules, podField('spec', 'hostUsers')] : rules;
}
