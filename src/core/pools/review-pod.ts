import type { ClusterState } from '../cluster/cluster-state.js';
import { patchBetween, type PatchOperation } from '../json/patch-between.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { poolRulesIn } from './pool-rules.js';
import { refusalMessage } from './refuse-intruder.js';

/** The result of reviewing a pod at admission. */
export interface PodReview {
  readonly outcome: 'untouched' | 'added' | 'refused';
  /** The pools that added something, or that refuse. */
  readonly pools: readonly string[];
  readonly patch: readonly PatchOperation[];
  /** Why the pod is refused; empty otherwise. */
  readonly message: string;
  /** What is not known, as warnings for the client. */
  readonly warnings: readonly string[];
}

/** The additions of a state's pools to a new pod. */
export function addToPod(state: ClusterState, pod: Pod, gates: TolerationGates): PodReview {
  const admitted = poolRulesIn(state, gates)?.add(pod);
  if (admitted === undefined) return UNTOUCHED;
  const patch = patchBetween(pod, admitted.pod, admitted.why);
  return {
    outcome: patch.length === 0 ? 'untouched' : 'added',
    pools: patch.length === 0 ? [] : admitted.pools.map(({ pool }) => pool.name),
    patch,
    message: '',
    warnings: admitted.unknown.map(
      ({ pool, missing }) => `whether this pod may use pool ${pool.name} depends on ${missing}, which are not known`,
    ),
  };
}

/**
 * Whether a pod intrudes into pools of a state. A pod that replaces another is refused only for what the former pod did
 * not have.
 *
 * @param former the replaced pod
 */
export function judgePod(state: ClusterState, pod: Pod, former: Pod | undefined, gates: TolerationGates): PodReview {
  const refusals = poolRulesIn(state, gates)?.refusals(pod, former) ?? [];
  if (refusals.length === 0) return UNTOUCHED;
  return {
    outcome: 'refused',
    pools: refusals.map(({ pool }) => pool.name),
    patch: [],
    message: refusalMessage(refusals),
    warnings: [],
  };
}

const UNTOUCHED: PodReview = { outcome: 'untouched', pools: [], patch: [], message: '', warnings: [] };
