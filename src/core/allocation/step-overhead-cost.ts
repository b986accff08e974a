import type { ClusterState } from '../cluster/cluster-state.js';
import { addInt64 } from '../cluster/resource-table.js';
import { compare } from '../json/compare.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import { SpecAmounts, type Amounts } from './spec-amounts.js';

/** The overhead of several pods, in milliCPU for cpu, otherwise in bytes or a count. */
export interface OverheadSum {
  /** The number of pods with overhead. */
  readonly pods: number;
  /** By resource; empty if no pod has overhead. */
  readonly amounts: ReadonlyMap<string, Int64>;
}

/** The overhead of a group of pods, with and without a node. */
export interface OverheadShare {
  /** For pods on stored nodes. */
  readonly scheduled: OverheadSum;
  /** For pods without a stored node: it already counts against quotas, and will be used on a node. */
  readonly waiting: OverheadSum;
}

export interface NamedOverhead extends OverheadShare {
  readonly name: string;
}

/** The overhead in a cluster. Pods that have ended are not counted; groups without pods with overhead are omitted. */
export interface OverheadCost {
  readonly cluster: OverheadShare;
  /** By index. */
  readonly nodes: readonly { readonly node: number; readonly scheduled: OverheadSum }[];
  /** By name. */
  readonly namespaces: readonly NamedOverhead[];
  /** By name; the empty name is for pods with overhead but without a runtime class. */
  readonly runtimeClasses: readonly NamedOverhead[];
}

/** Pods processed between two yields. */
const STRIDE = 4096;

/**
 * The overhead of each node, namespace and runtime class, and of the cluster. A generator, so that the caller can let
 * other work run in between; it yields nothing.
 */
export function* stepOverheadCost(state: ClusterState): Generator<undefined, OverheadCost> {
  const { nodes, pods } = state;
  const amounts = new SpecAmounts(pods);
  const cluster = new Share();
  const byNode = new Map<number, Sum>();
  const byNamespace = new Map<string, Share>();
  const byClass = new Map<string, Share>();
  for (let pod = 0; pod < pods.count; pod++) {
    if (pod % STRIDE === 0) yield undefined;
    const { overhead } = amounts.of(pod);
    if (overhead.length === 0 || !pods.active(pod)) continue;
    const node = pods.nodeIndex(pod);
    const { runtimeClassName = '' } = pods.specOf(pods.specId(pod));
    cluster.add(overhead, node);
    at(byNamespace, pods.namespace(pod), () => new Share()).add(overhead, node);
    at(byClass, runtimeClassName, () => new Share()).add(overhead, node);
    if (node >= 0) at(byNode, node, () => new Sum()).add(overhead);
  }
  return {
    cluster,
    nodes: Array.from({ length: nodes.count }, (_, node) => node).flatMap((node) => {
      const scheduled = byNode.get(node);
      return scheduled === undefined ? [] : [{ node, scheduled }];
    }),
    namespaces: named(byNamespace),
    runtimeClasses: named(byClass),
  };
}

class Sum implements OverheadSum {
  pods = 0;
  readonly amounts = new Map<string, Int64>();

  add(overhead: Amounts): void {
    this.pods += 1;
    for (const [resource, amount] of overhead) {
      this.amounts.set(resource, addInt64(this.amounts.get(resource) ?? 0, amount));
    }
  }
}

class Share implements OverheadShare {
  readonly scheduled = new Sum();
  readonly waiting = new Sum();

  add(overhead: Amounts, node: number): void {
    (node >= 0 ? this.scheduled : this.waiting).add(overhead);
  }
}

function at<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

const named = (shares: ReadonlyMap<string, Share>): readonly NamedOverhead[] =>
  [...shares]
    .map(([name, { scheduled, waiting }]) => ({ name, scheduled, waiting }))
    .sort((a, b) => compare(a.name, b.name));
