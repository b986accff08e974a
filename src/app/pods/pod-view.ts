import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Workload } from '../../core/cluster/pod-table.js';
import { disruptionOf, type DisruptionKindName } from '../../core/disruption/disruption-kinds.js';
import type { Labels, ResourceList } from '../../core/kubernetes/objects/meta.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { podRequests } from '../../core/kubernetes/pod-resources/pod-requests.js';
import { podQos } from '../../core/resources/qos.js';
import { tolerationView, type TolerationView } from './toleration-view.js';

/** A pod as lists show it. */
export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string | null;
  readonly labels: Labels;
  /** `spec.nodeName`, whether or not that node is stored. */
  readonly node: string | null;
  readonly nominatedNode: string | null;
  readonly phase: string | null;
  readonly workload: Workload;
  readonly tolerations: readonly TolerationView[];
  readonly requests: ResourceList;
  readonly qosClass: string;
  readonly priority: number | null;
  readonly priorityClass: string | null;
  readonly schedulerName: string | null;
  /** What its condition DisruptionTarget says; null where it has none. */
  readonly disruption: PodDisruptionView | null;
}

/** Which disruption a pod tells of. */
export interface PodDisruptionView {
  readonly kind: DisruptionKindName | null;
  readonly reason: string;
  readonly message: string;
  readonly since: string | null;
  readonly stands: boolean;
}

export function podView({ pods }: ClusterState, index: number): PodView {
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
    tolerations: (spec.tolerations ?? []).map(tolerationView),
    requests: Object.fromEntries(
      [...podRequests(pod)].map(([resource, quantity]): [string, string] => [resource, quantity.toString()]).sort(),
    ),
    qosClass: podQos(pod),
    priority: spec.priority ?? null,
    priorityClass: orNull(spec.priorityClassName),
    schedulerName: orNull(spec.schedulerName),
    disruption: disruptionView(pod),
  };
}

function disruptionView(pod: Pod): PodDisruptionView | null {
  const disruption = disruptionOf(pod);
  if (disruption === undefined) return null;
  const { kind = null, reason, message, since = null, stands } = disruption;
  return { kind, reason, message, since, stands };
}

const orNull = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);
