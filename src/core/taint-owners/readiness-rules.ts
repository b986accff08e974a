import type { ClusterState } from '../cluster/cluster-state.js';
import { compileLabelSelector } from '../kubernetes/label-selector.js';
import type { NodeReadinessRule } from '../kubernetes/objects/node-readiness.js';
import type { Taint } from '../kubernetes/objects/taints.js';

/** The controller accepts no other keys in its rules. */
const PREFIX = 'readiness.k8s.io/';

/**
 * The rules of the Node Readiness Controller that set a taint, in one sentence; undefined if none does. A rule with `dryRun` sets nothing.
 *
 * Source: kubernetes-sigs/node-readiness-controller v0.5.0, api/v1alpha1/nodereadinessrule_types.go,
 * internal/controller/nodereadinessrule_controller.go.
 */
export function readinessRuleText(state: ClusterState, { key, effect }: Taint): string | undefined {
  if (!key.startsWith(PREFIX)) return undefined;
  const texts = (state.objects('NodeReadinessRule') as readonly NodeReadinessRule[]).flatMap((rule) => {
    const { taint, dryRun } = rule.spec ?? {};
    return taint?.key === key && taint.effect === effect && dryRun !== true ? [ruleText(rule)] : [];
  });
  if (texts.length > 0) return texts.join(' ');
  return state.loadedKinds.has('NodeReadinessRule')
    ? 'No NodeReadinessRule of this cluster sets it, so the controller does not remove it.'
    : undefined;
}

function ruleText({ metadata: { name }, spec = {} }: NodeReadinessRule): string {
  const { conditions = [], conditionPolicy, enforcementMode, nodeSelector } = spec;
  const met = conditions.map(({ type, requiredStatus }) => `${type} is ${requiredStatus}`);
  const until = met.join(conditionPolicy === 'anyOf' ? ' or ' : ' and ');
  const again =
    enforcementMode === 'continuous'
      ? 'sets it again whenever that is lost'
      : 'does not set it again afterwards (bootstrap-only)';
  const compiled = compileLabelSelector(nodeSelector);
  const selected = 'selector' in compiled ? compiled.selector.toString() : '';
  const on = selected === '' ? 'nodes' : `nodes with ${selected}`;
  return `NodeReadinessRule ${name} sets it on ${on} until ${until}, and ${again}.`;
}
