import type { ClusterState } from '../cluster/cluster-state.js';

/** Pods between two steps of the generator. */
const STRIDE = 4096;

/** The pods of each namespace, as indexes into `state.pods`, in that order. */
export function* stepNamespacePods(state: ClusterState): Generator<undefined, ReadonlyMap<string, readonly number[]>> {
  const { pods } = state;
  const byNamespace = new Map<string, number[]>();
  for (let pod = 0; pod < pods.count; pod++) {
    if (pod % STRIDE === 0) yield undefined;
    const namespace = pods.namespace(pod);
    const known = byNamespace.get(namespace);
    if (known === undefined) byNamespace.set(namespace, [pod]);
    else known.push(pod);
  }
  return byNamespace;
}
