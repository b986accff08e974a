import { defined } from '../collections/defined.js';
import { podForbidden, spokenName } from '../kubernetes/admission-refusal.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { PriorityClass } from '../kubernetes/objects/scheduling.js';

export const NAME = 'Priority';

/** What a pod gets where no class says otherwise; a class too preempts unless it says `Never`. */
const PREEMPT = 'PreemptLowerPriority';

/** The classes that the API server makes itself and puts back if they are deleted (pkg/apis/scheduling/v1/helpers.go). */
export const SYSTEM_PRIORITY_CLASSES: readonly PriorityClass[] = [
  systemClass('system-node-critical', 2_000_001_000),
  systemClass('system-cluster-critical', 2_000_000_000),
];

/** The part of a class that a pod takes over. */
interface Resolved {
  readonly className: string | undefined;
  readonly priority: number;
  readonly preemptionPolicy: string;
}

/**
 * The pod as the Priority admission plugin leaves it on create: the number and the preemption policy of its class, or of
 * the global default class with the lowest value, or 0 and `PreemptLowerPriority`.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/priority/admission.go, `admitPod`.
 *
 * @param classes every PriorityClass that exists
 * @throws {AdmissionRefusal} the class is absent, or the pod itself brings another number or policy than its class
 */
export function admitPriority(pod: Pod, classes: readonly PriorityClass[]): Pod {
  const { priorityClassName = '', priority, preemptionPolicy } = pod.spec;
  const refuse = (reason: string): Error => podForbidden(NAME, spokenName(pod), reason);
  const resolved = priorityClassName === '' ? byDefault(classes) : byName(priorityClassName, classes);
  if (resolved === undefined) throw refuse(`no PriorityClass with name ${priorityClassName} was found`);
  const end = 'from the given PriorityClass name';
  if (priority !== undefined && priority !== resolved.priority) {
    throw refuse(
      `the integer value of priority (${priority}) must not be provided in pod spec; priority admission controller computed ${resolved.priority} ${end}`,
    );
  }
  if (preemptionPolicy !== undefined && preemptionPolicy !== resolved.preemptionPolicy) {
    throw refuse(
      `the string value of PreemptionPolicy (${preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${resolved.preemptionPolicy} ${end}`,
    );
  }
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...defined({ priorityClassName: resolved.className }),
      priority: resolved.priority,
      preemptionPolicy: resolved.preemptionPolicy,
    },
  };
}

/**
 * The changed pod with the priority and the preemption policy that it has in storage, where the change leaves them out. Whether they
 * may be others is for validation.
 *
 * Source: as {@link admitPriority}.
 */
export function keepPriority(pod: Pod, stored: Pod): Pod {
  const { priority = stored.spec.priority, preemptionPolicy = stored.spec.preemptionPolicy } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...defined({ priority, preemptionPolicy }),
    },
  };
}

function byName(name: string, classes: readonly PriorityClass[]): Resolved | undefined {
  const stored = classes.find(({ metadata }) => metadata.name === name);
  return stored && resolvedOf(stored);
}

function byDefault(classes: readonly PriorityClass[]): Resolved {
  let lowest: PriorityClass | undefined;
  for (const one of classes) {
    if (one.globalDefault === true && (lowest === undefined || one.value < lowest.value)) lowest = one;
  }
  return lowest === undefined ? { className: undefined, priority: 0, preemptionPolicy: PREEMPT } : resolvedOf(lowest);
}

const resolvedOf = ({ metadata, value, preemptionPolicy = PREEMPT }: PriorityClass): Resolved => ({
  className: metadata.name,
  priority: value,
  preemptionPolicy,
});

function systemClass(name: string, value: number): PriorityClass {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value };
}
