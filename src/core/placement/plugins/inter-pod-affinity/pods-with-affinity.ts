import type { PodTable } from '../../../cluster/pod-table.js';
import { readAffinityTerms, type PodAffinityTerms } from './terms.js';

/** A pod on a node that has terms of pod affinity or anti-affinity, of whatever kind. */
export interface PodWithAffinity {
  readonly pod: number;
  readonly node: number;
  readonly terms: PodAffinityTerms;
}

const known = new WeakMap<PodTable, readonly PodWithAffinity[]>();

/**
 * The active pods on stored nodes that have terms; a list of terms with one that cannot be read is as if it were empty. Looked for
 * once in a state.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/types.go, `PodsWithAffinity`.
 */
export function podsWithAffinity(pods: PodTable): readonly PodWithAffinity[] {
  let found = known.get(pods);
  if (found === undefined) known.set(pods, (found = look(pods)));
  return found;
}

function look(pods: PodTable): readonly PodWithAffinity[] {
  const found: PodWithAffinity[] = [];
  const hasTerms: boolean[] = [];
  const read = new Map<string, PodAffinityTerms>();
  for (let pod = 0; pod < pods.count; pod++) {
    const spec = pods.specId(pod);
    if (!(hasTerms[spec] ??= termsIn(pods, spec))) continue;
    const node = pods.nodeIndex(pod);
    if (node < 0 || !pods.active(pod)) continue;
    const namespace = pods.namespace(pod);
    const key = `${spec} ${namespace}`;
    let terms = read.get(key);
    if (terms === undefined) read.set(key, ({ terms } = readAffinityTerms(pods.specOf(spec), namespace)).terms);
    found.push({ pod, node, terms });
  }
  return found;
}

function termsIn(pods: PodTable, spec: number): boolean {
  const { podAffinity, podAntiAffinity } = pods.specOf(spec).affinity ?? {};
  return podAffinity !== undefined || podAntiAffinity !== undefined;
}
