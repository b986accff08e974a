import type { pod as podObject } from '../../contract/pods/pod.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { disruptionOf } from '../../core/disruption/disruption-kinds.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { podRequests } from '../../core/kubernetes/pod-resources/pod-requests.js';
import { podQos } from '../../core/resources/qos.js';
import { tolerationResponse } from './toleration-response.js';

export type PodResponse = Response<typeof podObject>;

export function podResponse({ pods }: ClusterState, index: number): PodResponse {
  const pod = pods.pod(index);
  const { metadata, spec, status = {} } = pod;
  const { kind, namespace, name } = pods.workload(index);
  return {
    namespace: pods.namespace(index),
    name: metadata.name,
    createdAt: metadata.creationTimestamp ?? null,
    labels: metadata.labels ?? {},
    node: orNull(spec.nodeName),
    nominatedNode: orNull(status.nominatedNodeName),
    phase: orNull(status.phase),
    workload: { kind, namespace, name },
    tolerations: (spec.tolerations ?? []).map(tolerationResponse),
    requests: Object.fromEntries(
      [...podRequests(pod)].map(([resource, quantity]): [string, string] => [resource, quantity.toString()]).sort(),
    ),
    qosClass: podQos(pod),
    priority: spec.priority ?? null,
    priorityClass: orNull(spec.priorityClassName),
    schedulerName: orNull(spec.schedulerName),
    disruption: disruptionResponse(pod),
  };
}

function disruptionResponse(pod: Pod): PodResponse['disruption'] {
  const disruption = disruptionOf(pod);
  if (disruption === undefined) return null;
  const { kind = null, reason, message, since = null, stands } = disruption;
  return { kind, reason, message, since, stands };
}

const orNull = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);
