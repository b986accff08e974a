import { jsonDifferences } from '../json/json-differences.js';
import { defaultPod } from '../kubernetes/defaults.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { PriorityClass, RuntimeClass } from '../kubernetes/objects/scheduling.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { podOfTemplate, templateOf, withControllerAdditions } from './pod-of-template.js';
import { admitPriority, SYSTEM_PRIORITY_CLASSES } from './priority.js';
import { admitRuntimeClass } from './runtime-class.js';

/** Something that is in the pod that is placed, but not in what was sent. */
export interface Addition {
  /** Who adds it: `defaults`, `Priority`, `RuntimeClass`, `DaemonSet controller`, `StatefulSet controller`. */
  readonly by: string;
  /** Where in the pod, as a JSON pointer. */
  readonly pointer: string;
  /** What stands there now; absent when it was taken away. */
  readonly value?: unknown;
  readonly why: string;
}

/** What keeps the pod itself, on whatever node, from a certain answer. */
export interface MissingRuntimeClass {
  readonly name: string;
  /** Whether RuntimeClasses were loaded at all: if so, the API server would refuse the pod. */
  readonly loaded: boolean;
}

/** A pod as the scheduler would see it, and what was added to what was sent. */
export interface PreparedPod {
  readonly pod: Pod;
  readonly added: readonly Addition[];
  readonly missingRuntimeClass?: MissingRuntimeClass;
}

/** What preparing needs of the cluster. */
export interface PreparationContext {
  readonly runtimeClassesLoaded: boolean;
  readonly findRuntimeClass: (name: string) => RuntimeClass | undefined;
  /** Every stored PriorityClass; undefined where the kind was never loaded. */
  readonly priorityClasses: readonly PriorityClass[] | undefined;
}

/**
 * From a manifest to the pod that the scheduler would be given: API defaults, then what the controller of a workload
 * adds, then its priority, then what the pod's RuntimeClass adds. A RuntimeClass that is not stored is reported, and adds
 * nothing; nor does a PriorityClass that is not: then the pod's priority and preemption policy stay as they were sent.
 *
 * @throws {AdmissionRefusal} the RuntimeClass contradicts the pod, or the pod brings another overhead, priority or
 *   preemption policy than its class
 * @returns undefined for a workload without a pod template
 */
export function preparePod(manifest: Pod | Workload, context: PreparationContext): PreparedPod | undefined {
  const sent = podSent(manifest);
  if (sent === undefined) return undefined;
  const added: Addition[] = [];
  const step = (by: string, before: Pod, after: Pod, why: (pointer: string) => string): Pod => {
    for (const { pointer, after: value } of jsonDifferences(before, after)) {
      added.push({ by, pointer, ...(value === undefined ? {} : { value }), why: why(pointer) });
    }
    return after;
  };

  let pod = step('defaults', sent, defaultPod(sent), whyDefault);
  if (manifest.kind !== 'Pod') {
    const why = CONTROLLER_WHY.get(manifest.kind) ?? '';
    pod = step(`${manifest.kind} controller`, pod, withControllerAdditions(pod, manifest), () => why);
  }
  const classes = classesFor(pod, context);
  if (classes !== undefined) pod = step('Priority', pod, admitPriority(pod, classes), whyPriority);
  const className = pod.spec.runtimeClassName;
  if (className !== undefined && context.findRuntimeClass(className) === undefined) {
    return { pod, added, missingRuntimeClass: { name: className, loaded: context.runtimeClassesLoaded } };
  }
  // An overhead without a class is the API server's to refuse, as is another one than the class's.
  pod = step('RuntimeClass', pod, admitRuntimeClass(pod, context.findRuntimeClass), whyRuntimeClass);
  return { pod, added };
}

function podSent(manifest: Pod | Workload): Pod | undefined {
  if (manifest.kind === 'Pod') return manifest;
  const template = templateOf(manifest);
  return template === undefined ? undefined : podOfTemplate(manifest, template);
}

const CONTROLLER_WHY: ReadonlyMap<string, string> = new Map([
  [
    'DaemonSet',
    'the DaemonSet controller gives its pods these tolerations, so that they run on nodes that are not ready, under pressure or cordoned',
  ],
  ['StatefulSet', 'the StatefulSet controller mounts a claim of its own for each claim template'],
]);

/** The classes to go by: undefined where the pod's is not among those known, or where none is known and it names none. */
function classesFor(
  { spec: { priorityClassName = '' } }: Pod,
  { priorityClasses }: PreparationContext,
): readonly PriorityClass[] | undefined {
  if (priorityClassName === '') return priorityClasses;
  const classes = priorityClasses ?? SYSTEM_PRIORITY_CLASSES;
  return classes.some(({ metadata }) => metadata.name === priorityClassName) ? classes : undefined;
}

function whyPriority(pointer: string): string {
  if (pointer === '/spec/priorityClassName') return 'the global default PriorityClass';
  return "the PriorityClass's, or what a pod without one gets; it decides which nominated pods count before this one, and preemption";
}

function whyDefault(pointer: string): string {
  if (pointer.includes('/resources/requests')) return 'a limit without a request becomes the request';
  if (pointer.endsWith('/hostPort')) return "in the host's network a container port is taken on the host";
  return 'the API server fills in its default';
}

function whyRuntimeClass(pointer: string): string {
  if (pointer.startsWith('/spec/overhead'))
    return "the RuntimeClass's overhead, which the scheduler adds to the requests";
  if (pointer.startsWith('/spec/nodeSelector')) return "the RuntimeClass's scheduling.nodeSelector";
  return "the RuntimeClass's scheduling.tolerations, merged with the pod's own";
}
