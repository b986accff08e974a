import type { ClusterState } from '../cluster/cluster-state.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { matchesToleration, toleratesTaint, type TolerationGates } from '../kubernetes/toleration.js';
import { tolerationOf } from './admit-to-pools.js';
import { exemptionOf } from './exemption.js';
import type { Pool } from './pool.js';
import { accountOf, mayUse, type PoolPod } from './pool-user.js';

/** Why a pool keeps a pod out. */
export interface PoolRefusal {
  readonly pool: Pool;
  /** `toleration`: it tolerates the pool by itself; `node`: it names a node of the pool as its own, past the scheduler. */
  readonly because: 'toleration' | 'node';
  readonly message: string;
  /** The field that does it. */
  readonly field: string;
}

/**
 * The pools that a pod may not use and would get onto all the same: those of which it tolerates every taint that keeps pods off, by name
 * or with a wide `Exists`, and those of whose nodes it names one. What it tolerates because of a pool that it may use does not count,
 * where another pool has the same taint.
 *
 * Where it is not known whether the pod may use a pool, it is not refused.
 *
 * @param namespace the pod's; undefined where it is not known
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
            message: messageOf(pool, pod, `spec.nodeName puts it on ${node}, a node of the pool, past the scheduler`),
          },
        ];
  });
}

/** All that they say, in one line. */
export const refusalMessage = (refusals: readonly PoolRefusal[]): string =>
  refusals.map(({ message }) => message).join('; ');

/** Those that a pod has and the pod that it replaces had not: what is refused already is not refused again, so that it can still be changed. */
export function newPoolRefusals(before: readonly PoolRefusal[], after: readonly PoolRefusal[]): PoolRefusal[] {
  return after.filter(
    ({ pool, because }) => !before.some((one) => one.pool.name === pool.name && one.because === because),
  );
}

/** What in a list of tolerations opens a pool: of those that tolerate its taints, the first for the first; undefined where one stays closed. */
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
