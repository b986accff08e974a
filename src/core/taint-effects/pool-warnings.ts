import { counted } from '../collections/counted.js';
import type { NodeSituations } from '../cluster/node-situations.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint, matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';
import { decides } from '../placement/plugins/taint-toleration/taint-toleration.js';
import type { EditedNodes } from './edited-nodes.js';
import { MAX_NAMES } from './feasibility.js';
import { enumerated, type Warnings } from './warnings.js';
import type { WorkloadShapes } from './workload-shapes.js';

/** Nodes between two steps of the generator. */
const STRIDE = 512;

/** Edited nodes with the same new taints that keep pods off, and the same other taints. */
interface Pool {
  readonly fresh: readonly Taint[];
  /** The situations of their taints before and after, without the cordon. */
  readonly before: number;
  readonly after: number;
  count: number;
  readonly first: string[];
  openBefore: boolean;
  openAfter: boolean;
  openForDaemonSets: boolean;
}

/**
 * Pools that no workload tolerates: edited nodes with new NoSchedule or NoExecute taints, where a workload tolerated
 * the taints before and none does now. DaemonSets and static pods do not count, because they tolerate the taints of
 * their nodes; nor does the cordon, which applies to all pods.
 */
export class PoolWarnings {
  private readonly pools = new Map<string, Pool>();

  /** The pools of edited nodes; must be called before `open`. */
  *stepPools(edited: EditedNodes, situations: NodeSituations): Generator<undefined, void> {
    for (const [index, { name, taints }] of edited.nodes.entries()) {
      if (index % STRIDE === STRIDE - 1) yield undefined;
      const fresh = taints.fresh.filter((taint) => decides(taint) && !matchesTaint(taint, UNSCHEDULABLE_TAINT));
      if (fresh.length === 0) continue;
      const before = situations.idOf(withoutCordon(taints.before), false);
      const after = situations.idOf(withoutCordon(taints.after), false);
      const key = `${before} ${after}`;
      let pool = this.pools.get(key);
      if (pool === undefined) {
        const open = { openBefore: false, openAfter: false, openForDaemonSets: false };
        this.pools.set(key, (pool = { fresh, before, after, count: 0, first: [], ...open }));
      }
      pool.count++;
      if (pool.first.length < MAX_NAMES) pool.first.push(name);
    }
  }

  /**
   * Which pools the tolerances of workloads open.
   * @param columns a column for each situation: see `ToleranceColumns`
   */
  open(columns: readonly Uint8Array[], { ofDaemonSets, ofOthers }: WorkloadShapes['tolerancesOf']): void {
    for (const pool of this.pools.values()) {
      const [before, after] = [columns[pool.before]!, columns[pool.after]!];
      pool.openBefore = ofOthers.some((tolerance) => before[tolerance] === 1);
      pool.openAfter = ofOthers.some((tolerance) => after[tolerance] === 1);
      pool.openForDaemonSets = ofDaemonSets.some((tolerance) => after[tolerance] === 1);
    }
  }

  /** Must be called after `open`. */
  report(warnings: Warnings): void {
    const byTaints = new Map<string, Pool>();
    for (const pool of this.pools.values()) {
      if (!pool.openBefore || pool.openAfter) continue;
      const key = JSON.stringify(pool.fresh.map(({ key: name, value = '', effect }) => [name, value, effect]));
      const same = byTaints.get(key);
      if (same === undefined) {
        byTaints.set(key, { ...pool, first: [...pool.first] });
        continue;
      }
      same.count += pool.count;
      same.first.push(...pool.first.slice(0, MAX_NAMES - same.first.length));
      same.openForDaemonSets ||= pool.openForDaemonSets;
    }
    for (const { fresh, count, first, openForDaemonSets } of byTaints.values()) {
      const texts = fresh.map(formatTaint);
      const who = openForDaemonSets ? 'No workload except DaemonSets' : 'No workload in the cluster';
      const what = texts.length === 1 ? texts[0]! : `all of ${enumerated(texts)}`;
      warnings.add('pool-nobody-tolerates', () => ({
        message:
          `${who} tolerates ${what} in addition to the other taints of ${enumerated(first, count)}: no new pod is scheduled on ` +
          `${counted(count, 'node')} until a workload gets the toleration.`,
        nodes: { total: count, items: first },
        taints: texts,
      }));
    }
  }
}

const withoutCordon = (taints: readonly Taint[]): readonly Taint[] =>
  taints.filter((taint) => !matchesTaint(taint, UNSCHEDULABLE_TAINT));
