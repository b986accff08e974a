import { ClusterState } from '../../../src/core/cluster/cluster-state.js';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { KeptKind } from '../../../src/core/kubernetes/kinds.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import { evaluatePlacement } from '../../../src/core/placement/evaluate-placement.js';
import type { Op } from '../op.js';
import { CODES, preFilterCode } from './filter-answer.js';
import { podInVector } from './pod-in-vector.js';

const FILTERS = ['VolumeRestrictions', 'NodeVolumeLimits', 'VolumeBinding', 'VolumeZone'];
const LISTS: readonly (readonly [string, KeptKind])[] = [
  ['nodes', 'Node'],
  ['podsOnNodes', 'Pod'],
  ['pvcs', 'PersistentVolumeClaim'],
  ['pvs', 'PersistentVolume'],
  ['storageClasses', 'StorageClass'],
  ['csiNodes', 'CSINode'],
  ['csiDrivers', 'CSIDriver'],
  ['csiStorageCapacities', 'CSIStorageCapacity'],
  ['volumeAttachments', 'VolumeAttachment'],
];

/** One pod with volumes against every node, each of the plugins about volumes on its own. */
export const volumeFilters: Op = {
  answer: (input) => {
    const objects = LISTS.flatMap(([key, kind]) =>
      ((input[key] ?? []) as unknown as readonly object[]).map((object) => ({ ...object, kind })),
    ) as unknown as readonly KubernetesObject[];
    const kinds = LISTS.map(([, kind]) => kind);
    const state = ClusterState.build(objects, kinds);
    const { plugins } = evaluatePlacement(state, { pod: podInVector(input), filterNames: FILTERS });
    return Object.fromEntries(
      plugins.map(({ name, preFilter, filter, statuses }): [string, JsonObject] => {
        const answer = { preFilter: preFilterCode(preFilter) };
        if (filter === undefined || statuses === undefined) return [name, answer];
        const nodes = Array.from(statuses, (status, node): [string, JsonObject] => {
          const reasons = [...new Set(filter.explain(node).map(({ message }) => message))];
          return [state.nodes.name(node), { code: CODES[status]!, ...(reasons.length === 0 ? {} : { reasons }) }];
        });
        return [name, { ...answer, nodes: Object.fromEntries(nodes) }];
      }),
    );
  },
};
