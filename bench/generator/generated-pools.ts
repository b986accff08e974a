import type { ClusterShape } from './cluster-shape.js';

export interface GeneratedTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export interface GeneratedToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

/** A machine type with the names and taints of its nodes. The first pool has no taint. */
export interface Pool {
  readonly index: number;
  readonly name: string;
  readonly taints: readonly GeneratedTaint[];
  readonly gpu: boolean;
  /** Whether some of its nodes are cordoned. */
  readonly cordons: boolean;
}

const UNSCHEDULABLE: GeneratedTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** The pools of a cluster. Four fifths of the taint sets are pools; the rest are the cordoned nodes of the first pools. */
export function generatePools({ taintSets }: ClusterShape): readonly [Pool, ...Pool[]] {
  const pools = Math.max(1, Math.ceil(taintSets * 0.8));
  const cordoned = taintSets - pools;
  const pool = (index: number): Pool => ({
    index,
    name: index === 0 ? 'general' : `team-${index}`,
    taints: taintsOf(index),
    gpu: index % 7 === 3,
    cordons: index < cordoned,
  });
  return [pool(0), ...Array.from({ length: pools - 1 }, (_, index) => pool(index + 1))];
}

/** The taints of a pool's node, including the cordon taint if it is cordoned. */
export function nodeTaints({ taints }: Pool, cordoned: boolean): readonly GeneratedTaint[] {
  return cordoned ? [...taints, UNSCHEDULABLE] : taints;
}

function taintsOf(index: number): readonly GeneratedTaint[] {
  if (index === 0) return [];
  const taints: GeneratedTaint[] = [{ key: 'dedicated', value: `team-${index}`, effect: 'NoSchedule' }];
  if (index % 7 === 3) taints.push({ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' });
  if (index % 5 === 2) taints.push({ key: 'dedicated', value: `team-${index}`, effect: 'NoExecute' });
  if (index % 6 === 1) taints.push({ key: 'example.com/spot', value: 'true', effect: 'PreferNoSchedule' });
  return taints;
}

const silent = (key: string, tolerationSeconds?: number): GeneratedToleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

/** The tolerations that admission appends to every pod. */
const ADMISSION = [silent('node.kubernetes.io/not-ready', 300), silent('node.kubernetes.io/unreachable', 300)];

/** The tolerations that the DaemonSet controller appends to those of the template. */
export const DAEMON_TOLERATIONS: readonly GeneratedToleration[] = [
  { operator: 'Exists', effect: 'NoSchedule' },
  { operator: 'Exists', effect: 'NoExecute' },
  silent('node.kubernetes.io/not-ready'),
  silent('node.kubernetes.io/unreachable'),
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

/** A toleration list, and the pool whose taints it tolerates in addition to the general one. */
export interface TolerationSet {
  readonly tolerations: readonly GeneratedToleration[];
  readonly pool: Pool;
}

/**
 * The toleration lists of a cluster's ordinary pods: one fewer than requested, because DaemonSets have their own. The lists
 * cycle through the pools; from the second cycle on, each adds a distinct toleration, as teams do.
 */
export function generateTolerationSets(
  { tolerationSets }: ClusterShape,
  pools: readonly [Pool, ...Pool[]],
): readonly [TolerationSet, ...TolerationSet[]] {
  const set = (index: number): TolerationSet => {
    const pool = pools[index % pools.length] ?? pools[0];
    const round = Math.floor(index / pools.length);
    return { pool, tolerations: [...pool.taints.map(tolerate), ...ofRound(round), ...ADMISSION] };
  };
  return [set(0), ...Array.from({ length: Math.max(0, tolerationSets - 2) }, (_, index) => set(index + 1))];
}

const tolerate = ({ key, value, effect }: GeneratedTaint): GeneratedToleration =>
  value === undefined ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect };

function ofRound(round: number): readonly GeneratedToleration[] {
  if (round === 0) return [];
  return round % 2 === 1
    ? [{ key: 'example.com/tier', operator: 'Equal', value: `tier-${round}`, effect: 'NoSchedule' }]
    : [
        {
          key: `example.com/maintenance-${round}`,
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 60 * round,
        },
      ];
}
