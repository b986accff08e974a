import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { RunDecision } from '../../core/scheduling/run/scheduling-run.js';
import { GPU_RESOURCE, MODEL_LABEL } from './openb-trace.js';

/** The results of a trace by GPU model, and why pods were not placed. */
export function traceTable(state: ClusterState, decisions: readonly RunDecision[]): readonly string[] {
  return [...poolTable(state, decisions), '', ...reasonTable(decisions)];
}

interface Pool {
  nodes: number;
  pods: number;
  readonly used: Map<string, number>;
  readonly room: Map<string, number>;
}

const RESOURCES = ['cpu', 'memory', GPU_RESOURCE];

function poolTable({ nodes }: ClusterState, decisions: readonly RunDecision[]): readonly string[] {
  const pools = new Map<string, Pool>();
  const all = emptyPool();
  const poolOf = (node: number): Pool => {
    const model = nodes.labels(node)[MODEL_LABEL] ?? 'no GPU';
    const pool = pools.get(model) ?? emptyPool();
    pools.set(model, pool);
    return pool;
  };
  for (let node = 0; node < nodes.count; node++) {
    for (const pool of [poolOf(node), all]) {
      pool.nodes++;
      for (const resource of RESOURCES) {
        add(pool.used, resource, Number(nodes.requested.at(resource, node)));
        add(pool.room, resource, Number(nodes.allocatable.at(resource, node)));
      }
    }
  }
  for (const decision of decisions) {
    if (decision.outcome !== 'placed') continue;
    poolOf(decision.node).pods++;
    all.pods++;
  }
  const rows = [...pools].sort(([a], [b]) => (a < b ? -1 : 1));
  return columns([
    ['nodes with', 'nodes', 'pods placed', 'cpu', 'memory', 'gpu'],
    ...[...rows, ['all', all] as const].map(([name, pool]) => [
      name,
      String(pool.nodes),
      String(pool.pods),
      ...RESOURCES.map((resource) => share(pool, resource)),
    ]),
  ]);
}

/** Each reason with the number of pods that it excluded from the most nodes. */
function reasonTable(decisions: readonly RunDecision[]): readonly string[] {
  const pods = new Map<string, number>();
  let unplaced = 0;
  for (const decision of decisions) {
    if (decision.outcome !== 'unplaced') continue;
    unplaced++;
    const [most] = decision.placement().rollUp();
    add(pods, most?.message ?? 'there are no nodes', 1);
  }
  if (unplaced === 0) return ['every pod found a node'];
  const rows = [...pods].sort((a, b) => b[1] - a[1]).map(([reason, count]) => [reason, String(count)]);
  return columns([['reason that excluded the most nodes', 'pods'], ...rows]);
}

const emptyPool = (): Pool => ({ nodes: 0, pods: 0, used: new Map(), room: new Map() });

function add(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}

function share({ used, room }: Pool, resource: string): string {
  const most = room.get(resource) ?? 0;
  return most === 0 ? '-' : `${((100 * (used.get(resource) ?? 0)) / most).toFixed(1)} %`;
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
  );
}
