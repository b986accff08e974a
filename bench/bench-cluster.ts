import { ClusterState } from '../src/core/cluster/cluster-state.js';
import type { JsonValue } from '../src/core/json/json-value.js';
import { decodeObject } from '../src/core/kubernetes/decode.js';
import { KINDS, type KeptKind } from '../src/core/kubernetes/kinds.js';
import type { KubernetesObject } from '../src/core/kubernetes/objects/meta.js';
import type { ClusterShape } from './generator/cluster-shape.js';
import { generateCluster } from './generator/generate-cluster.js';

export const LOADED_KINDS: readonly KeptKind[] = KINDS.map(({ kind }) => kind);

/** The generated cluster that the benchmarks share. It is built on first use. */
export class BenchCluster {
  private loaded: ClusterState | undefined;

  constructor(readonly shape: ClusterShape) {}

  /** The objects in stored form, pruned to the kept fields. Each call creates new ones. */
  *objects(): Generator<KubernetesObject> {
    for (const raw of generateCluster(this.shape)) {
      const decoded = decodeObject(raw as unknown as JsonValue);
      if (decoded.outcome === 'object') yield decoded.object;
    }
  }

  get state(): ClusterState {
    this.loaded ??= ClusterState.build(this.objects(), LOADED_KINDS);
    return this.loaded;
  }
}
