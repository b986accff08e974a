import type { AlikeGroup } from '../../core/collections/alike-groups.js';
import type { AlikePodGroup, AlikePods } from '../../core/collections/alike-pods.js';

/** A group of pods as it is answered: what they share stands beside their names. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller's options say what pods share
export const podGroupResponse = <Group>({ shared, ...group }: AlikePodGroup): Group =>
  ({ ...group, ...shared }) as unknown as Group;

/** The same for a group whose pods are first put together by workload. */
export function* stepPodGroupResponse<Group>(alike: AlikePods, group: AlikeGroup): Generator<undefined, Group> {
  return podGroupResponse<Group>(yield* alike.stepByWorkload(group));
}
