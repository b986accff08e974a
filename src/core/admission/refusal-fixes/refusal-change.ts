import type { WholeContainer, WholePod, WholePodSpec } from '../../kubernetes/objects/whole-pod.js';
import type { StationName } from '../admission-stations.js';
import type { ContainerPlace } from '../limit-constraints.js';

/** Of a pod as it is sent, be all of it known or the kept fields. */
export type PodEdit = (pod: WholePod) => WholePod;

/** One change of a pod that a refusal calls for. */
export interface RefusalChange {
  /** Whose refusal it answers: a plugin, or `validation`. */
  readonly by: StationName | 'validation';
  /** Without its full stop: `set allowPrivilegeEscalation to false in container "a"`. */
  readonly summary: string;
  /** What has to hold besides, and nothing here knows; null if nothing does. */
  readonly condition: string | null;
}

/** The same, to be made. */
export interface EditingChange extends RefusalChange {
  readonly edit: PodEdit;
  /** What it sets; a later change of the same takes its place. Absent where none is made again. */
  readonly sets?: string;
}

/** Changes that, all together, answer a refusal. */
export type Way = readonly EditingChange[];

export const inSpec =
  (edit: (spec: WholePodSpec) => WholePodSpec): PodEdit =>
  (pod) => ({ ...pod, spec: edit(pod.spec) });

/** Changes one container; the others stay the same. */
export const inContainer = (
  { list, index }: ContainerPlace,
  edit: (container: WholeContainer) => WholeContainer,
): PodEdit =>
  inSpec((spec) => ({
    ...spec,
    [list]: (spec[list] ?? []).map((container, at) => (at === index ? edit(container) : container)),
  }));

/** Every container of a pod that can be created, with its place. */
export const placedContainers = ({
  containers,
  initContainers = [],
}: WholePodSpec): readonly (ContainerPlace & { readonly container: WholeContainer })[] => [
  ...containers.map((container, index) => ({ list: 'containers' as const, index, container })),
  ...initContainers.map((container, index) => ({ list: 'initContainers' as const, index, container })),
];

/** Of several changes that set the same, the last. */
export function lastOfEach(way: Way): Way {
  const last = new Map<string, EditingChange>();
  for (const change of way) {
    const key = change.sets ?? `${last.size} ${change.summary}`;
    last.delete(key);
    last.set(key, change);
  }
  return [...last.values()];
}
