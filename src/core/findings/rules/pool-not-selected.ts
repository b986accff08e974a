import type { FieldPath } from '../../kubernetes/field-path.js';
import type { PodSpec } from '../../kubernetes/objects/pod.js';
import type { Toleration } from '../../kubernetes/objects/taints.js';
import { findUntolerated } from '../../kubernetes/toleration.js';
import { describeTaintKey } from '../../kubernetes/well-known-taints.js';
import { HARD_EFFECTS, type ClusterTaints, type Pool } from '../cluster-taints.js';
import type { FindingSuggestion } from '../finding.js';
import { eachToleration, type PodContext, type PodFinding, type PodRule } from '../pod-rule.js';
import { describeToleration, isKeyless } from '../toleration-text.js';

const PERMISSION = 'A toleration permits but does not attract:';

/**
 * A pool that the pod tolerates but does not select. The pod can run there and on any other node that it fits; only a
 * node selector or node affinity restricts it to the pool.
 */
export const poolNotSelected: PodRule = {
  code: 'pool-not-selected',
  reads: 'spec',
  check: (pod) =>
    eachToleration(pod, (toleration, at) => {
      if (isKeyless(toleration) || describeTaintKey(toleration.key!)?.transient === true) return [];
      if (toleration.effect === 'PreferNoSchedule') return [];
      return pod.cluster === undefined
        ? withoutCluster(pod.spec, toleration, at)
        : withCluster(pod, pod.cluster, toleration, at);
    }),
};

function withoutCluster(spec: PodSpec, toleration: Toleration, at: FieldPath): readonly PodFinding[] {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required !== undefined || Object.keys(spec.nodeSelector ?? {}).length > 0) return [];
  return [
    {
      severity: 'info',
      at,
      message: `${PERMISSION} with (${describeToleration(toleration)}) the pod can run on nodes with that taint, and on every other node that it fits.`,
      suggestions: [
        {
          text: 'If the pod must run on those nodes, require a label that all of those nodes and no others carry, in spec.nodeSelector or required node affinity.',
        },
      ],
    },
  ];
}

function withCluster(
  pod: PodContext,
  cluster: ClusterTaints,
  toleration: Toleration,
  at: FieldPath,
): readonly PodFinding[] {
  const pool = cluster.poolOf(toleration, pod.gates);
  if (pool.nodes.length === 0) return [];
  const other = landsElsewhere(pod, cluster, pool);
  if (other === undefined) return [];
  const taints = pool.taints.join(', ');
  const size = pool.nodes.length === 1 ? '1 node carries' : `${pool.nodes.length} nodes carry`;
  return [
    {
      severity: 'info',
      at,
      message: `${PERMISSION} ${size} ${taints}, which the pod tolerates; its node selector and node affinity do not restrict it to them, so it can also run on other nodes, such as ${other}.`,
      suggestions: selections(pool),
    },
  ];
}

/**
 * The name of a node outside the pool that the pod selects and whose taints it tolerates; undefined if there is none.
 */
function landsElsewhere(
  { spec, tolerations, gates }: PodContext,
  cluster: ClusterTaints,
  pool: Pool,
): string | undefined {
  const { nodes, taintSets } = cluster.state;
  const open = new Set<number>();
  for (const id of cluster.setIdsInUse()) {
    if (pool.setIds.has(id)) continue;
    if (findUntolerated(tolerations, taintSets[id]!, HARD_EFFECTS, gates) === undefined) open.add(id);
  }
  if (open.size === 0) return undefined;
  const selected = cluster.selectedBy(spec);
  const node = nodes.taintSetIds.findIndex(
    (set, index) => open.has(set) && selected[index] === 1 && nodes.unschedulable[index] === 0,
  );
  return node === -1 ? undefined : nodes.name(node);
}

function selections({ labels }: Pool): readonly FindingSuggestion[] {
  if (labels.length === 0) {
    return [
      {
        text: 'No label is on all of these nodes and on no other: add one, then require it in spec.nodeSelector or required node affinity.',
      },
    ];
  }
  return labels.slice(0, 3).map(({ key, value }) => ({
    text: `Require ${key}=${value}, which all of these nodes carry and no other does, in spec.nodeSelector or required node affinity.`,
    nodeSelector: Object.fromEntries([[key, value]]),
  }));
}
