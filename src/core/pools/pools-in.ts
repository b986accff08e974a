import type { ClusterState } from '../cluster/cluster-state.js';
import type { Setting } from '../cluster/setting.js';
import { compileLabelSelector, type Selector } from '../kubernetes/label-selector.js';
import type { LabelSelector } from '../kubernetes/objects/selectors.js';
import type { Pool, PoolSpec } from './pool.js';

/** Compiled once for each list of settings; states share the result until a pool changes. */
const compiled = new WeakMap<readonly Setting[], readonly Pool[]>();

/** The declared pools of a cluster, by name. */
export function poolsIn(state: ClusterState): readonly Pool[] {
  const settings = state.settings('Pool');
  let pools = compiled.get(settings);
  if (pools === undefined) {
    pools = settings.map(({ metadata, content }) => poolOf(metadata.name, content as unknown as PoolSpec));
    compiled.set(settings, pools);
  }
  return pools;
}

/** @param spec a result of `readPool` */
export function poolOf(name: string, spec: PoolSpec): Pool {
  const { namespaceSelector } = spec.users;
  return {
    ...spec,
    name,
    nodeSelector: selector(spec.nodes),
    namespaceSelector: namespaceSelector && selector(namespaceSelector),
    hardTaints: spec.taints.filter(({ effect }) => effect !== 'PreferNoSchedule'),
  };
}

function selector(given: LabelSelector): Selector {
  const read = compileLabelSelector(given);
  if ('errors' in read) throw new Error(`A pool was stored with an invalid selector: ${read.message}`);
  return read.selector;
}
