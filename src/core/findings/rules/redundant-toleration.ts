import type { Toleration } from '../../kubernetes/objects/taints.js';
import { matchesToleration } from '../../kubernetes/toleration.js';
import { eachToleration, type PodRule } from '../pod-rule.js';
import { covers, normalized } from '../toleration-coverage.js';
import { describeToleration } from '../toleration-text.js';

/**
 * A toleration that a wider one of the same pod makes redundant. For NoExecute the first match decides how long a pod
 * stays, so a timed toleration is redundant only behind a wider one; a wider one behind a timed one has an effect.
 */
export const redundantToleration: PodRule = {
  code: 'redundant-toleration',
  reads: 'tolerations',
  check: (pod) => {
    const places = placesByKey(pod.tolerations);
    return eachToleration(pod, (toleration, at, index) => {
      // Only a toleration with the same key, or without a key, can be wider.
      const { key = '' } = toleration;
      const candidates = [...(places.get(key) ?? []), ...(key === '' ? [] : (places.get('') ?? []))];
      const wider = candidates.reduce((first, place) => {
        const other = pod.tolerations[place]!;
        const isFirst = place !== index && (first === -1 || place < first);
        return isFirst && isWider(other, toleration) && makesRedundant(other, place, toleration, index) ? place : first;
      }, -1);
      if (wider === -1) return [];
      const by = pod.tolerations[wider]!;
      const lost = toleration.tolerationSeconds !== undefined && by.tolerationSeconds !== toleration.tolerationSeconds;
      const stay = by.tolerationSeconds === undefined ? 'forever' : `for ${by.tolerationSeconds} seconds`;
      const start = `tolerations[${wider}] (${describeToleration(by)}) matches everything that (${describeToleration(toleration)}) matches`;
      return [
        {
          severity: lost ? 'warning' : 'info',
          at,
          usualForDaemons: true,
          message: lost
            ? `${start} and comes first: the tolerationSeconds of ${toleration.tolerationSeconds} are ignored, and the pod stays ${stay}.`
            : `${start}, so this toleration has no effect.`,
          suggestions: [
            {
              text: lost
                ? `Narrow tolerations[${wider}], or move this one before it.`
                : 'Remove it, or narrow the wider one.',
            },
          ],
        },
      ];
    });
  },
};

function placesByKey(tolerations: readonly Toleration[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, { key = '' }] of tolerations.entries()) {
    const ofKey = places.get(key);
    if (ofKey === undefined) places.set(key, [index]);
    else ofKey.push(index);
  }
  return places;
}

/** Strictly wider: equal tolerations are duplicates, which is another finding. */
function isWider(other: Toleration, toleration: Toleration): boolean {
  return covers(other, toleration) && !matchesToleration(normalized(other), normalized(toleration));
}

function makesRedundant(other: Toleration, place: number, toleration: Toleration, index: number): boolean {
  return place < index || other.tolerationSeconds === toleration.tolerationSeconds;
}
