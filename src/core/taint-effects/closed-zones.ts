import { counted } from '../collections/counted.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { decides } from '../placement/plugins/taint-toleration/taint-toleration.js';
import type { EditedNodes } from './edited-nodes.js';
import { type Warnings } from './warnings.js';

const ZONE_KEYS = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];

/** All nodes without a zone. */
const NO_ZONE = '';

interface Zone {
  nodes: number;
  /** Nodes that are not cordoned and have no NoSchedule or NoExecute taint. */
  open: number;
}

/** Warns of zones, or a whole cluster, without an untainted, uncordoned node left. */
export function* stepClosedZones(
  before: ClusterState,
  after: ClusterState,
  edited: EditedNodes,
  warnings: Warnings,
): Generator<undefined, void> {
  if (edited.nodes.length === 0) return;
  const was = zonesOf(before);
  yield undefined;
  const is = zonesOf(after);
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

function zonesOf({ nodes, taintSets }: ClusterState): ReadonlyMap<string, Zone> {
  const zones = new Map<string, Zone>();
  const closes = new Map<number, boolean>();
  const columns = ZONE_KEYS.map((key) => nodes.labelColumn(key));
  for (let node = 0; node < nodes.count; node++) {
    let name = NO_ZONE;
    for (const column of columns) {
      const id = column?.valueIds[node] ?? -1;
      if (id >= 0) name = column!.values[id]!;
      if (name !== NO_ZONE) break;
    }
    let zone = zones.get(name);
    if (zone === undefined) zones.set(name, (zone = { nodes: 0, open: 0 }));
    zone.nodes++;
    const set = nodes.taintSetId(node);
    let closed = closes.get(set);
    if (closed === undefined) closes.set(set, (closed = taintSets[set]!.some(decides)));
    if (!closed && nodes.unschedulable[node] === 0) zone.open++;
  }
  return zones;
}
