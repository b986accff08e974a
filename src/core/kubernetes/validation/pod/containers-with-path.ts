import type { FieldPath } from '../../field-path.js';
import type { WholeEphemeralContainer, WholePodSpec } from '../../objects/whole-pod.js';

/** Every container of a pod with its path: init containers first, ephemeral ones last (`VisitContainersWithPath`). */
export function containersWithPath(
  { containers, initContainers = [], ephemeralContainers = [] }: WholePodSpec,
  path: FieldPath,
): { readonly container: WholeEphemeralContainer; readonly path: FieldPath }[] {
  const lists = { initContainers, containers, ephemeralContainers };
  return Object.entries(lists).flatMap(([name, list]) =>
    list.map((container, index) => ({ container, path: path.child(name).index(index) })),
  );
}
