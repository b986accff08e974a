import { DEFAULT_TOLERATION_SECONDS } from '../../admission/default-toleration-seconds.js';
import type { Int64 } from '../../kubernetes/objects/meta.js';
import type { Toleration } from '../../kubernetes/objects/taints.js';
import { describeTaintKey } from '../../kubernetes/well-known-taints.js';
import type { FindingSuggestion } from '../finding.js';
import type { PodContext, PodFinding, PodRule } from '../pod-rule.js';
import { NOT_READY, stayOn, UNREACHABLE, type Stay } from '../silent-node.js';

/**
 * A stateful pod, or one that a PodDisruptionBudget selects, that leaves an unreachable or not-ready node sooner than
 * intended: sooner than another of its tolerations says, or, without any, after admission's 300 seconds. A
 * PodDisruptionBudget does not delay taint-based evictions (k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction:
 * pods are deleted, not evicted).
 */
export const earlyEviction: PodRule = {
  code: 'early-eviction',
  reads: 'workload',
  check: (pod) => {
    const guards = pod.budgets?.guarding(pod.namespace, pod.labels) ?? [];
    const stateful = pod.workloadKind === 'StatefulSet';
    if (pod.workloadKind === 'DaemonSet' || (!stateful && guards.length === 0)) return [];
    const stays = [NOT_READY, UNREACHABLE].map((key) => ({ key, stay: stayOn(key, pod.tolerations, pod.gates) }));
    const asked = longestAsked(pod.tolerations, stays);
    const early = stays.filter(({ stay }) => isShorter(stay.seconds, asked === undefined ? undefined : asked.seconds));
    if (early.length === 0) return [];
    const guarded = stateful
      ? 'The pod belongs to a StatefulSet.'
      : 'A PodDisruptionBudget selects the pod but does not delay taint-based evictions.';
    const findings = asked === undefined ? byDefault(guarded, early, pod) : soonerThanAsked(pod, guarded, early, asked);
    if (stateful) return findings;
    const budgets = guards.map((name) => `${pod.namespace}/${name}`);
    return findings.map((finding) => ({ ...finding, budgets }));
  },
};

interface KeyStay {
  readonly key: string;
  readonly stay: Stay;
}

interface Asked {
  readonly key: string;
  readonly seconds: Int64 | undefined;
}

function soonerThanAsked(
  { path, tolerations }: PodContext,
  guarded: string,
  early: readonly KeyStay[],
  asked: Asked,
): readonly PodFinding[] {
  return early.map(({ key, stay }): PodFinding => ({
    severity: 'warning',
    ...(stay.toleration === -1 ? {} : { at: path.child('tolerations').index(stay.toleration) }),
    message: `${guarded} It tolerates ${asked.key} ${duration(asked.seconds)}, but ${key} ${duration(stay.seconds)}${isDefault(stay, tolerations) ? ', the default that admission adds' : ''}.`,
    suggestions: [suggestion(key, asked.seconds)],
  }));
}

/** Nothing was requested, so this is only `info`. */
function byDefault(guarded: string, early: readonly KeyStay[], { tolerations }: PodContext): readonly PodFinding[] {
  const defaults = early.filter(({ stay }) => isDefault(stay, tolerations));
  if (defaults.length === 0) return [];
  return [
    {
      severity: 'info',
      message: `${guarded} It has no toleration of its own for unreachable or not-ready nodes: with the ${DEFAULT_TOLERATION_SECONDS} seconds that admission adds, it is evicted 5 minutes after its node becomes unreachable or not ready.`,
      suggestions: defaults.map(({ key }) => suggestion(key, undefined)),
    },
  ];
}

/**
 * The longest stay that the pod's own tolerations request, legacy keys included. Tolerations that admission added do
 * not count.
 */
function longestAsked(tolerations: readonly Toleration[], stays: readonly KeyStay[]): Asked | undefined {
  const own: Asked[] = stays
    .filter(({ stay }) => stay.toleration !== -1 && !isDefault(stay, tolerations))
    .map(({ key, stay }) => ({ key, seconds: stay.seconds }));
  const legacy = tolerations
    .filter(({ key = '', effect = '' }) => isLegacyOfSilence(key) && (effect === '' || effect === 'NoExecute'))
    .map(({ key, tolerationSeconds }): Asked => ({ key: key!, seconds: tolerationSeconds }));
  return [...own, ...legacy].reduce<Asked | undefined>(
    (longest, entry) => (longest === undefined || isShorter(longest.seconds, entry.seconds) ? entry : longest),
    undefined,
  );
}

function isLegacyOfSilence(key: string): boolean {
  const known = describeTaintKey(key);
  return known?.legacy === true && (known.replacedBy === NOT_READY || known.replacedBy === UNREACHABLE);
}

/** Whether a stay is admission's default, already added or still to be added. */
function isDefault({ byDefault, toleration }: Stay, tolerations: readonly Toleration[]): boolean {
  if (toleration === -1) return byDefault;
  const { operator, effect, tolerationSeconds } = tolerations[toleration]!;
  return operator === 'Exists' && effect === 'NoExecute' && tolerationSeconds === DEFAULT_TOLERATION_SECONDS;
}

/** Whether one stay ends before another; undefined means forever. */
function isShorter(a: Int64 | undefined, b: Int64 | undefined): boolean {
  return a !== undefined && (b === undefined || a < b);
}

const duration = (seconds: Int64 | undefined): string =>
  seconds === undefined ? 'forever' : seconds === 0 ? 'not at all' : `for ${seconds} seconds`;

function suggestion(key: string, seconds: Int64 | undefined): FindingSuggestion {
  const toleration: Toleration = { key, operator: 'Exists', effect: 'NoExecute' };
  return seconds === undefined
    ? { text: `To keep the pod on the node, tolerate ${key} without tolerationSeconds.`, toleration }
    : { text: `Tolerate ${key} for the same time.`, toleration: { ...toleration, tolerationSeconds: seconds } };
}
