import { aggregateText } from '../kubernetes/error-aggregate.js';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import { defaultPod } from '../kubernetes/defaults.js';
import type { Pod, PodTemplateSpec } from '../kubernetes/objects/pod.js';
import type { CronJob, Workload } from '../kubernetes/objects/workloads.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { validateReplacedPod } from '../kubernetes/validation/placed-pod.js';
import { podOfTemplate, templateOf } from './pod-of-template.js';
import { preparePod, type PreparationContext, type PreparationOptions } from './prepare-pod.js';
import type { Placeable } from './read-pod-manifest.js';

/** What the API server makes of a changed manifest: the pod as the scheduler would be given it, or why there is none. */
export type ReadmittedManifest =
  | { readonly outcome: 'admitted'; readonly pod: Pod }
  | { readonly outcome: 'refused'; readonly pod: Pod; readonly message: string };

/**
 * Changes the pod in a manifest, and takes it through defaulting, validation and admission as if it were sent like that.
 *
 * @param object a manifest that was admitted, and has a pod
 * @param change of the pod's spec, as it stands in the manifest
 */
export function readmitManifest(
  object: Placeable,
  change: (pod: Pod) => Pod,
  context: PreparationContext,
  options: PreparationOptions & { readonly gates: TolerationGates },
): ReadmittedManifest {
  const pod = change(podIn(object));
  const errors = validateReplacedPod(defaultPod(pod), options.gates);
  if (errors.length > 0) return { outcome: 'refused', pod, message: aggregateText(errors) };
  try {
    const prepared = preparePod(object.kind === 'Pod' ? pod : withSpec(object, pod), context, options);
    return { outcome: 'admitted', pod: prepared!.pod };
  } catch (error) {
    if (!(error instanceof AdmissionRefusal)) throw error;
    return { outcome: 'refused', pod, message: error.message };
  }
}

const podIn = (object: Placeable): Pod => (object.kind === 'Pod' ? object : podOfTemplate(object, templateOf(object)!));

function withSpec(workload: Workload, { spec }: Pod): Workload {
  const template = { ...templateOf(workload), spec } as PodTemplateSpec;
  if (workload.kind === 'CronJob') return inJobTemplate(workload, template);
  return { ...workload, spec: { ...workload.spec, template } } as Workload;
}

function inJobTemplate(cronJob: CronJob, template: PodTemplateSpec): CronJob {
  const { jobTemplate } = cronJob.spec ?? {};
  const changed = { ...jobTemplate, spec: { ...jobTemplate?.spec, template } };
  return { ...cronJob, spec: { ...cronJob.spec, jobTemplate: changed } };
}
