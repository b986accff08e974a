import type { ClusterState } from '../cluster/cluster-state.js';
import { daemonPodTolerations, nodeShouldRunDaemonPod } from '../kubernetes/daemon-pod.js';
import type { DaemonSet } from '../kubernetes/objects/workloads.js';
import { formatTaint } from '../kubernetes/taint.js';
import { findUntolerated, type TolerationGates } from '../kubernetes/toleration.js';
import type { EditedNodes } from './edited-nodes.js';
import { together, type JudgedShape, type SomeNodes, type Transition } from './feasibility.js';
import { counted, enumerated, type Warnings } from './warnings.js';

export interface DaemonSetQuestion {
  readonly before: ClusterState;
  readonly after: ClusterState;
  readonly edited: EditedNodes;
  readonly gates: TolerationGates;
}

/** Warns of a DaemonSet whose pods belonged on edited nodes and, by its controller's own rule, no longer do. */
export function daemonSetWarnings(
  { shape: { daemonSet }, transitions }: JudgedShape,
  { before, after, edited, gates }: DaemonSetQuestion,
  warnings: Warnings,
): void {
  if (daemonSet === undefined) return;
  const leave: Transition[] = [];
  const stay: Transition[] = [];
  for (const transition of transitions) {
    // Nodes of one transition are the same to the rule, which reads labels through what the DaemonSet demands of them.
    const { was, is } = edited.nodes[transition.first[0]!]!;
    const decidedBefore = nodeShouldRunDaemonPod(daemonSet, before.nodes.node(was), gates);
    const decidedAfter = nodeShouldRunDaemonPod(daemonSet, after.nodes.node(is), gates);
    if (decidedBefore.shouldContinueRunning && !decidedAfter.shouldContinueRunning) leave.push(transition);
    else if (decidedBefore.shouldRun && !decidedAfter.shouldRun) stay.push(transition);
  }
  const nodesOf = ({ first }: SomeNodes): string[] => first.map((index) => edited.nodes[index]!.name);
  for (const [group, what] of [
    [leave, 'its pods there are deleted, and none is made again'],
    [stay, 'its pods there stay, but none is made again once one is gone'],
  ] as const) {
    const [example] = group;
    if (example === undefined) continue;
    warnings.add('daemonset-stops', () => {
      const some = together(group);
      const names = nodesOf(some);
      const node = edited.nodes[example.first[0]!]!;
      const effects = group === leave ? ['NoExecute'] : ['NoExecute', 'NoSchedule'];
      const taint = example.selectedAfter ? untoleratedBy(daemonSet, node.taints.after, effects, gates) : undefined;
      const { namespace = '', name } = daemonSet.metadata;
      const why = taint === undefined ? 'no longer selects' : `does not tolerate ${taint} on`;
      return {
        message: `DaemonSet ${namespace}/${name} ${why} ${counted(some.count, 'node')} (${enumerated(names, some.count)}): ${what}.`,
        nodes: { total: some.count, items: names },
        workload: { kind: 'DaemonSet', namespace, name },
        ...(taint !== undefined && { taints: [taint] }),
      };
    });
  }
}

function untoleratedBy(
  daemonSet: DaemonSet,
  taints: Parameters<typeof findUntolerated>[1],
  effects: readonly string[],
  gates: TolerationGates,
): string | undefined {
  const tolerations = daemonPodTolerations(daemonSet.spec?.template?.spec ?? { containers: [] });
  const taint = findUntolerated(tolerations, taints, effects, gates);
  return taint && formatTaint(taint);
}
