import type { ClusterState } from '../cluster/cluster-state.js';
import type { ManifestObject } from '../kubernetes/manifests/manifest-object.js';
import type { Rollout, RolloutOptions } from './rollout.js';

export declare function stepRollout(
  state: ClusterState,
  objects: readonly ManifestObject[],
  options: RolloutOptions,
): Generator<undefined, Rollout>;
