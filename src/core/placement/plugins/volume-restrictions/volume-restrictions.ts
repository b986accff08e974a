import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { Pod, PodSpec, Volume } from '../../../kubernetes/objects/pod.js';
import { lacking, missingKinds } from '../../kinds-not-loaded.js';
import { SUCCESS, UNSCHEDULABLE, type FilterPlugin, type PlacementInput } from '../../plugin.js';
import { podField, type CommonReason, type Reason } from '../../reason.js';
import { notFound, VolumeObjects } from '../../volumes/pod-claims.js';
import { conflicts, isExclusiveDisk } from '../../volumes/exclusive-disk.js';

export const NAME = 'VolumeRestrictions';

const DISK: CommonReason<'DiskInUse'> = { code: 'DiskInUse', message: 'node(s) had no available disk' };
const CLAIM: CommonReason<'ClaimInUse'> = {
  code: 'ClaimInUse',
  message:
    'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
};
const COMMON_REASONS = [DISK, CLAIM];
const NO_PODS: readonly number[] = [];

/**
 * Disks named in the pod that another pod on the node has already, and claims that one pod alone may use: a user anywhere in the
 * cluster keeps the pod off every node.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumerestrictions.
 */
export const volumeRestrictions: FilterPlugin = {
  name: NAME,
  preFilter: (input) => {
    const { state, pod } = input;
    const volumes = pod.spec.volumes ?? [];
    const claims = volumes.flatMap(({ persistentVolumeClaim }, index) =>
      persistentVolumeClaim === undefined
        ? []
        : [{ name: persistentVolumeClaim.claimName, field: podField('spec', 'volumes', index) }],
    );
    if (claims.length > 0 && missingKinds(state, NEEDS).length > 0) {
      const fields = claims.map(({ field }) => field);
      return lacking(state, { plugin: NAME, why: 'the pod uses a claim', fields, needs: NEEDS });
    }
    const objects = new VolumeObjects(state);
    const namespace = pod.metadata.namespace ?? '';
    const alone = new Map<string, (typeof claims)[number]['field']>();
    for (const { name, field } of claims) {
      const claim = objects.claim(namespace, name);
      if (claim === undefined) {
        const reason: Reason = {
          plugin: NAME,
          code: 'ClaimNotUsable',
          status: 'UnschedulableAndUnresolvable',
          message: notFound('persistentvolumeclaim', name),
          facts: { claim: `${namespace}/${name}` },
          fields: [field],
        };
        return { outcome: 'Rejected', reason };
      }
      if (claim.spec?.accessModes?.includes('ReadWriteOncePod') === true) alone.set(name, field);
    }
    const users = alone.size === 0 ? new Map<string, number[]>() : usersOf(state, namespace, new Set(alone.keys()));
    const disks = volumes.filter((volume) => isExclusiveDisk(volume));
    if (disks.length === 0 && users.size === 0) return { outcome: 'Skip' };
    const inTheWay = disks.length === 0 ? new Map<number, number[]>() : podsWithDisks(input, disks);
    /** The claims that somebody uses; a pod nominated to the node counts by the claim's name alone, as upstream has it. */
    const usedClaims = (node: number): readonly (readonly [string, readonly number[]])[] =>
      [...alone.keys()].flatMap((name) => {
        const nominated = input.nominated
          .filter((other) => other.nodeIndex === node && usesClaim(state.pods.pod(other.pod), name))
          .map((other) => other.pod);
        const pods = [...(users.get(name) ?? NO_PODS), ...nominated];
        return pods.length === 0 ? [] : [[name, pods] as const];
      });
    const isUsed = (node: number): boolean =>
      users.size > 0 || (input.nominated.length > 0 && alone.size > 0 && usedClaims(node).length > 0);
    return {
      outcome: 'Filter',
      filter: {
        status: (node) => (inTheWay.has(node) || isUsed(node) ? UNSCHEDULABLE : SUCCESS),
        commonReasonKey: (node) => (inTheWay.has(node) ? 0 : 1),
        commonReasons: (key) => [COMMON_REASONS[key]!],
        explanationKey: (node) => (inTheWay.has(node) || input.nominated.length > 0 ? undefined : 0),
        preFilterExtensions: 'reevaluate',
        explain: (node): readonly Reason[] => {
          const others = inTheWay.get(node);
          if (others !== undefined) {
            const fields = volumes.flatMap((volume, index) =>
              isExclusiveDisk(volume) &&
              others.some((other) => conflictsWith(volume, state.pods.specOf(state.pods.specId(other))))
                ? [podField('spec', 'volumes', index)]
                : [],
            );
            const pods = others.map((other) => state.pods.key(other)).sort();
            return [{ plugin: NAME, ...DISK, status: 'Unschedulable', facts: { pods }, fields }];
          }
          return usedClaims(node).map(([name, pods]) => ({
            plugin: NAME,
            ...CLAIM,
            status: 'Unschedulable',
            facts: { claim: `${namespace}/${name}`, pods: pods.map((other) => state.pods.key(other)).sort() },
            fields: [alone.get(name)!],
          }));
        },
      },
    };
  },
};

const NEEDS = ['PersistentVolumeClaim'] as const;

const usesClaim = ({ spec }: Pick<Pod, 'spec'>, name: string): boolean =>
  (spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name);

/** The pods on nodes that use claims of a namespace, by claim. */
function usersOf({ pods }: ClusterState, namespace: string, claims: ReadonlySet<string>): Map<string, number[]> {
  const users = new Map<string, number[]>();
  const bySpec = new Map<number, readonly string[]>();
  pods.forEachPlaced([namespace], (pod) => {
    const id = pods.specId(pod);
    let used = bySpec.get(id);
    if (used === undefined) {
      used = [...claims].filter((name) => usesClaim({ spec: pods.specOf(id) }, name));
      bySpec.set(id, used);
    }
    for (const name of used) users.set(name, [...(users.get(name) ?? []), pod]);
  });
  return users;
}

const conflictsWith = (disk: Volume, { volumes = [] }: PodSpec): boolean =>
  volumes.some((other) => conflicts(disk, other));

/** By node: the pods there, those nominated to it included, that have one of the disks. */
function podsWithDisks({ state, nominated }: PlacementInput, disks: readonly Volume[]): Map<number, number[]> {
  const { pods } = state;
  const found = new Map<number, number[]>();
  const bySpec = new Map<number, boolean>();
  const look = (pod: number, node: number): void => {
    const id = pods.specId(pod);
    let hit = bySpec.get(id);
    if (hit === undefined) {
      const spec = pods.specOf(id);
      hit = disks.some((disk) => conflictsWith(disk, spec));
      bySpec.set(id, hit);
    }
    if (hit) found.set(node, [...(found.get(node) ?? []), pod]);
  };
  pods.forEachPlaced(undefined, look);
  for (const { pod, nodeIndex } of nominated) look(pod, nodeIndex);
  return found;
}
