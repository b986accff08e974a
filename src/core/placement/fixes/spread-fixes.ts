import type { Pod, TopologySpreadConstraint } from '../../kubernetes/objects/pod.js';
import type { Reason } from '../reason.js';

/** The ways to change a spread constraint so that it lets a node pass, the least first. */
export const SPREAD_CHANGES = ['nodeTaintsPolicy', 'maxSkew', 'topologyKey'] as const;

export type SpreadChange = (typeof SPREAD_CHANGES)[number];

const HOSTNAME = 'kubernetes.io/hostname';

/** One member of a spread constraint, before and after. */
export interface ChangedConstraint {
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly change: Partial<TopologySpreadConstraint>;
  readonly constraint: TopologySpreadConstraint;
}

type SpreadReason = Extract<Reason, { readonly code: 'TopologySpreadSkew' | 'TopologyLabelMissing' }>;

export const isSpreadReason = (reason: Reason): reason is SpreadReason =>
  reason.code === 'TopologySpreadSkew' || reason.code === 'TopologyLabelMissing';

/**
 * The constraint that a node fails, changed in one member: nodes with untolerated taints are left out of the count, or more skew is
 * allowed, or the pods are spread over nodes. Undefined for a constraint of the profile, and where the change does not apply.
 */
export function changedConstraint(
  { spec }: Pod,
  reason: SpreadReason,
  member: SpreadChange,
): ChangedConstraint | undefined {
  const index = indexOf(reason);
  const constraint = index === undefined ? undefined : spec.topologySpreadConstraints?.[index];
  if (index === undefined || constraint === undefined) return undefined;
  const changed = (from: string, to: string, change: Partial<TopologySpreadConstraint>): ChangedConstraint => ({
    index,
    from,
    to,
    change,
    constraint: { ...constraint, ...change },
  });
  if (member === 'topologyKey') {
    if (constraint.topologyKey === HOSTNAME) return undefined;
    return changed(constraint.topologyKey, HOSTNAME, { topologyKey: HOSTNAME });
  }
  if (reason.code !== 'TopologySpreadSkew') return undefined;
  if (member === 'nodeTaintsPolicy') {
    const { nodeTaintsPolicy = 'Ignore' } = constraint;
    return nodeTaintsPolicy === 'Honor' ? undefined : changed(nodeTaintsPolicy, 'Honor', { nodeTaintsPolicy: 'Honor' });
  }
  const { skew, maxSkew } = reason.facts.spread;
  return skew > maxSkew ? changed(String(maxSkew), String(skew), { maxSkew: skew }) : undefined;
}

/** The place of the constraint in the pod. */
function indexOf({ fields }: SpreadReason): number | undefined {
  const place = /^\/spec\/topologySpreadConstraints\/(\d+)$/.exec(fields[0]?.pointer ?? '')?.[1];
  return place === undefined ? undefined : Number(place);
}
