import { type NodeReach, storedReach } from '../../core/eviction-schedule/departure.js';
import type { ReadQuestion } from './read-question.js';
import type { NodeChange } from './schedule-inputs.js';

/** Whether kubelets answer, and when taints go again, by what the question says. */
export class Reaches {
  private readonly changesOf = new Map<number, NodeChange[]>();

  constructor(
    private readonly question: ReadQuestion,
    changes: readonly NodeChange[],
  ) {
    for (const change of changes) {
      const ofNode = this.changesOf.get(change.node);
      if (ofNode === undefined) this.changesOf.set(change.node, [change]);
      else ofNode.push(change);
    }
  }

  at(node: number, at: number): NodeReach {
    const { state, outages } = this.question;
    const stored = storedReach(state.nodes.node(node));
    const silent = outages.find(
      (outage) =>
        outage.how === 'silent' &&
        outage.fromAt <= at &&
        (outage.untilAt ?? Infinity) > at &&
        outage.nodes.includes(node),
    );
    const changed = this.changesOf.get(node)?.findLast((change) => change.at <= at);
    const outOfService =
      changed === undefined
        ? stored.outOfService
        : storedReach({ ...NO_NODE, spec: { taints: changed.taints } }).outOfService;
    if (silent === undefined) return { ...stored, outOfService };
    return { reachable: false, reachableAgainAt: silent.untilAt ?? null, outOfService };
  }

  taintsGoAt(node: number, after: number): number | undefined {
    return this.changesOf
      .get(node)
      ?.find(({ at, taints }) => at > after && !taints.some(({ effect }) => effect === 'NoExecute'))?.at;
  }
}

const NO_NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: '' } } as const;
