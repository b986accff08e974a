import type { PodTemplateSpec } from './objects/pod.js';
import type { Workload } from './objects/workloads.js';

/** Every kind that makes pods from a template. */
export const WORKLOAD_KINDS = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
  'CronJob',
] as const;

/** The template that a workload makes its pods from; undefined where the manifest has none. */
export function templateOf(workload: Workload): PodTemplateSpec | undefined {
  return workload.kind === 'CronJob' ? workload.spec?.jobTemplate?.spec?.template : workload.spec?.template;
}

/** Where the pod template of a kind is; empty for a Pod, which is its own. */
export function templatePath({ kind }: { readonly kind: string }): readonly string[] {
  if (kind === 'Pod') return [];
  return kind === 'CronJob' ? ['spec', 'jobTemplate', 'spec', 'template'] : ['spec', 'template'];
}
