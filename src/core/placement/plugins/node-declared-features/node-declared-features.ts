import type { Pod } from '../../../kubernetes/objects/pod.js';
import { SUCCESS, UNRESOLVABLE, type FilterPlugin } from '../../plugin.js';
import { nodeField, podField, type FieldReference, type Reason } from '../../reason.js';

export const NAME = 'NodeDeclaredFeatures';

const MESSAGE = "node(s) didn't match Pod's required features";

/** A feature that the pod needs its node to declare, and the fields that ask for it. */
interface Needed {
  readonly feature: string;
  readonly fields: readonly FieldReference[];
}

/**
 * The node must declare the features that the pod needs. At scheduling two things only ask for one: a restart rule with
 * `RestartAllContainers`, and the host's network with `hostUsers: false`. Kubernetes' message does not say which is missing; the facts
 * do.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodedeclaredfeatures; k8s.io/component-helpers v0.36.2,
 * nodedeclaredfeatures.
 */
export const nodeDeclaredFeatures: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod }) => {
    const needed = state.rules.featureGates.NodeDeclaredFeatures ? neededFeatures(pod) : [];
    if (needed.length === 0) return { outcome: 'Skip' };
    const missing = (node: number): readonly Needed[] => {
      const declared = state.nodes.node(node).status?.declaredFeatures ?? [];
      return needed.filter(({ feature }) => !declares(declared, feature));
    };
    return {
      outcome: 'Filter',
      filter: {
        status: (node) => (missing(node).length === 0 ? SUCCESS : UNRESOLVABLE),
        commonReasonKey: () => 0,
        commonReasons: () => [{ code: 'NodeFeatureMissing', message: MESSAGE }],
        explanationKey: (node) =>
          missing(node)
            .map(({ feature }) => feature)
            .join(),
        explain: (node): readonly Reason[] => {
          const found = missing(node);
          if (found.length === 0) return [];
          return [
            {
              plugin: NAME,
              code: 'NodeFeatureMissing',
              status: 'UnschedulableAndUnresolvable',
              message: MESSAGE,
              facts: { features: found.map(({ feature }) => feature) },
              fields: [...found.flatMap(({ fields }) => fields), nodeField('status', 'declaredFeatures')],
            },
          ];
        },
      },
    };
  },
};

/** The features that a pod needs its node to declare, if the gate NodeDeclaredFeatures is on. */
export function neededFeatures({ spec }: Pod): readonly Needed[] {
  const rules = (['containers', 'initContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ restartPolicyRules = [] }, container) =>
      restartPolicyRules.flatMap(({ action }, rule) =>
        action === 'RestartAllContainers' ? [podField('spec', list, container, 'restartPolicyRules', rule)] : [],
      ),
    ),
  );
  return [
    ...(rules.length > 0 ? [{ feature: 'RestartAllContainersOnContainerExits', fields: rules }] : []),
    ...(spec.hostNetwork === true && spec.hostUsers === false
      ? [
          {
            feature: 'UserNamespacesHostNetworkSupport',
            fields: [podField('spec', 'hostNetwork'), podField('spec', 'hostUsers')],
          },
        ]
      : []),
  ];
}

/** Whether a list that is read as if it were sorted has a name: one that stands behind a greater one is not seen. */
function declares(declared: readonly string[], feature: string): boolean {
  for (const name of declared) {
    if (name === feature) return true;
    if (name > feature) return false;
  }
  return false;
}
