import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Workload } from '../../core/cluster/pod-table.js';
import type { Labels, ResourceList } from '../../core/kubernetes/objects/meta.js';
import { podRequests } from '../../core/resources/pod-requests.js';
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
  };
}

const orNull = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);
