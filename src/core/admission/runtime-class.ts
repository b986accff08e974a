import { roundedList } from '../kubernetes/defaults.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { RuntimeClass } from '../kubernetes/objects/scheduling.js';
import { parseQuantity } from '../kubernetes/quantity.js';
import { podForbidden } from './admission-refusal.js';
import { mergeTolerations } from './merge-tolerations.js';

export const NAME = 'RuntimeClass';

/**
 * The pod as the RuntimeClass admission plugin leaves it on create: overhead, node selector and tolerations of its
 * class are put in.
 *
 * Overheads are compared by value: a pod that brings `0.25` where its class says `250m` is admitted, and gets the
 * class's spelling. An empty overhead counts as none where the class has one, and is refused where it has none. Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/runtimeclass.
 *
 * @param find the stored RuntimeClass of a name
 * @throws {AdmissionRefusal} the class is absent, its node selector contradicts the pod's, or the overhead is another
 */
export function admitRuntimeClass(pod: Pod, find: (name: string) => RuntimeClass | undefined): Pod {
  const name = pod.spec.runtimeClassName;
  const refuse = (reason: string): Error => podForbidden(NAME, pod.metadata.name, reason);
  const runtimeClass = name === undefined ? undefined : find(name);
  if (name !== undefined && runtimeClass === undefined) {
    throw refuse(`pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  }
  const overhead = runtimeClass?.overhead;
  if (overhead !== undefined && !isEmpty(pod.spec.overhead) && !sameResources(overhead.podFixed, pod.spec.overhead)) {
    throw refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  const scheduling = runtimeClass?.scheduling;
  const selector = mergeNodeSelector(pod.spec.nodeSelector, scheduling?.nodeSelector, refuse);
  // The plugin's validation follows its mutation, so a contradicting node selector is refused first.
  if (overhead === undefined && pod.spec.overhead !== undefined) {
    throw refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  }
  const tolerations =
    scheduling === undefined
      ? pod.spec.tolerations
      : mergeTolerations(pod.spec.tolerations ?? [], scheduling.tolerations ?? []);
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(overhead === undefined ? {} : { overhead: roundedList(overhead.podFixed ?? {}) }),
      ...(selector === undefined ? {} : { nodeSelector: selector }),
      ...(tolerations === undefined ? {} : { tolerations }),
    },
  };
}

function mergeNodeSelector(
  own: Readonly<Record<string, string>> | undefined,
  added: Readonly<Record<string, string>> | undefined,
  refuse: (reason: string) => Error,
): Readonly<Record<string, string>> | undefined {
  if (own === undefined || added === undefined) return own ?? added;
  for (const key of Object.keys(added).sort()) {
    if (Object.hasOwn(own, key) && own[key] !== added[key]) {
      throw refuse(
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${added[key] ?? ''}; ` +
          `pod.spec.nodeSelector[${key}] = ${own[key] ?? ''}`,
      );
    }
  }
  return Object.fromEntries([...Object.entries(own), ...Object.entries(added)]);
}

const isEmpty = (list: ResourceList | undefined): boolean => list === undefined || Object.keys(list).length === 0;

/** Equal in value, name by name; an absent list and an empty one are the same. */
function sameResources(a: ResourceList | undefined, b: ResourceList | undefined): boolean {
  const left = Object.entries(a ?? {});
  const right = new Map(Object.entries(b ?? {}));
  return (
    left.length === right.size &&
    left.every(([name, quantity]) => {
      const other = right.get(name);
      return other !== undefined && parseQuantity(quantity).cmp(parseQuantity(other)) === 0;
    })
  );
}
