import { compare } from '../json/compare.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import type { Pool } from './pool.js';

/** The taints and labels that a node of a pool lacks, in kubectl's notation. */
export interface LackingNode {
  readonly node: string;
  readonly taints: readonly string[];
  readonly labels: readonly string[];
  /**
   * The entries that these replace: a taint with the same key and effect, or a label with the same key, but another
   * value.
   */
  readonly replaces: readonly string[];
}

/** The remaining changes on the nodes of a pool. */
export interface RemainingChanges {
  /** Number of nodes in the pool. */
  readonly nodes: number;
  /** The nodes that lack something, by name. */
  readonly lacking: readonly LackingNode[];
  /** One change of taints that completes the pool; undefined if nothing is left to do. */
  readonly change: PoolTaintChange | undefined;
}

/** A change of taints and labels, as a request. */
export interface PoolTaintChange {
  readonly nodes: readonly string[];
  readonly taints: readonly string[];
  readonly labels: readonly string[];
  readonly overwrite: boolean;
}

/** The edits that complete the nodes of a pool. */
export function remainingChanges({ nodes }: ClusterState, pool: Pool): RemainingChanges {
  const lacking: LackingNode[] = [];
  let count = 0;
  for (let index = 0; index < nodes.count; index++) {
    const labels = nodes.labels(index);
    if (!pool.nodeSelector.matches(labels)) continue;
    count += 1;
    const lack = lackOf(pool, nodes.name(index), nodes.node(index).spec?.taints ?? [], labels);
    if (lack !== undefined) lacking.push(lack);
  }
  lacking.sort((a, b) => compare(a.node, b.node));
  return { nodes: count, lacking, change: lacking.length === 0 ? undefined : changeOf(pool, lacking) };
}

/** The taints and labels of a pool that a node lacks; undefined if it has them all. */
export function lackOf(pool: Pool, node: string, taints: readonly Taint[], labels: Labels): LackingNode | undefined {
  const missing = pool.taints.filter((taint) => !taints.some((one) => formatTaint(one) === formatTaint(taint)));
  const unlabelled = Object.entries(pool.labels).filter(([key, value]) => own(labels, key) !== value);
  if (missing.length + unlabelled.length === 0) return undefined;
  const replaced = missing.flatMap(({ key, effect }) =>
    taints.filter((one) => one.key === key && one.effect === effect),
  );
  return {
    node,
    taints: missing.map((taint) => formatTaint(taint)),
    labels: unlabelled.map(word),
    replaces: [
      ...replaced.map((taint) => formatTaint(taint)),
      ...unlabelled.flatMap(([key]) => (Object.hasOwn(labels, key) ? [word([key, labels[key]!])] : [])),
    ],
  };
}

const word = ([key, value]: readonly [string, string]): string => `${key}=${value}`;

const own = (labels: Labels, key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);

function changeOf(pool: Pool, lacking: readonly LackingNode[]): PoolTaintChange {
  const taints = pool.taints
    .map((taint) => formatTaint(taint))
    .filter((text) => lacking.some((one) => one.taints.includes(text)));
  const labels = Object.entries(pool.labels)
    .map(word)
    .filter((text) => lacking.some((one) => one.labels.includes(text)));
  // kubectl refuses to add a taint that exists, with any value, unless it may overwrite.
  const overwrite = lacking.some(
    (one) =>
      one.replaces.length > 0 ||
      taints.some((text) => !one.taints.includes(text)) ||
      labels.some((text) => !one.labels.includes(text)),
  );
  return { nodes: lacking.map(({ node }) => node), taints, labels, overwrite };
}
