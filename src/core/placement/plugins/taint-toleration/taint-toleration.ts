import type { ClusterState } from '../../../cluster/cluster-state.js';
import { indexOfTolerating, type TolerationGates } from '../../../kubernetes/toleration.js';
import type { KubernetesRules } from '../../../kubernetes/kubernetes-rules.js';
import type { Taint, Toleration } from '../../../kubernetes/objects/taints.js';
import { SUCCESS, UNRESOLVABLE, type FilterPlugin, type Prepared, type StatusCode } from '../../plugin.js';
import { nodeField, type CommonReason } from '../../reason.js';

export const NAME = 'TaintToleration';

const MESSAGE = 'node(s) had untolerated taint(s)';

/** What Kubernetes says of a node with these untolerated taints: older versions name the first one. */
function messageOf([first]: readonly Taint[], { messageNamesTaint }: KubernetesRules): string {
  return !messageNamesTaint || first === undefined
    ? MESSAGE
    : `node(s) had untolerated taint {${first.key}: ${first.value ?? ''}}`;
}

/** Whether a taint keeps pods off: PreferNoSchedule only makes the node less attractive. */
export function decides(taint: Taint): boolean {
  return taint.effect === 'NoSchedule' || taint.effect === 'NoExecute';
}

/** The taints of a list that keep a pod with these tolerations off, in the list's order. */
export function untoleratedTaints(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  gates: TolerationGates,
): readonly Taint[] {
  return taints.filter((taint) => decides(taint) && indexOfTolerating(tolerations, taint, gates) < 0);
}

/**
 * A node with a NoSchedule or NoExecute taint takes only pods that tolerate it. Upstream stops at the first such taint and
 * does not name it since 1.34; here all are found and named.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go, `Filter`.
 */
export const taintToleration: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod, gates }) => {
    const tolerations = pod.spec.tolerations ?? [];
    let ofState = kept.get(state);
    if (ofState === undefined) kept.set(state, (ofState = new Map<string, Prepared>()));
    const key = keyOf(tolerations, gates);
    let prepared = ofState.get(key);
    if (prepared === undefined) {
      if (ofState.size * state.taintSets.length >= MAX_KEPT) ofState.clear();
      const keepsColumn = (ofState.size + 1) * state.nodes.count <= MAX_KEPT_STATUSES;
      ofState.set(key, (prepared = prepare(state, tolerations, gates, keepsColumn)));
    }
    return prepared;
  },
};

/** By what of the tolerations is read, so that pods that tolerate the same share one. */
const kept = new WeakMap<ClusterState, Map<string, Prepared>>();

/** The greatest number of those of a state, times its taint sets. */
const MAX_KEPT = 2 ** 16;
/** The greatest number of bytes of a state's columns of statuses. */
const MAX_KEPT_STATUSES = 2 ** 20;

function keyOf(tolerations: readonly Toleration[], { comparisonOperators }: TolerationGates): string {
  const read = tolerations.flatMap(({ key, operator, value, effect }) => [key, operator, value, effect]);
  return JSON.stringify([comparisonOperators, ...read]);
}

function prepare(
  state: ClusterState,
  tolerations: readonly Toleration[],
  gates: TolerationGates,
  keepsColumn: boolean,
): Prepared {
  const { nodes, taintSets } = state;
  const ids = nodes.taintSetIds;
  // By taint set, as they are asked for: of a pod that is tried on one node, one is.
  const found: (readonly Taint[] | undefined)[] = [];
  const untolerated = (id: number): readonly Taint[] => {
    const known = found[id];
    if (known !== undefined) return known;
    const taints = untoleratedTaints(taintSets[id]!, tolerations, gates);
    return (found[id] = taints.length === 0 ? NONE : taints);
  };
  const verdict = (id: number): StatusCode => (untolerated(id).length === 0 ? SUCCESS : UNRESOLVABLE);
  let verdicts: Uint8Array | undefined;
  let column: Uint8Array | undefined;
  let refuses = false;
  return {
    outcome: 'Filter',
    filter: {
      byTaints: true,
      status: (node) => verdict(ids[node]!),
      fill: (statuses) => {
        if (column !== undefined) {
          statuses.set(column);
          return refuses;
        }
        verdicts ??= Uint8Array.from(taintSets, (_, id) => verdict(id));
        const count = statuses.length;
        let any = 0;
        for (let node = 0; node < count; node++) any |= statuses[node] = verdicts[ids[node]!]!;
        refuses = any !== SUCCESS;
        if (keepsColumn) column = statuses.slice();
        return refuses;
      },
      commonReasonKey: (node) => ids[node]!,
      commonReasons: (key) => {
        const message = messageOf(untolerated(key), state.rules);
        return untolerated(key).map((taint): CommonReason => ({ code: 'UntoleratedTaint', message, taint }));
      },
      explanationKey: (node) => ids[node]!,
      explain: (node) => {
        const onNode = taintSets[ids[node]!]!;
        const taints = untolerated(ids[node]!);
        const message = messageOf(taints, state.rules);
        return taints.map((taint) => ({
          plugin: NAME,
          code: 'UntoleratedTaint' as const,
          status: 'UnschedulableAndUnresolvable' as const,
          message,
          facts: { taint },
          fields: [nodeField('spec', 'taints', onNode.indexOf(taint))],
        }));
      },
    },
  };
}

const NONE: readonly Taint[] = [];
