import { acceleratorTaints } from './well-known-taints/accelerator-taints.js';
import { autoscalerTaints } from './well-known-taints/autoscaler-taints.js';
import { legacyTaints } from './well-known-taints/legacy-taints.js';
import { nodeConditionTaints } from './well-known-taints/node-condition-taints.js';
import { nodeRoleTaints } from './well-known-taints/node-role-taints.js';
import { providerTaints } from './well-known-taints/provider-taints.js';
import { startupTaints } from './well-known-taints/startup-taints.js';
import type { WellKnownTaint } from './well-known-taints/well-known-taint.js';

export type { WellKnownTaint } from './well-known-taints/well-known-taint.js';

/**
 * The taint keys that Kubernetes itself and widely used products set: who sets them, when, with which effects, and who removes
 * them. The scheduler treats every key as a plain string: this catalogue is only for explanations.
 */
export const wellKnownTaints: readonly WellKnownTaint[] = [
  ...nodeConditionTaints,
  ...nodeRoleTaints,
  ...startupTaints,
  ...autoscalerTaints,
  ...acceleratorTaints,
  ...providerTaints,
  ...legacyTaints,
];

const byKey = new Map(wellKnownTaints.filter(({ match }) => match === 'exact').map((entry) => [entry.key, entry]));
const byPrefix = wellKnownTaints.filter(({ match }) => match === 'prefix');

/** The entry for a taint key, exact keys before prefixes; undefined for an unknown key. */
export function describeTaintKey(key: string): WellKnownTaint | undefined {
  return byKey.get(key) ?? byPrefix.find((entry) => key.length > entry.key.length && key.startsWith(entry.key));
}
