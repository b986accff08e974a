import type { ClusterState } from '../../../cluster/cluster-state.js';
import { UNSCHEDULABLE_TAINT } from '../../../kubernetes/taint.js';
import type { Toleration } from '../../../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../../../kubernetes/toleration.js';
import { SUCCESS, UNRESOLVABLE, type FilterPlugin, type Prepared } from '../../plugin.js';
import { nodeField } from '../../reason.js';

export const NAME = 'NodeUnschedulable';

const MESSAGE = 'node(s) were unschedulable';

/** Whether a pod with these tolerations may go to a cordoned node. */
export function toleratesCordon(tolerations: readonly Toleration[], gates: TolerationGates): boolean {
  return indexOfTolerating(tolerations, UNSCHEDULABLE_TAINT, gates) >= 0;
}

/**
 * A cordoned node (`spec.unschedulable`) takes only pods that tolerate the unschedulable taint.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go.
 */
export const nodeUnschedulable: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod, gates }) => {
    const tolerated = toleratesCordon(pod.spec.tolerations ?? [], gates);
    let ofState = kept.get(state);
    if (ofState === undefined) kept.set(state, (ofState = {}));
    return (ofState[tolerated ? 'tolerated' : 'untolerated'] ??= prepare(state, tolerated));
  },
};

type Kept = Partial<Record<'tolerated' | 'untolerated', Prepared>>;

/** The same for all pods of a state that tolerate the taint, and for all that do not. */
const kept = new WeakMap<ClusterState, Kept>();

function prepare({ nodes }: ClusterState, tolerated: boolean): Prepared {
  const { unschedulable } = nodes;
  let column: Uint8Array | undefined;
  let any: boolean | undefined;
  return {
    outcome: 'Filter',
    filter: {
      byTaints: true,
      status: (node) => (unschedulable[node] === 1 && !tolerated ? UNRESOLVABLE : SUCCESS),
      fill: (statuses) => {
        if (tolerated) return false;
        column ??= unschedulable.map((cordoned) => cordoned * UNRESOLVABLE);
        statuses.set(column);
        return (any ??= column.includes(UNRESOLVABLE));
      },
      commonReasonKey: () => 0,
      commonReasons: () => [{ code: 'NodeUnschedulable', message: MESSAGE }],
      explanationKey: () => 0,
      explain: (node) =>
        unschedulable[node] === 1 && !tolerated
          ? [
              {
                plugin: NAME,
                code: 'NodeUnschedulable',
                status: 'UnschedulableAndUnresolvable',
                message: MESSAGE,
                facts: { taint: UNSCHEDULABLE_TAINT, implied: true },
                fields: [nodeField('spec', 'unschedulable')],
              },
            ]
          : [],
    },
  };
}
