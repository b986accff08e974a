import { compare } from '../json/compare.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import type { Pool } from './pool.js';

/** What a node of a pool lacks, in kubectl's words. */
export interface LackingNode {
  readonly node: string;
  readonly taints: readonly string[];
  readonly labels: readonly string[];
  /** What it carries in the place of these: a taint of the same key and effect, or a label of the same key, with another value. */
  readonly replaces: readonly string[];
}

/** What is still to be made of the nodes of a pool. */
export interface RemainingChanges {
  /** How many nodes the pool has. */
  readonly nodes: number;
  /** Those that lack something, by name. */
  readonly lacking: readonly LackingNode[];
  /** One change of taints that does it all; undefined where nothing is left to do. */
  readonly change: PoolTaintChange | undefined;
}

/** A change of taints, with labels riding along, as it is asked for. */
export interface PoolTaintChange {
  readonly nodes: readonly string[];
  readonly taints: readonly string[];
  readonly labels: readonly string[];
  readonly overwrite: boolean;
}

/** The edits of nodes that make what is declared of a pool true. */
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

/** What a node lacks of what a pool asks of its nodes; undefined where it has it all. */
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
  // kubectl adds no taint that is there already, with whatever value, unless it may overwrite.
  const overwrite = lacking.some(
    (one) =>
      one.replaces.length > 0 ||
      taints.some((text) => !one.taints.includes(text)) ||
      labels.some((text) => !one.labels.includes(text)),
  );
  return { nodes: lacking.map(({ node }) => node), taints, labels, overwrite };
}
