import type { ClusterState } from '../cluster/cluster-state.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import { findUntolerated, type TolerationGates } from '../kubernetes/toleration.js';
import { exemptionOf } from '../pools/exemption.js';
import type { Pool } from '../pools/pool.js';
import { mayUse, type PoolUse } from '../pools/pool-user.js';
import type { ClusterTaints } from './cluster-taints.js';
import { OccurrenceCounter } from './occurrence-counter.js';
import type { FindingOccurrences, FindingSubject } from './finding.js';

/** Pods of one namespace with one spec: a pool treats them alike, except for exemptions. */
interface Alike {
  readonly namespace: string;
  readonly spec: PodSpec;
  readonly tolerationSetId: number;
  /** Indexes of the pods that have not ended. */
  readonly pods: number[];
}

/** A group of pods, evaluated for a pool. */
export interface PoolGroup extends Alike {
  readonly use: PoolUse['verdict'];
  /** Whether they tolerate every taint of the pool that keeps pods off. */
  readonly tolerates: boolean;
}

/** Cached for the duration of one request; the rules share it. */
const known = new WeakMap<ClusterTaints, readonly Alike[]>();

/** Evaluates the pods of a state for a pool, each distinct group once. */
export function poolGroups(cluster: ClusterTaints, pool: Pool, gates: TolerationGates): PoolGroup[] {
  const { state } = cluster;
  let groups = known.get(cluster);
  if (groups === undefined) known.set(cluster, (groups = alikeIn(state)));
  const { tolerationSets } = state;
  return groups.map((alike) => {
    const { namespace, spec, pods, tolerationSetId } = alike;
    const pod = { metadata: { name: state.pods.name(pods[0]!), namespace }, spec };
    return {
      ...alike,
      use: mayUse(pool, pod, state.find('Namespace', undefined, namespace) as Namespace | undefined).verdict,
      tolerates: findUntolerated(tolerationSets[tolerationSetId]!, pool.hardTaints, undefined, gates) === undefined,
    };
  });
}

/** The occurrences by workload, without the pods that the pool exempts. */
export function byWorkload(
  { pods }: ClusterState,
  pool: Pool,
  indexes: Iterable<number>,
): { readonly subject: FindingSubject; readonly occurrences: FindingOccurrences }[] {
  const counters = new Map<string, { readonly subject: FindingSubject; readonly counter: OccurrenceCounter }>();
  for (const index of indexes) {
    if (exemptionOf(pool, pods.pod(index)) !== undefined) continue;
    const { kind, namespace, name } = pods.workload(index);
    const key = JSON.stringify([kind, namespace, name]);
    const entry = counters.get(key) ?? {
      subject: { kind, namespace, name },
      counter: new OccurrenceCounter('Pod'),
    };
    counters.set(key, entry);
    const node = pods.nodeName(index);
    entry.counter.add(node === '' ? pods.key(index) : `${pods.key(index)} on ${node}`);
  }
  return [...counters.values()].map(({ subject, counter }) => ({ subject, occurrences: counter.result }));
}

function alikeIn({ pods }: ClusterState): readonly Alike[] {
  const bySpec = new Map<number, Map<string, Alike>>();
  for (let index = 0; index < pods.count; index++) {
    if (!pods.active(index)) continue;
    const specId = pods.specId(index);
    const namespace = pods.namespace(index);
    let ofSpec = bySpec.get(specId);
    if (ofSpec === undefined) bySpec.set(specId, (ofSpec = new Map<string, Alike>()));
    let alike = ofSpec.get(namespace);
    if (alike === undefined) {
      const tolerationSetId = pods.tolerationSetId(index);
      ofSpec.set(namespace, (alike = { namespace, spec: pods.specOf(specId), tolerationSetId, pods: [] }));
    }
    alike.pods.push(index);
  }
  return [...bySpec.values()].flatMap((ofSpec) => [...ofSpec.values()]);
}
