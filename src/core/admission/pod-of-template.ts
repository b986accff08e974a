import { defined } from '../collections/defined.js';
import { daemonPodTolerations } from '../kubernetes/daemon-pod.js';
import type { Pod, PodTemplateSpec, Volume } from '../kubernetes/objects/pod.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { StatefulSet, Workload } from '../kubernetes/objects/workloads.js';
import { templateOf } from '../kubernetes/pod-template.js';

/** The pod that a manifest says, before its controller adds to it; undefined for a workload without a template. */
export function podOfManifest(manifest: Pod | Workload): Pod | undefined {
  if (manifest.kind === 'Pod') return manifest;
  const template = templateOf(manifest);
  return template === undefined ? undefined : podOfTemplate(manifest, template);
}

/** The pod that a whole manifest says, with what its controller adds; undefined for a workload without a template. */
export function wholePodOf(manifest: Pod | Workload | undefined): WholePod | undefined {
  const pod = manifest && podOfManifest(manifest);
  if (manifest === undefined || pod === undefined) return undefined;
  return manifest.kind === 'Pod' ? pod : withControllerAdditions(pod, manifest);
}

/**
 * A pod as the template says it, before its controller and the API server add to it. It is named after its workload
 * (a StatefulSet's first pod by its ordinal), which owns it.
 */
export function podOfTemplate(workload: Workload, template: PodTemplateSpec): Pod {
  const { name, namespace, uid } = workload.metadata;
  const { labels, annotations } = template.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: workload.kind === 'StatefulSet' ? `${name}-${workload.spec?.ordinals?.start ?? 0}` : name,
      ...(workload.kind === 'StatefulSet' ? {} : { generateName: `${name}-` }),
      ...defined({ namespace, labels, annotations }),
      ownerReferences: [
        {
          apiVersion: workload.apiVersion,
          kind: workload.kind,
          name,
          ...defined({ uid }),
          controller: true,
        },
      ],
    },
    spec: template.spec,
  };
}

/**
 * The pod with what its controller adds and placement sees: the DaemonSet controller's tolerations, and the volumes of a
 * StatefulSet's claim templates.
 *
 * The DaemonSet controller also pins each pod to its node in place of the template's required node affinity, after it
 * has matched that affinity itself; asked over all nodes the two say the same, so the template's affinity stays.
 */
export function withControllerAdditions(pod: Pod, workload: Workload): Pod {
  if (workload.kind === 'DaemonSet') {
    return { ...pod, spec: { ...pod.spec, tolerations: daemonPodTolerations(pod.spec) } };
  }
  if (workload.kind !== 'StatefulSet') return pod;
  const claims = claimVolumes(workload, pod.metadata.name);
  if (claims.length === 0) return pod;
  const claimed = new Set(claims.map(({ name }) => name));
  const others = (pod.spec.volumes ?? []).filter(({ name }) => !claimed.has(name));
  return { ...pod, spec: { ...pod.spec, volumes: [...claims, ...others] } };
}

/** k8s.io/kubernetes v1.36.2, pkg/controller/statefulset, updateStorage: a claim's volume takes the place of one of its name. */
function claimVolumes(workload: StatefulSet, podName: string): Volume[] {
  return (workload.spec?.volumeClaimTemplates ?? []).flatMap(({ metadata }) =>
    metadata?.name === undefined
      ? []
      : [{ name: metadata.name, persistentVolumeClaim: { claimName: `${metadata.name}-${podName}` } }],
  );
}
