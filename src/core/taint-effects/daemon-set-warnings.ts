import { counted } from '../collections/counted.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { daemonPodTolerations, nodeShouldRunDaemonPod } from '../kubernetes/daemon-pod.js';
import type { DaemonSet } from '../kubernetes/objects/workloads.js';
import { formatTaint } from '../kubernetes/taint.js';
import { findUntolerated, type TolerationGates } from '../kubernetes/toleration.js';
import type { EditedNodes } from './edited-nodes.js';
import { together, type NamedShape, type Transition } from './feasibility.js';
import { enumerated, type Warnings } from './warnings.js';

export interface DaemonSetQuestion {
  readonly before: ClusterState;
  readonly after: ClusterState;
  readonly edited: EditedNodes;
  readonly gates: TolerationGates;
}

/** What happens to a DaemonSet's pods on edited nodes, by transition. */
interface Departure {
  /** The pods are deleted. */
  readonly leave: readonly Transition[];
  /** The pods stay, but are not replaced. */
  readonly stay: readonly Transition[];
}

/** Warns of DaemonSets that ran pods on edited nodes and, by the DaemonSet controller's rules, no longer do. */
export class DaemonSetWarnings {
  /** By tolerations and node requirements, which decide the result. */
  private readonly known = new Map<string, Departure>();

  constructor(
    private readonly question: DaemonSetQuestion,
    private readonly warnings: Warnings,
  ) {}

  visit({ shape: { daemonSet, tolerance, demand }, transitions }: NamedShape): void {
    if (daemonSet === undefined) return;
    const key = `${tolerance} ${demand}`;
    let departure = this.known.get(key);
    if (departure === undefined) this.known.set(key, (departure = this.departureOf(daemonSet, transitions)));
    const { leave, stay } = departure;
    this.warn(daemonSet, leave, ['NoExecute'], 'its pods there are deleted and not replaced');
    this.warn(
      daemonSet,
      stay,
      ['NoExecute', 'NoSchedule'],
      'its pods there stay, but are not replaced once they are gone',
    );
  }

  private departureOf(daemonSet: DaemonSet, transitions: readonly Transition[]): Departure {
    const { before, after, edited, gates } = this.question;
    const leave: Transition[] = [];
    const stay: Transition[] = [];
    for (const transition of transitions) {
      // All nodes of a transition have the same result: labels matter only through the DaemonSet's requirements.
      const { was, is } = edited.nodes[transition.first[0]!]!;
      const decidedBefore = nodeShouldRunDaemonPod(daemonSet, before.nodes.node(was), gates);
      const decidedAfter = nodeShouldRunDaemonPod(daemonSet, after.nodes.node(is), gates);
      if (decidedBefore.shouldContinueRunning && !decidedAfter.shouldContinueRunning) leave.push(transition);
      else if (decidedBefore.shouldRun && !decidedAfter.shouldRun) stay.push(transition);
    }
    return { leave, stay };
  }

  private warn(
    daemonSet: DaemonSet,
    transitions: readonly Transition[],
    effects: readonly string[],
    consequence: string,
  ): void {
    const [example] = transitions;
    if (example === undefined) return;
    const { edited, gates } = this.question;
    this.warnings.add('daemonset-stops', () => {
      const { count, first } = together(transitions);
      const items = first.map((index) => edited.nodes[index]!.name);
      const { after } = edited.nodes[example.first[0]!]!.taints;
      const taint = example.selectedAfter ? untoleratedBy(daemonSet, after, effects, gates) : undefined;
      const { namespace = '', name } = daemonSet.metadata;
      const why = taint === undefined ? 'no longer selects' : `does not tolerate ${taint} on`;
      const where = `${counted(count, 'node')} (${enumerated(items, count)})`;
      return {
        message: `DaemonSet ${namespace}/${name} ${why} ${where}: ${consequence}.`,
        nodes: { total: count, items },
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
