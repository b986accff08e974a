import type { ManifestObject } from '../kubernetes/manifests/manifest-object.js';
import type { WorkloadOutcome } from '../rollout/rollout.js';
import { valueAt } from './proposal/edit-json.js';

/** Pods of the template that was sent, in contrast to those of an earlier one. */
interface WantedOfTemplate {
  readonly wanted: number;
  readonly created: number;
  /** Why the controller does not replace the others, if the manifest says so. */
  readonly what?: string;
}

/**
 * How many pods of the new template a workload is to have, and has. With `OnDelete` nobody replaces pods, and with a partition only those
 * above it are replaced.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/deployment/sync.go (`calculateStatus`), pkg/controller/statefulset/stateful_set_control.go
 * and pkg/controller/daemon/daemon_controller.go (`updateDaemonSetStatus`): the counts of updated pods in `status`.
 */
export function wantedOfTemplate(
  { kind, desired, created, status, replicaSets, updateStrategy = {} }: WorkloadOutcome,
  { value }: ManifestObject,
): WantedOfTemplate {
  const { type: strategy = 'RollingUpdate', rollingUpdate: { partition = 0 } = {} } = updateStrategy;
  switch (kind) {
    case 'Deployment': {
      const newest = replicaSets?.reduce((last, one) => (one.revision > last.revision ? one : last), replicaSets[0]!);
      const updated = status['updatedReplicas'] ?? newest?.created ?? created;
      const isPaused = valueAt(value, ['spec', 'paused']) === true;
      return { wanted: desired, created: updated, ...(isPaused && { what: 'the Deployment is paused' }) };
    }
    case 'StatefulSet': {
      // Below the partition, and with OnDelete, pods of the former template stay; new pods are made all the same.
      const kept = strategy === 'OnDelete' ? desired : Math.min(desired, Math.max(0, partition));
      const updated = status['updatedReplicas'] ?? created;
      return created < desired ? { wanted: desired, created } : { wanted: desired - kept, created: updated };
    }
    case 'DaemonSet': {
      const updated = strategy === 'OnDelete' ? created : (status['updatedNumberScheduled'] ?? created);
      return { wanted: desired, created: Math.min(created, updated) };
    }
    default:
      return { wanted: desired, created };
  }
}
