import type { ClusterState } from '../cluster/cluster-state.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { matchesToleration, toleratesTaint, type TolerationGates } from '../kubernetes/toleration.js';
import { tolerationOf } from './admit-to-pools.js';
import { exemptionOf } from './exemption.js';
import type { Pool } from './pool.js';
import { accountOf, mayUse, type PoolPod } from './pool-user.js';

/** Why a pool refuses a pod. */
export interface PoolRefusal {
  readonly pool: Pool;
  /**
   * `toleration`: the pod has its own tolerations for the pool; `node`: it names a node of the pool in `spec.nodeName`,
   * bypassing the scheduler.
   */
  readonly because: 'toleration' | 'node';
  readonly message: string;
  /** The field that causes the refusal. */
  readonly field: string;
}

/**
 * The pools that a pod may not use but could reach: those of which it tolerates every taint that keeps pods off, by key
 * or with a toleration without a key, and those with the node that it names. Tolerations that it has because of a pool
 * that it may use do not count, even if another pool has the same taint.
 *
 * A pod is not refused if it is not known whether it may use the pool.
 *
 * @param namespace the pod's; undefined if it is not known
 */
export function poolRefusals(
  state: ClusterState,
  pools: readonly Pool[],
  pod: PoolPod,
  namespace: Namespace | undefined,
  gates: TolerationGates,
): PoolRefusal[] {
  const judged = pools
    .filter((pool) => exemptionOf(pool, pod) === undefined)
    .map((pool) => ({ pool, use: mayUse(pool, pod, namespace) }));
  const given = judged
    .filter(({ use }) => use.verdict === 'yes')
    .flatMap(({ pool }) => pool.taints.map((taint) => tolerationOf(taint)));
  const own = (pod.spec.tolerations ?? [])
    .map((toleration, index) => ({ toleration, index }))
    .filter(({ toleration }) => !given.some((one) => matchesToleration(one, toleration)));
  return judged.flatMap(({ pool, use }): PoolRefusal[] => {
    if (use.verdict !== 'no') return [];
    const entry = tolerating(pool, own, gates);
    if (entry !== undefined)
      return [
        {
          pool,
          because: 'toleration',
          field: entry.field,
          message: messageOf(pool, pod, `${entry.field} (${entry.text}) tolerates ${taintsOf(pool)}`),
        },
      ];
    const node = namedNode(state, pool, pod);
    return node === undefined
      ? []
      : [
          {
            pool,
            because: 'node',
            field: 'spec.nodeName',
            message: messageOf(
              pool,
              pod,
              `spec.nodeName assigns it to ${node}, a node of the pool, bypassing the scheduler`,
            ),
          },
        ];
  });
}

/** All messages in one line. */
export const refusalMessage = (refusals: readonly PoolRefusal[]): string =>
  refusals.map(({ message }) => message).join('; ');

/** The refusals that a replaced pod did not have: a pod that was already refused can still be updated. */
export function newPoolRefusals(before: readonly PoolRefusal[], after: readonly PoolRefusal[]): PoolRefusal[] {
  return after.filter(
    ({ pool, because }) => !before.some((one) => one.pool.name === pool.name && one.because === because),
  );
}

/** The toleration that opens a pool: the first that matches its first taint; undefined if a taint is not tolerated. */
function tolerating(
  { hardTaints }: Pool,
  own: readonly { readonly toleration: Toleration; readonly index: number }[],
  gates: TolerationGates,
): { readonly field: string; readonly text: string } | undefined {
  const found = hardTaints.map((taint) => own.find(({ toleration }) => toleratesTaint(toleration, taint, gates)));
  const [first] = found;
  if (first === undefined || found.includes(undefined)) return undefined;
  return { field: `spec.tolerations[${first.index}]`, text: tolerationText(first.toleration) };
}

function tolerationText({ key = '', operator = '', value = '', effect = '' }: Toleration): string {
  if (operator === 'Exists' && key === '')
    return `Exists without a key, ${effect === '' ? 'for every taint' : `for every taint with effect ${effect}`}`;
  const what = operator === 'Exists' ? `${key} with any value` : `${key}${value === '' ? '' : `=${value}`}`;
  return effect === '' ? `${what}, for every effect` : `${what}:${effect}`;
}

function namedNode({ nodes }: ClusterState, { nodeSelector }: Pool, { spec }: PoolPod): string | undefined {
  const { nodeName = '' } = spec;
  const index = nodeName === '' ? -1 : nodes.indexOf(nodeName);
  return index >= 0 && nodeSelector.matches(nodes.labels(index)) ? nodeName : undefined;
}

const taintsOf = ({ hardTaints }: Pool): string => hardTaints.map((taint) => formatTaint(taint)).join(' and ');

function messageOf({ name }: Pool, pod: PoolPod, how: string): string {
  const namespace = pod.metadata.namespace ?? 'default';
  return `pool ${JSON.stringify(name)} is not open to pods of namespace ${JSON.stringify(namespace)} that run as service account ${JSON.stringify(accountOf(pod.spec))}: ${how}`;
}
