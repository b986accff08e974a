import { formatTaint } from '../../kubernetes/taint.js';
import type { Workload } from '../../cluster/pod-table.js';
import { findUntolerated } from '../../kubernetes/toleration.js';
import type { ClusterRule } from '../cluster-rule.js';
import { HARD_EFFECTS } from '../cluster-taints.js';
import { OccurrenceCounter } from '../occurrence-counter.js';

/** Pods examined between two yields. */
const STRIDE = 4096;

interface Group {
  readonly workload: Workload;
  readonly taint: string;
  readonly evicts: boolean;
  readonly counter: OccurrenceCounter;
}

/**
 * Pods on nodes with a NoSchedule or NoExecute taint that they do not tolerate, by workload and taint. With NoSchedule
 * they were placed before the taint and stay. With NoExecute they are about to be evicted, or they are static pods,
 * which their kubelet runs regardless of the API.
 */
export const podOnIntolerableNode: ClusterRule = function* ({ state }, gates) {
  const { nodes, pods, taintSets, tolerationSets } = state;
  /** The most severe untolerated taint of a (toleration set, taint set) pair: NoExecute before NoSchedule. */
  const judged = new Map<number, { readonly taint: string; readonly evicts: boolean } | undefined>();
  const judge = (tolerations: number, taints: number) => {
    const pair = tolerations * taintSets.length + taints;
    if (!judged.has(pair)) {
      const taint =
        findUntolerated(tolerationSets[tolerations]!, taintSets[taints]!, ['NoExecute'], gates) ??
        findUntolerated(tolerationSets[tolerations]!, taintSets[taints]!, HARD_EFFECTS, gates);
      judged.set(pair, taint && { taint: formatTaint(taint), evicts: taint.effect === 'NoExecute' });
    }
    return judged.get(pair);
  };

  const groups = new Map<string, Group>();
  for (let index = 0; index < pods.count; index++) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    const node = pods.nodeIndex(index);
    if (node === -1 || !pods.active(index)) continue;
    const misfit = judge(pods.tolerationSetId(index), nodes.taintSetIds[node]!);
    if (misfit === undefined) continue;
    const workload = pods.workload(index);
    const key = JSON.stringify([workload.kind, workload.namespace, workload.name, misfit.taint]);
    const group = groups.get(key) ?? { workload, ...misfit, counter: new OccurrenceCounter('Pod') };
    groups.set(key, group);
    group.counter.add(`${pods.key(index)} on ${pods.nodeName(index)}`);
  }
  return [...groups.values()].map(({ workload, taint, evicts, counter }) => ({
    code: 'pod-on-intolerable-node',
    severity: evicts ? 'warning' : 'info',
    subject: workload,
    field: 'spec.tolerations',
    pointer: '/spec/tolerations',
    message: evicts
      ? `Pods run on nodes with the taint ${taint}, which they do not tolerate: they are being evicted, or are static pods, which their kubelet runs regardless.`
      : `Pods run on nodes with the taint ${taint}, which they do not tolerate: they were placed before the taint was set, or without the scheduler. They stay, but a replacement would not be placed on these nodes.`,
    suggestions: evicts
      ? []
      : [
          {
            text: 'If they belong on these nodes, add the toleration. If not, delete them one by one so that they move.',
          },
        ],
    occurrences: counter.result,
  }));
};
