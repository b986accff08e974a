import type { Taint, Toleration } from '../../kubernetes/objects/taints.js';
import { formatTaint } from '../../kubernetes/taint.js';
import { toleratesTaint } from '../../kubernetes/toleration.js';
import { describeTaintKey, wellKnownTaints } from '../../kubernetes/well-known-taints.js';
import type { ClusterTaints, TaintInUse } from '../cluster-taints.js';
import { editDistance, nearest } from '../../collections/edit-distance.js';
import type { FindingSuggestion } from '../finding.js';
import { eachToleration, type PodContext, type PodFinding, type PodRule } from '../pod-rule.js';
import { describeToleration, isKeyless } from '../toleration-text.js';

/**
 * A toleration that matches no taint of any node. Keys that come and go with a node's state (not-ready, the
 * autoscaler's) are skipped, since they are tolerated in advance. A warning if a taint is similar enough for a typing
 * error to be likely.
 */
export const unmatchedToleration: PodRule = {
  code: 'unmatched-toleration',
  reads: 'tolerations',
  check: (pod) => {
    const { cluster } = pod;
    if (cluster === undefined) return [];
    return eachToleration(pod, (toleration, at) => {
      const { key = '' } = toleration;
      const known = describeTaintKey(key);
      // Legacy keys without a similar taint have their own rule.
      if (isKeyless(toleration) || known?.transient === true) return [];
      if (cluster.matchedBy(toleration, pod.gates).length > 0) return [];
      return [{ at, ...explain(toleration, cluster, pod) }];
    });
  },
};

function explain(toleration: Toleration, cluster: ClusterTaints, pod: PodContext): Omit<PodFinding, 'at'> {
  const start = `The toleration (${describeToleration(toleration)}) matches no taint of any node in the cluster.`;
  const sameKey = cluster.byKey.get(toleration.key!);
  if (sameKey !== undefined) return nearMiss(start, toleration, sameKey, pod);

  const key = nearestKey(toleration.key!, cluster);
  if (key !== undefined) {
    const renamed = { ...toleration, key };
    const what = key.toLowerCase() === toleration.key!.toLowerCase() ? 'differs in case' : 'is spelled differently';
    const present = cluster.byKey.get(key);
    if (present === undefined) {
      const suggestions = [{ text: `Use ${key}.`, toleration: renamed }];
      return { severity: 'warning', message: `${start} The well-known key ${key} ${what}.`, suggestions };
    }
    const matching = present.filter(({ taint }) => toleratesTaint(renamed, taint, pod.gates));
    const closest = (matching.length > 0 ? matching : present)[0]!;
    const fixed = matching.length > 0 ? renamed : narrowToleration(closest.taint);
    return {
      severity: 'warning',
      message: `${start} The most similar one is ${carried(closest)}: the key ${what}.`,
      suggestions: [{ text: `Use ${key}.`, toleration: fixed }],
    };
  }
  return {
    severity: 'info',
    message: `${start} It has no effect until a node gets such a taint.`,
    suggestions: [{ text: 'Remove it unless nodes are meant to carry that taint.' }],
  };
}

/** The key exists with another value or effect, or with an operator that does not match. */
function nearMiss(
  start: string,
  toleration: Toleration,
  sameKey: readonly TaintInUse[],
  { gates }: PodContext,
): Omit<PodFinding, 'at'> {
  const { value = '', effect = '' } = toleration;
  const otherEffect = sameKey.filter(({ taint }) =>
    toleratesTaint({ ...toleration, effect: taint.effect }, taint, gates),
  );
  const sameEffect = sameKey.filter(({ taint }) => effect === '' || taint.effect === effect);
  const [miss, why] =
    otherEffect.length > 0
      ? [otherEffect[0]!, 'the effect differs']
      : [closestValue(value, sameEffect.length > 0 ? sameEffect : sameKey), undefined];
  const difference = why ?? valueDifference(toleration, miss.taint);
  const suggestions: FindingSuggestion[] = [
    { text: `Tolerate ${formatTaint(miss.taint)}.`, toleration: narrowToleration(miss.taint) },
  ];
  return {
    severity: 'warning',
    message: `${start} The most similar one is ${carried(miss)}: ${difference}.`,
    suggestions,
  };
}

function valueDifference({ value = '', effect = '', operator = '' }: Toleration, taint: Taint): string {
  const given = taint.value ?? '';
  const both = effect !== '' && effect !== taint.effect ? ', and the effect differs' : '';
  if (operator !== '' && operator !== 'Equal') return `operator ${operator} does not match its value${both}`;
  if (given.toLowerCase() === value.toLowerCase()) return `the value differs in case${both}`;
  return given === '' ? `it has no value${both}` : `the value differs${both}`;
}

function closestValue(value: string, candidates: readonly TaintInUse[]): TaintInUse {
  const distance = (entry: TaintInUse): number =>
    editDistance(value.toLowerCase(), (entry.taint.value ?? '').toLowerCase(), 63);
  return candidates.reduce((best, entry) => (distance(entry) < distance(best) ? entry : best));
}

/** The likely intended key, in use or well-known: one that differs only in case, or by one or two typing errors. */
function nearestKey(key: string, cluster: ClusterTaints): string | undefined {
  // A legacy key is not a misspelling of its replacement.
  if (describeTaintKey(key) !== undefined) return undefined;
  const inCluster = [...cluster.byKey.keys()];
  const known = wellKnownTaints.filter(({ match, legacy }) => match === 'exact' && !legacy).map((entry) => entry.key);
  const lower = key.toLowerCase();
  const inOtherCase = [...inCluster, ...known].find((candidate) => candidate.toLowerCase() === lower);
  // Short keys can differ by a letter or two without being misspelled.
  const limit = key.length < 4 ? 0 : key.length < 8 ? 1 : 2;
  return inOtherCase ?? nearest(key, inCluster, limit) ?? nearest(key, known, limit);
}

const carried = ({ taint, nodeCount }: TaintInUse): string =>
  `${formatTaint(taint)} (on ${nodeCount === 1 ? '1 node' : `${nodeCount} nodes`})`;

/** The narrowest toleration of a taint. */
export function narrowToleration({ key, value = '', effect }: Taint): Toleration {
  return value === '' ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect };
}
