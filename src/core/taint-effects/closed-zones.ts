import { counted } from '../collections/counted.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { decides } from '../placement/plugins/taint-toleration/taint-toleration.js';
import type { EditedNodes } from './edited-nodes.js';
import { type Warnings } from './warnings.js';

const ZONE_KEYS = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];

/** All nodes without a zone. */
const NO_ZONE = '';

interface Zone {
  readonly nodes: number;
  /** Nodes that are not cordoned and have no NoSchedule or NoExecute taint. */
  readonly open: number;
}

/** Warns of zones, or a whole cluster, without an untainted, uncordoned node left. */
export function* stepClosedZones(
  before: ClusterState,
  after: ClusterState,
  edited: EditedNodes,
  warnings: Warnings,
): Generator<undefined, void> {
  if (edited.nodes.length === 0 || closesNone(before, after, edited)) return;
  const is = zonesOf(after);
  yield undefined;
  if ([...is.values()].every(({ open }) => open > 0)) return;
  const was = zonesOf(before);
  yield undefined;
  const all = (zones: ReadonlyMap<string, Zone>): number =>
    [...zones.values()].reduce((sum, { open }) => sum + open, 0);
  if (all(was) > 0 && all(is) === 0) {
    warnings.add('cluster-closed', () => ({
      message:
        `Every node of the cluster (${after.nodes.count}) is tainted or cordoned after the change: ` +
        'a pod without tolerations cannot be scheduled.',
    }));
  }
  for (const [zone, { nodes, open }] of is) {
    if (zone === NO_ZONE || open > 0 || (was.get(zone)?.open ?? 0) === 0) continue;
    warnings.add('zone-closed', () => ({
      message:
        `Zone ${zone} is closed: its ${counted(nodes, 'node')} are all tainted or cordoned after the change. A pod without ` +
        'tolerations cannot be scheduled in the zone, and one whose volume is in the zone cannot be scheduled at all.',
      zone,
    }));
  }
}

/** Whether each zone of a node that the change closes has an open node afterwards: nothing else closes one, unless labels change. */
function closesNone(before: ClusterState, after: ClusterState, { nodes, labelsChanged }: EditedNodes): boolean {
  if (labelsChanged) return false;
  const [wasOpen, isOpen] = [opennessOf(before), opennessOf(after)];
  const zoneOf = zoneNames(after);
  const zones = new Set<string>();
  for (const { was, is } of nodes) if (wasOpen(was) && !isOpen(is)) zones.add(zoneOf(is));
  for (let node = 0; node < after.nodes.count && zones.size > 0; node++) {
    if (isOpen(node)) zones.delete(zoneOf(node));
  }
  return zones.size === 0;
}

/** Which nodes are not cordoned and have no NoSchedule or NoExecute taint. */
function opennessOf({ nodes: { taintSetIds, unschedulable }, taintSets }: ClusterState): (node: number) => boolean {
  const closes = new Map<number, boolean>();
  return (node) => {
    if (unschedulable[node] !== 0) return false;
    const set = taintSetIds[node]!;
    let closed = closes.get(set);
    if (closed === undefined) closes.set(set, (closed = taintSets[set]!.some(decides)));
    return !closed;
  };
}

function zoneNames({ nodes }: ClusterState): (node: number) => string {
  const columns = ZONE_KEYS.flatMap((key) => nodes.labelColumn(key) ?? []);
  return (node) => {
    for (const { valueIds, values } of columns) {
      const id = valueIds[node]!;
      // An empty value is none.
      if (id >= 0 && values[id] !== NO_ZONE) return values[id]!;
    }
    return NO_ZONE;
  };
}

function zonesOf(state: ClusterState): ReadonlyMap<string, Zone> {
  const [isOpen, zoneOf] = [opennessOf(state), zoneNames(state)];
  const zones = new Map<string, { nodes: number; open: number }>();
  for (let node = 0; node < state.nodes.count; node++) {
    const name = zoneOf(node);
    let zone = zones.get(name);
    if (zone === undefined) zones.set(name, (zone = { nodes: 0, open: 0 }));
    zone.nodes += 1;
    if (isOpen(node)) zone.open += 1;
  }
  return zones;
}
