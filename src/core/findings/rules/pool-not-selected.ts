import type { FieldPath } from '../../kubernetes/field-path.js';
import type { PodSpec } from '../../kubernetes/objects/pod.js';
import type { Toleration } from '../../kubernetes/objects/taints.js';
import { findUntolerated } from '../../kubernetes/toleration.js';
import { describeTaintKey } from '../../kubernetes/well-known-taints.js';
import { HARD_EFFECTS, type ClusterTaints, type Pool } from '../cluster-taints.js';
import type { FindingSuggestion } from '../finding.js';
import { eachToleration, type PodContext, type PodFinding, type PodRule } from '../pod-rule.js';
import { describeToleration, isKeyless } from '../toleration-text.js';

const PERMISSION = 'A toleration permits and does not attract:';

/**
 * A pool that the pod tolerates and does not also select. The pod may land there, and anywhere else it fits; where the
 * pool was meant, only a node selector or node affinity says so.
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
      message: `${PERMISSION} with (${describeToleration(toleration)}) the pod may land on nodes with that taint, and on every other node that it fits.`,
      suggestions: [
        {
          text: 'Where the pod must run on those nodes, add a spec.nodeSelector, or required node affinity, on a label that all and only those nodes carry.',
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
      message: `${PERMISSION} ${size} ${taints}, which the pod tolerates; nothing in its node selector or node affinity keeps it to them, so it may as well land elsewhere, on ${other} for one.`,
      suggestions: selections(pool),
    },
  ];
}

/** The name of a node outside the pool that the pod selects and whose taints it tolerates; undefined where there is none. */
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
        text: 'No label is carried by all of these nodes and by no other: give them one, then require it in spec.nodeSelector or node affinity.',
      },
    ];
  }
  return labels.slice(0, 3).map(({ key, value }) => ({
    text: `Require ${key}=${value}, which all of these nodes carry and no other does, in spec.nodeSelector (or In in required node affinity).`,
    nodeSelector: Object.fromEntries([[key, value]]),
  }));
}
