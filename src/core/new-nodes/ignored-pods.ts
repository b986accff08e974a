import type { PoolRequirement } from '../kubernetes/objects/karpenter.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { CAPACITY_TYPE, isNodeClass, isWellKnown, NODE_POOL, requirementsOf, usualKey } from './label-requirements.js';
import type { GroupReason, NodeGroup } from './node-group.js';

/** From this minor version on, labels of Kubernetes may be required. */
const ALLOWS_KUBERNETES = 9;
const KUBERNETES = ['kubernetes.io', 'k8s.io'];
const EXCEPTED = ['kops.k8s.io', 'node.kubernetes.io', 'node-restriction.kubernetes.io'];
const CAPACITY_TYPES = ['on-demand', 'reserved', 'spot'];

/**
 * Pods that Karpenter takes out of its queue, because their node selector or required node affinity, in any term, has something that it does not
 * accept, or because they avoid each NodePool. The scheduler accepts all of that.
 *
 * Source: sigs.k8s.io/karpenter v1.8.3, v1.9.1 and v1.14.1, pkg/controllers/provisioning/provisioner.go, `Validate`; pkg/apis/v1/labels.go,
 * `IsRestrictedLabel`; pkg/apis/v1/nodeclaim_validation.go, `ValidateRequirement`; aws/karpenter-provider-aws, pkg/apis/v1/labels.go.
 */
export function ignoredReasons({ kind, karpenter }: NodeGroup, { spec }: Pod): readonly GroupReason[] {
  if (kind !== 'NodePool') return [];
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const expressions: readonly PoolRequirement[] = [
    ...Object.entries(spec.nodeSelector ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...terms.flatMap(({ matchExpressions = [] }) => matchExpressions),
  ];
  const ignored = (what: string, verdict: GroupReason['verdict'] = 'infeasible', which = ''): [GroupReason] => {
    const message = `Karpenter${which} ignores a pod whose node selector or required node affinity ${what}`;
    return [{ code: 'PodIgnored', verdict, message }];
  };
  if (terms.some(({ matchFields = [] }) => matchFields.length > 0)) return ignored('has matchFields');
  const refused = expressions.find(isRefused);
  if (refused !== undefined) {
    const { key, values = [] } = refused;
    return ignored(key === CAPACITY_TYPE ? `allows no ${key} but ${values.join(' and ')}` : `names ${key}`);
  }
  if (allowsNoPool(spec, [])) return ignored(`allows no ${NODE_POOL}`);
  if (allowsNoPool(spec, heaviestPreference(spec))) {
    return ignored(`allows no ${NODE_POOL} together with the preferred term that has the greatest weight`);
  }
  const former = expressions.find(({ key }) => isOfKubernetes(usualKey(key)));
  if (former === undefined || (karpenter !== undefined && karpenter >= ALLOWS_KUBERNETES)) return [];
  const verdict = karpenter === undefined ? 'unknown' : 'infeasible';
  return ignored(`names ${former.key}`, verdict, ` before 1.${ALLOWS_KUBERNETES}`);
}

/**
 * Whether the node selector, the first required term and a preference leave no value of the label of NodePools. Karpenter counts the preference as if
 * it were required, and does not drop it here, as it does when it looks for a node.
 *
 * Source: sigs.k8s.io/karpenter v1.0.0, v1.9.1 and v1.14.1, pkg/controllers/provisioning/provisioner.go, `validateKarpenterManagedLabelCanExist`;
 * pkg/scheduling/requirements.go, `NewPodRequirements`.
 */
function allowsNoPool({ affinity, nodeSelector }: Pod['spec'], preference: readonly PoolRequirement[]): boolean {
  const [first] = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const left = requirementsOf([...preference, ...(first?.matchExpressions ?? [])], nodeSelector).get(NODE_POOL);
  return left !== undefined && !left.complement && left.values.size === 0;
}

/** The first of the preferred terms with the greatest weight. */
function heaviestPreference({ affinity }: Pod['spec']): readonly PoolRequirement[] {
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const [heaviest] = [...preferred].sort((a, b) => b.weight - a.weight);
  return heaviest?.preference.matchExpressions ?? [];
}

const isUnknownType = ({ key, operator, values = [] }: PoolRequirement): boolean =>
  key === CAPACITY_TYPE && operator === 'In' && !values.some((value) => CAPACITY_TYPES.includes(value));

function isRefused(requirement: PoolRequirement): boolean {
  const key = usualKey(requirement.key);
  if (key === 'kubernetes.io/hostname' || isUnknownType(requirement)) return true;
  const domain = domainOf(key);
  if (domain === 'karpenter.k8s.aws') return isNodeClass(key);
  return (domain === 'karpenter.sh' || domain.endsWith('.karpenter.sh')) && !isWellKnown(key);
}

function isOfKubernetes(key: string): boolean {
  const domain = domainOf(key);
  const endsWith = (suffix: string): boolean => domain.endsWith(suffix);
  return KUBERNETES.some(endsWith) && !EXCEPTED.some(endsWith) && !isWellKnown(key);
}

const domainOf = (key: string): string => (key.includes('/') ? key.slice(0, key.indexOf('/')) : '');
