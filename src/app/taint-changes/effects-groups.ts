import type { podEvictionGroup, workloadFeasibilityGroup } from '../../contract/taint-changes/taint-effects.js';
import type { Response } from '../../contract/schema.js';
import { finish } from '../../core/collections/finish.js';
import { AlikeGroups } from '../../core/collections/alike-groups.js';
import { AlikePods } from '../../core/collections/alike-pods.js';
import type { WorkloadFeasibility } from '../../core/taint-effects/taint-effects.js';
import { podGroupResponse } from '../paging/pod-group-response.js';
import type { PodEvictionResponse } from './taint-effects-response.js';

type FeasibilityGroup = Response<typeof workloadFeasibilityGroup>;

const EVICTIONS_ALIKE = { varying: ['node'], ofWorkload: ['because.toleration'] };
const FEASIBILITIES_ALIKE = { identity: ['workload', 'pods'], varying: ['feasibleBefore', 'feasibleAfter'] };

export function groupEvictions(pods: readonly PodEvictionResponse[]): readonly Response<typeof podEvictionGroup>[] {
  const alike = new AlikePods(EVICTIONS_ALIKE);
  for (const pod of pods) alike.add(pod);
  return finish(alike.stepGroups()).map((group) => podGroupResponse(finish(alike.stepByWorkload(group))));
}

export function groupFeasibilities(entries: readonly WorkloadFeasibility[]): readonly FeasibilityGroup[] {
  const alike = new AlikeGroups(FEASIBILITIES_ALIKE);
  for (const entry of entries) alike.add(entry);
  return finish(alike.stepGroups()).map(({ members, shared, columns }) => {
    const workloads = members.map((member) => {
      const { workload, pods } = entries[member]!;
      return { workload, pods };
    });
    const podCount = workloads.reduce((sum, { pods }) => sum + pods, 0);
    return { count: members.length, podCount, ...shared, workloads, columns } as unknown as FeasibilityGroup;
  });
}
