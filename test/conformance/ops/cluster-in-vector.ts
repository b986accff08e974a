import { ClusterState } from '../../../src/core/cluster/cluster-state.js';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';

/** The nodes, the bound pods and the namespaces of a vector. */
export function clusterInVector(input: JsonObject): ClusterState {
  const objects = (name: string, kind: KubernetesObject['kind']): readonly KubernetesObject[] =>
    ((input[name] ?? []) as unknown as readonly Omit<KubernetesObject, 'kind'>[]).map((object) => ({
      ...object,
      kind,
    }));
  return ClusterState.build(
    [...objects('nodes', 'Node'), ...objects('pods', 'Pod'), ...objects('namespaces', 'Namespace')],
    ['Node', 'Pod', 'Namespace', 'DeviceClass'],
  );
}
