import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../kubernetes/objects/selectors.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';
import { exemptionOf } from './exemption.js';
import type { Pool } from './pool.js';
import { mayUse, type PoolPod } from './pool-user.js';

/** A pool that a pod may use, and the rule that allows it. */
export interface OpenPool {
  readonly pool: Pool;
  readonly by: string;
}

/** The result of admitting a pod to pools. */
export interface PoolAdmission<P extends PoolPod> {
  readonly pod: P;
  /** The pools whose nodes the pod can run on; empty if it may use none, or is exempt. */
  readonly pools: readonly OpenPool[];
  /** Pools for which it is not known whether the pod may use them, and the data that is missing. */
  readonly unknown: readonly { readonly pool: Pool; readonly missing: string }[];
  /** The reason for the change at a pointer. */
  readonly why: (pointer: string) => string;
}

/**
 * Adds what a pod needs to run on the nodes of the pools that it may use, and on no others: a toleration for each of
 * their taints that it does not tolerate yet, and their labels as required node affinity. The affinity is added to
 * every term, because terms are ORed; an empty term is unchanged, because it selects no node.
 *
 * A pod of several pools may run on the nodes of each: every term is repeated for each pool. A pod that already
 * requires the labels of some of them, in its node selector or in a term, gets only those. Nothing is added twice, so a
 * second call changes nothing. A pod that already has a node gets no affinity, because it is not scheduled.
 *
 * @param namespace the pod's; undefined if it is not known
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

/** The pools whose labels a pod's node selector already requires. */
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
  // An empty list of terms is refused by the API server.
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

/** Whether the node selector or every term restricts a pod to nodes with the labels of one of several pools. */
export function isKeptTo(spec: PodSpec, pools: readonly Pool[]): boolean {
  if (chosenOf(spec, pools).length > 0) return true;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.length > 0 && terms.every((term) => isEmpty(term) || pools.some((pool) => demands(term, pool)));
}

/** Whether a term selects only nodes with the labels of a pool. */
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
      return `added to every term, because terms are ORed: ${named(reached)}; a toleration alone does not restrict a pod to the nodes of a pool`;
    }
    const index = Number(/^\/spec\/tolerations\/(\d+)$/.exec(pointer)?.[1] ?? before);
    const added = tolerations.slice(index, pointer === '/spec/tolerations' ? undefined : index + 1);
    const whose = reached.filter(({ pool }) =>
      pool.taints.some((taint) => indexOfTolerating(added, taint, gates) !== -1),
    );
    return `${named(whose)}; the toleration admits it to the tainted nodes`;
  };
}

const named = (pools: readonly OpenPool[]): string =>
  pools.map(({ pool, by }) => `the pod may use pool ${pool.name} because of ${by}`).join(', ');
