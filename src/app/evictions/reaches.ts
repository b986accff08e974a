import { type NodeReach, storedReach } from '../../core/eviction/departure.js';
import type { Outage } from '../../core/node-lifecycle/outage.js';
import type { ReadQuestion } from './read-question.js';
import type { NodeChange } from './schedule-inputs.js';

/** Whether kubelets respond, and when taints are removed, according to the request. */
export class Reaches {
  private readonly changesOf = new Map<number, NodeChange[]>();
  private readonly outagesOf = new Map<number, Outage[]>();

  constructor(
    private readonly question: Pick<ReadQuestion, 'state' | 'outages'>,
    changes: readonly NodeChange[],
  ) {
    for (const change of changes) addTo(this.changesOf, change.node, change);
    for (const outage of question.outages) for (const node of outage.nodes) addTo(this.outagesOf, node, outage);
  }

  at(node: number, at: number): NodeReach {
    const stored = storedReach(this.question.state.nodes.node(node));
    const changed = this.changesOf.get(node)?.findLast((change) => change.at <= at);
    const outOfService =
      changed === undefined
        ? stored.outOfService
        : storedReach({ ...NO_NODE, spec: { taints: changed.taints } }).outOfService;
    const begun = this.outagesOf.get(node)?.filter(({ fromAt }) => fromAt <= at) ?? [];
    // From its first outage on, a node follows the request, whatever its stored state.
    if (begun.length === 0) return { ...stored, outOfService };
    const againAt = this.answersFrom(node, at);
    if (againAt <= at) return { reachable: true, reachableAgainAt: null, outOfService };
    return { reachable: false, reachableAgainAt: againAt === Infinity ? null : againAt, outOfService };
  }

  /** The latest time at which the taints of an outage are removed; undefined if they are not. */
  taintsGoAt(node: number, after: number): number | undefined {
    if (this.question.outages.length === 0) return undefined;
    return this.changesOf
      .get(node)
      ?.find(({ moment, taints }) => moment.latest > after && !taints.some(({ effect }) => effect === 'NoExecute'))
      ?.moment.latest;
  }

  /** The first time, not before the given one, at which no outage affects the node. Outages may overlap. */
  private answersFrom(node: number, at: number): number {
    let from = at;
    for (;;) {
      const silent = this.outagesOf
        .get(node)
        ?.find(({ how, fromAt, untilAt = Infinity }) => how === 'silent' && fromAt <= from && from < untilAt);
      if (silent === undefined) return from;
      from = silent.untilAt ?? Infinity;
    }
  }
}

function addTo<Item>(lists: Map<number, Item[]>, node: number, item: Item): void {
  const ofNode = lists.get(node);
  if (ofNode === undefined) lists.set(node, [item]);
  else ofNode.push(item);
}

const NO_NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: '' } } as const;
