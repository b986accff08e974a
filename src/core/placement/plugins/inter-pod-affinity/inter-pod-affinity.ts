import { compileLabelSelector } from '../../../kubernetes/label-selector.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import { notBuilt } from '../../not-built.js';
import type { FilterPlugin } from '../../plugin.js';
import { podField, type FieldReference } from '../../reason.js';
import { repelledNodes } from './existing-anti-affinity.js';

export const NAME = 'InterPodAffinity';

/**
 * Required affinity and anti-affinity between pods. Not built yet: unknown on every node for a pod that requires either,
 * for one with a selector that cannot be read (Kubernetes refuses it whole), and for any pod on the nodes from which an existing pod's required anti-affinity repels it.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
 */
export const interPodAffinity: FilterPlugin = {
  name: NAME,
  preFilter: (input) => {
    const { state, pod } = input;
    const fields = (['podAffinity', 'podAntiAffinity'] as const).flatMap((kind) =>
      (pod.spec.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((_, index) =>
        podField('spec', 'affinity', kind, 'requiredDuringSchedulingIgnoredDuringExecution', index),
      ),
    );
    if (fields.length > 0) {
      return notBuilt(state, { plugin: NAME, why: 'the pod requires affinity or anti-affinity to other pods', fields });
    }
    const unreadable = unreadableTerms(pod);
    if (unreadable.length > 0) {
      return notBuilt(state, {
        plugin: NAME,
        why: 'the pod prefers affinity to other pods by a selector that is not valid',
        fields: unreadable,
        mayRejectPod: true,
      });
    }
    const repelled = repelledNodes(input);
    if (repelled === undefined) return { outcome: 'Skip' };
    return notBuilt(state, {
      plugin: NAME,
      why: repelled.namespacesNeeded
        ? "an existing pod's required anti-affinity may repel this pod, depending on the labels of its namespace"
        : "an existing pod's required anti-affinity repels this pod from where it runs",
      fields: [podField('metadata', 'labels')],
      needs: repelled.namespacesNeeded ? ['Namespace'] : [],
      concerns: repelled.concerns,
    });
  },
};

/** Preferred terms, too, are read in PreFilter: one bad selector among them refuses the pod. */
function unreadableTerms({ spec }: Pod): readonly FieldReference[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((kind) =>
    (spec.affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(
      ({ podAffinityTerm }, index) =>
        [podAffinityTerm.labelSelector, podAffinityTerm.namespaceSelector].some(
          (selector) => 'errors' in compileLabelSelector(selector),
        )
          ? [podField('spec', 'affinity', kind, 'preferredDuringSchedulingIgnoredDuringExecution', index)]
          : [],
    ),
  );
}
