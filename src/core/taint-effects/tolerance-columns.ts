import { ClusterState } from '../cluster/cluster-state.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { SUCCESS, type FilterPlugin, type PlacementInput } from '../placement/plugin.js';
import { nodeUnschedulable } from '../placement/plugins/node-unschedulable/node-unschedulable.js';
import { taintToleration } from '../placement/plugins/taint-toleration/taint-toleration.js';
import type { NodeSituation } from './node-situations.js';

/** The filters that taints and the cordon decide. */
const FILTERS: readonly FilterPlugin[] = [nodeUnschedulable, taintToleration];

/** Cells that are remembered. */
const MOST_CELLS = 16 * 1024 * 1024;
/** Lists of tolerations, or situations, between two turns of the generator. */
const STRIDE = 64;

/**
 * Which of several lists of tolerations let their pods into a node in a situation: a column for each situation, with 1 where
 * they do. The scheduler's own filters are asked, on a state of one node a situation. Columns are remembered as long as there
 * is room, so that a change of one node asks for its new situation only.
 */
export class ToleranceColumns {
  private readonly known = new Map<string, Uint8Array>();

  constructor(readonly lists: readonly (readonly Toleration[])[]) {}

  /** A column for each situation, in their order. */
  *step(situations: readonly NodeSituation[], gates: TolerationGates): Generator<undefined, readonly Uint8Array[]> {
    const keyOf = ({ key }: NodeSituation): string => `${gates.comparisonOperators} ${key}`;
    const columns = situations.map(
      (situation) => this.known.get(keyOf(situation)) ?? new Uint8Array(this.lists.length),
    );
    const missing = situations.flatMap((situation, id) =>
      this.known.has(keyOf(situation)) ? [] : [{ situation, id }],
    );
    if (missing.length === 0) return columns;
    const state = ClusterState.build(
      missing.map(({ situation: { taints, unschedulable }, id }) => ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: String(id) },
        spec: { taints, unschedulable },
      })),
      ['Node'],
    );
    const asked = missing.map(({ id }) => ({ column: columns[id]!, node: state.nodes.indexOf(String(id)) }));
    let cells = 0;
    for (const [list, tolerations] of this.lists.entries()) {
      const input: PlacementInput = { state, pod: podOf({ tolerations }), gates, rules: undefined, nominated: [] };
      const filters = FILTERS.flatMap(({ preFilter }) => {
        const prepared = preFilter(input);
        return prepared.outcome === 'Filter' ? [prepared.filter] : [];
      });
      for (const { column, node } of asked) {
        column[list] = filters.every(({ status }) => status(node) === SUCCESS) ? 1 : 0;
      }
      cells += missing.length;
      if (cells > STRIDE) {
        yield undefined;
        cells = 0;
      }
    }
    // Those that were asked for last are the ones that the next change starts from.
    if ((this.known.size + missing.length) * this.lists.length > MOST_CELLS) this.known.clear();
    if (missing.length * this.lists.length <= MOST_CELLS) {
      for (const { situation, id } of missing) this.known.set(keyOf(situation), columns[id]!);
    }
    return columns;
  }
}

/** A pod of which nothing is told but this. */
export function podOf(spec: Partial<PodSpec>): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: '' }, spec: { containers: [], ...spec } };
}
