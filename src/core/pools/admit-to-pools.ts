import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../kubernetes/objects/selectors.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';
import { exemptionOf } from './exemption.js';
import type { Pool } from './pool.js';
import { mayUse, type PoolPod } from './pool-user.js';

/** A pool that a pod may use, and by what. */
export interface OpenPool {
  readonly pool: Pool;
  readonly by: string;
}

/** A pod as pools let it in. */
export interface PoolAdmission<P extends PoolPod> {
  readonly pod: P;
  /** The pools whose nodes it may be put on now; none where it may use none, or is left alone. */
  readonly pools: readonly OpenPool[];
  /** Pools of which it is not known whether the pod may use them, and what is missing to know it. */
  readonly unknown: readonly { readonly pool: Pool; readonly missing: string }[];
  /** The reason for what changed at a place. */
  readonly why: (pointer: string) => string;
}

/**
 * The pod with what it needs to run on the nodes of the pools that it may use, and nowhere else: a toleration for each of their taints
 * that it does not tolerate yet, and their labels as required node affinity. The affinity goes into every term, since terms are ORed;
 * an empty term stays as it is, since it selects no node and would select some with it.
 *
 * A pod of several pools may run on the nodes of each: every term is there once for each pool. One that demands the labels of some of
 * them itself, in its node selector or in a term, has made its choice, and is given those alone. What is there already is not added
 * again, so that a second time changes nothing. A pod that has its node already is not given any affinity: the scheduler is not asked
 * about it.
 *
 * @param namespace the pod's; undefined where it is not known
 */
export function admitToPools<P extends PoolPod>(
  pools: readonly Pool[],
  pod: P,
  namespace: Namespace | undefined,
  gates: TolerationGates,
): PoolAdmission<P> {
  const open: OpenPool[] = [];
  const unknown: { readonly pool: Pool; readonly missing: string }[] = [];
  for (const pool of pools) {
    if (exemptionOf(pool, pod) !== undefined) continue;
    const use = mayUse(pool, pod, namespace);
    if (use.verdict === 'yes') open.push({ pool, by: use.by });
    else if (use.verdict === 'unknown') unknown.push({ pool, missing: use.missing });
  }
  if (open.length === 0) return { pod, pools: [], unknown, why: () => '' };
  const named = chosenOf(
    pod.spec,
    open.map(({ pool }) => pool),
  );
  const chosen = open.filter(({ pool }) => named.includes(pool));
  const { affinity, reached } = withAffinity(pod.spec, open, chosen);
  const tolerations = withTolerations(pod.spec.tolerations ?? [], reached, gates);
  const spec: PodSpec = {
    ...pod.spec,
    ...(tolerations.length > 0 && { tolerations }),
    ...(affinity && { affinity }),
  };
  return {
    pod: { ...pod, spec },
    pools: reached,
    unknown,
    why: whyOf(reached, pod.spec.tolerations?.length ?? 0, gates, tolerations),
  };
}

/** The pools whose labels a pod's node selector demands already. */
const chosenOf = ({ nodeSelector = {} }: PodSpec, pools: readonly Pool[]): readonly Pool[] =>
  pools.filter(({ labels }) =>
    Object.entries(labels).every(([key, value]) => Object.hasOwn(nodeSelector, key) && nodeSelector[key] === value),
  );

