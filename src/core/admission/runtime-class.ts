import { defined } from '../collections/defined.js';
import { podForbidden, spokenName } from '../kubernetes/admission-refusal.js';
import { roundedList } from '../kubernetes/defaults.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { RuntimeClass } from '../kubernetes/objects/scheduling.js';
import { parseQuantity } from '../kubernetes/quantity.js';
import { mergeTolerations } from './merge-tolerations.js';

export const NAME = 'RuntimeClass';

/** The stored RuntimeClass of a name. */
export type FindRuntimeClass = (name: string) => RuntimeClass | undefined;

/**
 * The pod as the RuntimeClass admission plugin leaves it on create: overhead, node selector and tolerations of its
 * class are put in. Both halves of the plugin, one right after the other.
 *
 * @throws {AdmissionRefusal} the class is absent, its node selector contradicts the pod's, or the overhead is another
 */
export function admitRuntimeClass(pod: Pod, find: FindRuntimeClass): Pod {
  const admitted = applyRuntimeClass(pod, find);
  validateOverhead(admitted, find);
  return admitted;
}

/**
 * The half of the plugin that changes the pod.
 *
 * Overheads are compared by value: a pod that brings `0.25` where its class says `250m` is admitted, and gets the
 * class's spelling. An empty overhead counts as none where the class has one. Source: k8s.io/kubernetes v1.36.2,
 * plugin/pkg/admission/runtimeclass, `Admit`.
 *
 * @throws {AdmissionRefusal} as {@link admitRuntimeClass}, but for an overhead where the class has none
 */
export function applyRuntimeClass(pod: Pod, find: FindRuntimeClass): Pod {
  const runtimeClass = classOf(pod, find);
  const overhead = runtimeClass?.overhead;
  if (overhead !== undefined && !isEmpty(pod.spec.overhead) && !sameResources(overhead.podFixed, pod.spec.overhead)) {
    throw refusal(pod, OTHER_OVERHEAD);
  }
  const scheduling = runtimeClass?.scheduling;
  const selector = mergeNodeSelector(pod.spec.nodeSelector, scheduling?.nodeSelector, (reason) => refusal(pod, reason));
  const tolerations =
    scheduling === undefined
      ? pod.spec.tolerations
      : mergeTolerations(pod.spec.tolerations ?? [], scheduling.tolerations ?? []);
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(overhead === undefined ? {} : { overhead: roundedList(overhead.podFixed ?? {}) }),
      ...defined({ nodeSelector: selector, tolerations }),
    },
  };
}

/**
 * The half that judges the pod after all that change it (`Validate`): its overhead has to be its class's, and even an empty
 * one is refused where the class has none.
 *
 * @throws {AdmissionRefusal}
 */
export function validateOverhead(pod: Pod, find: FindRuntimeClass): void {
  const overhead = classOf(pod, find)?.overhead;
  if (overhead !== undefined) {
    if (!sameResources(overhead.podFixed, pod.spec.overhead)) throw refusal(pod, OTHER_OVERHEAD);
  } else if (pod.spec.overhead !== undefined) {
    throw refusal(pod, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  }
}

const OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

const refusal = (pod: Pod, reason: string): Error => podForbidden(NAME, spokenName(pod), reason);

function classOf(pod: Pod, find: FindRuntimeClass): RuntimeClass | undefined {
  const name = pod.spec.runtimeClassName;
  const runtimeClass = name === undefined ? undefined : find(name);
  if (name === undefined || runtimeClass !== undefined) return runtimeClass;
  throw refusal(pod, `pod rejected: RuntimeClass ${quoteGo(name)} not found`);
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
