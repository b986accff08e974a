import { compileLabelSelector, type Selector } from '../../kubernetes/label-selector.js';
import type { Pod, TopologySpreadConstraint } from '../../kubernetes/objects/pod.js';
import { NAME as DEVICES } from '../../placement/plugins/dynamic-resources/dynamic-resources.js';
import { NAME as AFFINITY } from '../../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { NAME as PORTS } from '../../placement/plugins/node-ports/node-ports.js';
import { NAME as FIT } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import { NAME as SPREAD } from '../../placement/plugins/pod-topology-spread/pod-topology-spread.js';
import { NAME as VOLUME_BINDING } from '../../placement/plugins/volume-binding/volume-binding.js';
import type { Placement } from '../../placement/placement.js';
import { SUCCESS } from '../../placement/plugin.js';

/** What happened in the cluster, as the scheduling queue is told. */
export type ClusterEvent =
  /** A pod came to a node. */
  | { readonly kind: 'podAdded'; readonly pod: Pod }
  /** A pod left its node or ended there. */
  | { readonly kind: 'podDeleted'; readonly pod: Pod }
  /** A claim, a volume or a StorageClass came or changed. */
  | { readonly kind: 'storage' }
  /** A claim for devices changed or is gone. */
  | { readonly kind: 'devices' };

/** Filters that a pod that leaves its node may satisfy, whatever the pod. */
const ROOM: ReadonlySet<string> = new Set([FIT, PORTS, 'VolumeRestrictions', 'NodeVolumeLimits']);
const STORAGE: ReadonlySet<string> = new Set([VOLUME_BINDING, 'VolumeZone', 'VolumeRestrictions', 'NodeVolumeLimits']);

/** After which events a pod that waits is tried again. */
export interface Wakes {
  /** After each event of these kinds. */
  readonly always: readonly ClusterEvent['kind'][];
  /** Also after events of pods that it spreads with, in its namespace. */
  readonly isSpread: boolean;
  readonly spreadsWith: (other: Pod) => boolean;
}

/**
 * After which events a pod that waits is tried again: those after which one of the filters that refused it could decide otherwise.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/backend/queue/scheduling_queue.go, `isPodWorthRequeuing`, and the functions
 * `isSchedulableAfter...` of the plugins.
 *
 * @param refusedBy names of filters; undefined if they are not known, because another scheduler process tried the pod last
 */
export function wakesOf(pod: Pod, refusedBy: ReadonlySet<string> | undefined): Wakes {
  const always: ClusterEvent['kind'][] = [];
  if (refusedBy === undefined || some(refusedBy, STORAGE)) always.push('storage');
  if (refusedBy === undefined || refusedBy.has(DEVICES)) always.push('devices');
  if (refusedBy === undefined || some(refusedBy, ROOM) || refusedBy.has(AFFINITY)) always.push('podDeleted');
  const minds = refusedBy === undefined ? pod.spec.affinity?.podAffinity !== undefined : refusedBy.has(AFFINITY);
  if (minds) always.push('podAdded');
  const { topologySpreadConstraints: constraints = [] } = pod.spec;
  const isSpread = constraints.length > 0 && (refusedBy === undefined || refusedBy.has(SPREAD));
  return { always, isSpread, spreadsWith: isSpread ? spreader(constraints) : () => false };
}

const some = (names: ReadonlySet<string>, among: ReadonlySet<string>): boolean => {
  for (const name of names) if (among.has(name)) return true;
  return false;
};

/** `podLabelsMatchSpreadConstraints`, pkg/scheduler/framework/plugins/podtopologyspread/plugin.go; for pods of one namespace. */
function spreader(constraints: readonly TopologySpreadConstraint[]): Wakes['spreadsWith'] {
  let selectors: readonly Selector[] | undefined;
  return ({ metadata: { labels = {} } }) => {
    selectors ??= constraints.flatMap(({ labelSelector }) => {
      const compiled = compileLabelSelector(labelSelector);
      return 'selector' in compiled ? [compiled.selector] : [];
    });
    return selectors.some((selector) => selector.matches(labels));
  };
}

/** The filters that refuse a pod: of each node the first one, or the one that refused the pod as such. */
export function refusedBy({ podReasons, plugins, state }: Placement): ReadonlySet<string> {
  const [refusal] = podReasons;
  if (refusal !== undefined) return new Set([refusal.plugin]);
  const names = new Set<string>();
  const { count } = state.nodes;
  const decided = new Uint8Array(count);
  for (const { name, statuses, passesAll } of plugins) {
    if (statuses === undefined || passesAll === true) continue;
    for (let node = 0; node < count; node++) {
      if (decided[node] === 1 || statuses[node] === SUCCESS) continue;
      decided[node] = 1;
      names.add(name);
    }
  }
  return names;
}
