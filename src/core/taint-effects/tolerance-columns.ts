import type { NodeSituation } from '../cluster/node-situations.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { toleratesCordon } from '../placement/plugins/node-unschedulable/node-unschedulable.js';
import { untoleratedTaints } from '../placement/plugins/taint-toleration/taint-toleration.js';

/** Maximum number of cached cells. */
const MAX_CELLS = 16 * 1024 * 1024;
/** Number of situations that are evaluated together. */
const STRIDE = 256;
/** Cells between two steps of the generator. */
const MAX_AT_ONCE = 256;

/**
 * Which of several lists of tolerations let their pods onto a node in a situation: a column for each situation, with 1
 * if they do, by the rules of the filters NodeUnschedulable and TaintToleration. Columns are cached up to a limit, so a
 * change of one node evaluates only its new situation.
 */
export class ToleranceColumns {
  /** By the key of the situation, for each value of the gate. */
  private readonly known = { on: new Map<string, Uint8Array>(), off: new Map<string, Uint8Array>() };

  constructor(readonly lists: readonly (readonly Toleration[])[]) {}

  /** A column for each situation, in their order. */
  *step(situations: readonly NodeSituation[], gates: TolerationGates): Generator<undefined, readonly Uint8Array[]> {
    const { on, off } = this.known;
    const known = gates.comparisonOperators ? on : off;
    const found: Uint8Array[] = [];
    const missing: NodeSituation[] = [];
    const places: number[] = [];
    for (const [place, situation] of situations.entries()) {
      const column = known.get(situation.key);
      if (column !== undefined) found[place] = column;
      else {
        missing.push(situation);
        places.push(place);
      }
    }
    // The most recent columns are kept, because the next change starts from them.
    if ((on.size + off.size + missing.length) * this.lists.length > MAX_CELLS) {
      on.clear();
      off.clear();
    }
    const remember = missing.length * this.lists.length <= MAX_CELLS;
    for (let start = 0; start < missing.length; start += STRIDE) {
      const some = missing.slice(start, start + STRIDE);
      const columns = yield* this.stepSome(some, gates);
      for (const [index, situation] of some.entries()) {
        found[places[start + index]!] = columns[index]!;
        if (remember) known.set(situation.key, columns[index]!);
      }
    }
    return found;
  }

  private *stepSome(
    situations: readonly NodeSituation[],
    gates: TolerationGates,
  ): Generator<undefined, readonly Uint8Array[]> {
    const columns = situations.map(() => new Uint8Array(this.lists.length));
    let cells = 0;
    for (const [list, tolerations] of this.lists.entries()) {
      const despiteCordon = toleratesCordon(tolerations, gates);
      for (const [id, { taints, unschedulable }] of situations.entries()) {
        const letsIn = (despiteCordon || !unschedulable) && untoleratedTaints(taints, tolerations, gates).length === 0;
        columns[id]![list] = letsIn ? 1 : 0;
      }
      cells += columns.length;
      if (cells > MAX_AT_ONCE) {
        yield undefined;
        cells = 0;
      }
    }
    return columns;
  }
}

/** A pod of which only this is known. */
export function podOf(spec: Partial<PodSpec>): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: '' }, spec: { containers: [], ...spec } };
}