function withAffinity(
  spec: PodSpec,
  open: readonly OpenPool[],
  chosen: readonly OpenPool[],
): { readonly affinity: PodSpec['affinity']; readonly reached: readonly OpenPool[] } {
  const { affinity } = spec;
  if (chosen.length > 0) return { affinity, reached: chosen };
  if ((spec.nodeName ?? '') !== '') return { affinity, reached: open };
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  // A list of no terms is for the API server to refuse.
  if (required !== undefined && (required.nodeSelectorTerms ?? []).length === 0) return { affinity, reached: open };
  const reached = new Set<OpenPool>();
  const terms = (required?.nodeSelectorTerms ?? [undefined]).flatMap((term) => {
    if (term !== undefined && isEmpty(term)) return [term];
    const named = open.filter(({ pool }) => term !== undefined && demands(term, pool));
    for (const one of named.length > 0 ? named : open) reached.add(one);
    return named.length > 0 ? [term!] : open.map(({ pool }) => extended(term ?? {}, pool));
  });
  const nodeSelectorTerms = {
    requiredDuringSchedulingIgnoredDuringExecution: { ...required, nodeSelectorTerms: terms },
  };
  return {
    affinity: { ...affinity, nodeAffinity: { ...affinity?.nodeAffinity, ...nodeSelectorTerms } },
    reached: open.filter((one) => reached.has(one)),
  };
}

const isEmpty = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean =>
  matchExpressions.length === 0 && matchFields.length === 0;

/** Whether a pod is kept to nodes that carry the labels of one of several pools, by its node selector or by every term. */
export function isKeptTo(spec: PodSpec, pools: readonly Pool[]): boolean {
  if (chosenOf(spec, pools).length > 0) return true;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.length > 0 && terms.every((term) => isEmpty(term) || pools.some((pool) => demands(term, pool)));
}

/** Whether a term selects nodes with the labels of a pool alone. */
function demands({ matchExpressions = [] }: NodeSelectorTerm, pool: Pool): boolean {
  return Object.entries(pool.labels).every(([key, value]) =>
    matchExpressions.some((one) => one.key === key && one.operator === 'In' && isOnly(one.values, value)),
  );
}

const isOnly = (values: readonly string[] | undefined, value: string): boolean =>
  values !== undefined && values.length > 0 && values.every((one) => one === value);

function extended(term: NodeSelectorTerm, pool: Pool): NodeSelectorTerm {
  const { matchExpressions = [] } = term;
  const added = Object.entries(pool.labels)
    .map(([key, value]): NodeSelectorRequirement => ({ key, operator: 'In', values: [value] }))
    .filter(
      ({ key, values }) =>
        !matchExpressions.some((one) => one.key === key && one.operator === 'In' && isOnly(one.values, values![0]!)),
    );
  return { ...term, matchExpressions: [...matchExpressions, ...added] };
}

function withTolerations(
  tolerations: readonly Toleration[],
  pools: readonly OpenPool[],
  gates: TolerationGates,
): readonly Toleration[] {
  const all = [...tolerations];
  for (const taint of pools.flatMap(({ pool }) => pool.taints)) {
    if (indexOfTolerating(all, taint, gates) === -1) all.push(tolerationOf(taint));
  }
  return all;
}

/** The narrowest toleration of a taint. */
export const tolerationOf = ({ key, value = '', effect }: Taint): Toleration => ({
  key,
  operator: 'Equal',
  ...(value === '' ? {} : { value }),
  effect,
});

function whyOf(
  reached: readonly OpenPool[],
  before: number,
  gates: TolerationGates,
  tolerations: readonly Toleration[],
): (pointer: string) => string {
  return (pointer) => {
    if (!pointer.startsWith('/spec/tolerations')) {
      return `required of a node in every term, as terms are ORed: ${named(reached)}; a toleration alone keeps no pod on the nodes of a pool`;
    }
    const index = Number(/^\/spec\/tolerations\/(\d+)$/.exec(pointer)?.[1] ?? before);
    const added = tolerations.slice(index, pointer === '/spec/tolerations' ? undefined : index + 1);
    const whose = reached.filter(({ pool }) =>
      pool.taints.some((taint) => indexOfTolerating(added, taint, gates) !== -1),
    );
    return `${named(whose)}; the toleration lets it onto the tainted nodes`;
  };
}

const named = (pools: readonly OpenPool[]): string =>
  pools.map(({ pool, by }) => `the pod may use pool ${pool.name} by ${by}`).join(', ');
