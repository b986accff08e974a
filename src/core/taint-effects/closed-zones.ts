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
  if (edited.nodes.length === 0) return;
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

function zonesOf({ nodes, taintSets }: ClusterState): ReadonlyMap<string, Zone> {
  const [zone, formerZone] = ZONE_KEYS.map((key) => nodes.labelColumn(key));
  // A cell for each value of each label, and one for nodes with neither. An empty value is none.
  const names = [...(zone?.values ?? []), ...(formerZone?.values ?? []), NO_ZONE];
  const offset = zone?.values.length ?? 0;
  const none = names.length - 1;
  const cells = names.length;
  const [all, open] = [new Int32Array(cells), new Int32Array(cells)];
  const met: number[] = [];
  const closes = new Map<number, boolean>();
  const isClosed = (set: number): boolean => {
    let closed = closes.get(set);
    if (closed === undefined) closes.set(set, (closed = taintSets[set]!.some(decides)));
    return closed;
  };
  let [lastSet, lastIsClosed] = [-1, false];
  const { taintSetIds, unschedulable } = nodes;
  for (let node = 0; node < nodes.count; node++) {
    let cell = zone?.valueIds[node] ?? -1;
    if (cell < 0 || names[cell] === NO_ZONE) {
      const former = formerZone?.valueIds[node] ?? -1;
      cell = former < 0 ? none : offset + former;
    }
    if (all[cell]! === 0) met.push(cell);
    all[cell]! += 1;
    const set = taintSetIds[node]!;
    if (set !== lastSet) [lastSet, lastIsClosed] = [set, isClosed(set)];
    if (!lastIsClosed && unschedulable[node] === 0) open[cell]! += 1;
  }
  const zones = new Map<string, Zone>();
  for (const cell of met) {
    const name = names[cell]!;
    const former = zones.get(name);
    zones.set(name, { nodes: all[cell]! + (former?.nodes ?? 0), open: open[cell]! + (former?.open ?? 0) });
  }
  return zones;
}
